// What the browser tests share: chromium without a screen, a page opened from disk, and a watch on what must not happen.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(new URL("../../web/package.json", import.meta.url));
const { chromium } = require("playwright-core");

export const pages = process.argv[2];

const flags = [
  "--no-sandbox", "--ignore-gpu-blocklist", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
  "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
  "--no-first-run", "--host-resolver-rules=MAP * ~NOTFOUND",
];

export async function withBrowser(run) {
  const profile = mkdtempSync(path.join(tmpdir(), "stunt-browser-"));
  const executablePath = execFileSync("sh", ["-c", "command -v chromium"]).toString().trim();
  const context = await chromium.launchPersistentContext(profile, {
    executablePath, headless: true, args: flags, viewport: { width: 1280, height: 760 },
  });
  try {
    await run(context);
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

// Opens a page of the folder from disk, and pauses it unless it is to `play`. `troubles` collects console errors, uncaught errors and requests to anywhere
// but the file itself.
export async function open(context, name, { dark = false, play = false } = {}) {
  const page = await context.newPage();
  await page.emulateMedia({ colorScheme: dark ? "dark" : "light" });
  const troubles = [];
  const address = pathToFileURL(path.resolve(pages, name)).href;
  page.on("console", (message) => {
    // Software rendering makes chromium itself warn about slow reads of the screen; that is no fault of the page.
    if (message.type() === "error" || (message.type() === "warning" && !/GPU stall|GL Driver|swiftshader/i.test(message.text()))) {
      troubles.push(`${message.type()}: ${message.text()}`);
    }
  });
  page.on("pageerror", (error) => troubles.push(`uncaught: ${error.message}`));
  page.on("request", (request) => {
    const url = request.url();
    if (url !== address && !url.startsWith("data:") && !url.startsWith("blob:")) troubles.push(`request: ${url}`);
  });
  await page.goto(address);
  await page.waitForSelector("html[data-ready=true]");
  if (!play) {
    await waitFor(() => page.evaluate(() => window.stunt.playback.playing), "it plays at once");
    await page.evaluate(() => window.stunt.playback.toggle());
  }
  return { page, troubles };
}

export const time = (page) => page.evaluate(() => window.stunt.playback.time);

// Until the page has drawn what was asked for.
export async function drawn(page) {
  await waitFor(() => page.evaluate(() => window.stunt.idle()), "the picture is drawn", 60);
}

// Pixels of the scene, as a string of numbers to compare: what is seen changed or did not.
export async function picture(page) {
  const shot = await page.locator(".stage-canvas").screenshot();
  return shot.toString("base64");
}

export async function waitFor(condition, what, seconds = 20) {
  const until = Date.now() + 1000 * seconds;
  while (Date.now() < until) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail(`did not happen within ${seconds} s: ${what}`);
}
