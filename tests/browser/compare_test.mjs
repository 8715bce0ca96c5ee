// Three recordings on one page: side by side or over each other, their curves in one plot, their numbers in one table.
import assert from "node:assert/strict";
import { drawn, open, picture, time, waitFor, withBrowser } from "./browser.mjs";

await withBrowser(async (context) => {
  const { page, troubles } = await open(context, "compare.html");
  await waitFor(() => page.evaluate(() => document.querySelectorAll(".plot canvas").length >= 6), "all curves are drawn");
  assert.deepEqual(await page.locator(".viewport-labels span").allTextContents(), ["stiff", "soft", "falls"]);
  assert.deepEqual(await page.locator(".summary thead th").allTextContents(), ["", "stiff", "soft", "falls"]);
  assert.equal(await page.locator('[data-plot="tracking"] .value').count(), 3);
  assert.ok((await page.locator(".summary td.best").count()) > 2, "the best of each row is marked");
  assert.match(await page.locator(".legend").textContent(), /stiff.*Stumbled at 0\.\d+ s.*soft.*Stumbled at 0\.\d+ s.*falls.*Fell at 2.40 s/);

  const side = await picture(page);
  await page.keyboard.press("o");
  await drawn(page);
  assert.notEqual(await picture(page), side);
  assert.equal(await page.locator(".viewport-labels span").count(), 0);

  await page.keyboard.press("Space");
  const opened = await time(page);
  await waitFor(async () => Math.abs((await time(page)) - opened) > 0.3, "all three play");
  await page.keyboard.press("Space");
  // At the same time the recordings differ: each shows its own.
  await page.evaluate(() => window.stunt.playback.seek(4));
  await drawn(page);
  const heights = await page.evaluate(() =>
    window.stunt.stage.figures.map((figures) => figures.frame.positions[3 * figures.model.actors[0].firstBody + 2]));
  assert.ok(heights[0] > 0.8 && heights[1] > 0.7 && heights[2] < 0.5, `heights of the three: ${heights}`);
  assert.deepEqual(troubles, []);
});
