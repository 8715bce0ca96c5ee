// The report of one run, as a person uses it: opens from disk, plays, scrubs, switches views, curves follow.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { drawn, open, picture, time, waitFor, withBrowser } from "./browser.mjs";

const playheadLeft = (page, plot) =>
  page.evaluate((name) => {
    const head = document.querySelector(`[data-plot="${name}"] .playhead`).getBoundingClientRect();
    const box = document.querySelector(`[data-plot="${name}"] .u-over`).getBoundingClientRect();
    return (head.left + 1 - box.left) / box.width;
  }, plot);

const seek = async (page, t) => {
  await page.evaluate((to) => window.stunt.playback.seek(to), t);
  await drawn(page);
};

await withBrowser(async (context) => {
  const { page, troubles } = await open(context, "walk.html");
  const ready = await page.evaluate(() => performance.getEntriesByName("ready")[0].startTime);
  console.log(`ready to play after ${ready.toFixed(0)} ms`);
  assert.equal(await page.title(), "march · Stunt");
  await waitFor(() => page.evaluate(() => document.querySelectorAll(".plot canvas").length >= 6), "all curves are drawn");

  // Plays and pauses.
  await page.click('[aria-label="Play"]');
  await waitFor(async () => (await time(page)) > 0.3, "it plays");
  await page.keyboard.press("Space");
  const paused = await time(page);
  await page.waitForTimeout(300);
  assert.equal(await time(page), paused, "it stands still when paused");

  // Steps by one frame of 60 Hz, jumps by keys.
  await seek(page, 2);
  await page.keyboard.press("ArrowRight");
  assert.ok(Math.abs((await time(page)) - 2 - 1 / 60) < 1e-6);
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  assert.ok(Math.abs((await time(page)) - 2 + 1 / 60) < 1e-6);
  await page.keyboard.press("End");
  assert.equal(await time(page), 10);
  await page.keyboard.press("Home");
  assert.equal(await time(page), 0);

  // Scrubs on the time line; the scene changes with it.
  const before = await picture(page);
  const line = await page.locator(".timeline").boundingBox();
  await page.mouse.move(line.x + 0.2 * line.width, line.y + 20);
  await page.mouse.down();
  await page.mouse.move(line.x + 0.5 * line.width, line.y + 20, { steps: 4 });
  await page.mouse.up();
  assert.ok(Math.abs((await time(page)) - 5) < 0.1, `scrubbed to the middle, found ${await time(page)}`);
  await drawn(page);
  assert.notEqual(await picture(page), before);

  // The play heads of the curves and the numbers beside them follow.
  for (const plot of ["tracking", "position", "joint", "torque", "kappa", "lambda", "forces", "plan"]) {
    await seek(page, 2.5);
    assert.ok(Math.abs((await playheadLeft(page, plot)) - 0.25) < 0.01, `${plot} at a quarter`);
    await seek(page, 7.5);
    assert.ok(Math.abs((await playheadLeft(page, plot)) - 0.75) < 0.01, `${plot} at three quarters`);
  }
  const error = () => page.locator('[data-plot="tracking"] .value b').first().textContent();
  await seek(page, 0);
  const atStart = await error();
  await seek(page, 4);
  assert.notEqual(await error(), atStart);
  const expected = await page.evaluate(() => {
    const [run] = window.stunt.recordings;
    return ((run.error[0].values[3 * run.rowAt(4)] * 180) / Math.PI).toFixed(1);
  });
  assert.equal(await error(), `${expected} °`);

  // A click in a plot goes there.
  await page.locator('[data-plot="forces"] .u-over').scrollIntoViewIfNeeded();
  const plot = await page.locator('[data-plot="forces"] .u-over').boundingBox();
  await page.mouse.click(plot.x + 0.6 * plot.width, plot.y + 10);
  assert.ok(Math.abs((await time(page)) - 6) < 0.1);

  // Another joint, other curves.
  const joint = page.locator('[data-plot="joint"] select');
  const first = await joint.inputValue();
  await page.keyboard.press("]");
  assert.notEqual(await joint.inputValue(), first);

  // Views, layers and layout change the picture.
  let last = await picture(page);
  for (const key of ["2", "3", "4", "1", "g", "t", "c", "p", "m", "n", "b", "b", "u", "o", "o", "u"]) {
    await page.keyboard.press(key);
    await drawn(page);
    const now = await picture(page);
    assert.notEqual(now, last, `key ${key} changes the picture`);
    last = now;
  }
  await page.keyboard.press("o");
  assert.deepEqual(await page.locator(".viewport-labels span").allTextContents(), ["Reference", "Simulated"]);

  // Muscles of the march: those that are drawn are those that are known, and some of them work.
  const muscles = await page.evaluate(() => {
    const [run] = window.stunt.recordings;
    const frame = { ...window.stunt.frames[0] };
    run.fill(4, frame);
    const lines = run.head.actors[0].muscles;
    return { known: lines.length, now: frame.muscles[0].use.length, most: Math.max(...frame.muscles[0].use), points: Math.min(...lines.map((m) => m.path.length)) };
  });
  assert.ok(muscles.known > 100, `${muscles.known} muscles`);
  assert.equal(muscles.now, muscles.known);
  assert.ok(muscles.points >= 2 && muscles.most > 0.02, JSON.stringify(muscles));

  // The mouse orbits while nothing plays.
  last = await picture(page);
  const scene = await page.locator(".stage").boundingBox();
  await page.mouse.move(scene.x + 300, scene.y + 300);
  await page.mouse.down();
  await page.mouse.move(scene.x + 400, scene.y + 280, { steps: 3 });
  await page.mouse.up();
  await drawn(page);
  assert.notEqual(await picture(page), last, "dragging orbits");

  // A picture and a video are saved.
  const saved = async (press, name) => {
    const [download] = await Promise.all([page.waitForEvent("download"), press()]);
    assert.equal(download.suggestedFilename(), name);
    return readFileSync(await download.path());
  };
  const png = await saved(() => page.keyboard.press("s"), "march.png");
  assert.equal(png.subarray(1, 4).toString(), "PNG");
  assert.ok(png.length > 10000, `a picture of ${png.length} bytes`);
  const webm = await saved(async () => {
    await page.keyboard.press("r");
    await page.waitForTimeout(1200);
    await page.keyboard.press("r");
  }, "march.webm");
  assert.ok(webm.length > 1000, `a video of ${webm.length} bytes`);
  await page.keyboard.press("Space");

  // Speed, loop, help, dark.
  await page.keyboard.press(".");
  assert.equal(await page.locator(".speed").inputValue(), "2");
  await seek(page, 9.9);
  await page.keyboard.press("Space");
  await waitFor(async () => (await time(page)) < 5, "the loop starts again");
  await page.keyboard.press("l");
  await seek(page, 9.9);
  await waitFor(() => page.evaluate(() => !window.stunt.playback.playing), "without the loop it ends");
  assert.equal(await time(page), 10);
  await page.keyboard.press("?");
  assert.ok(await page.locator("dialog.help").isVisible());
  await page.keyboard.press("Escape");
  const color = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await color();
  await page.keyboard.press("d");
  assert.notEqual(await color(), light);

  assert.match(await page.locator(".summary").textContent(), /Joint error, mean.*°.*Position error.*cm/);
  assert.deepEqual(troubles, []);
  await page.close();

  // Every other kind of page opens without trouble, and the system's dark setting is followed.
  for (const name of ["fall.html", "pair.html", "slope.html", "minutes.html"]) {
    const other = await open(context, name, { dark: true });
    assert.equal(await other.page.evaluate(() => document.documentElement.dataset.theme), "dark");
    if (name === "fall.html") {
      const opened = await time(other.page);
      assert.ok(opened > 0.1 && opened < 2.4, `it opens before the fall, at ${opened}`);
      assert.equal(await other.page.locator(".timeline .mark.fall").count(), 1);
      assert.equal(await other.page.locator(".timeline .mark.push").count(), 1);
      await other.page.locator(".title .verdict").click();
      assert.ok(Math.abs((await time(other.page)) - 1.8) < 0.01, "the verdict leads to the fall");
    }
    if (name === "fall.html") {
      // A map of the body: what was hurt most is darkest, and leads to its moment.
      const value = (region) => other.page.locator(`[data-region="${region}"]`).getAttribute("data-value");
      assert.equal(await value("head"), "1.400");
      assert.equal(await value("left femur"), "0.600");
      assert.equal(await value("right foot"), "0.000");
      assert.equal(await other.page.locator(".body-map li").count(), 2);
      await other.page.locator(".body-map li button").first().click();
      assert.ok(Math.abs((await time(other.page)) - 2.25) < 0.01, "the first of the list leads there");
    }
    if (name === "pair.html") assert.equal(await other.page.locator(".legend li").count(), 2);
    if (name === "minutes.html") {
      await seek(other.page, 200);
      await waitFor(() => other.page.evaluate(() => document.querySelectorAll(".plot canvas").length >= 6), "curves of five minutes");
    }
    assert.deepEqual(other.troubles, [], name);
    await other.page.close();
  }

  // On a telephone nothing is cut off, and no button lies on another.
  for (const name of ["walk.html", "pair.html", "compare.html"]) {
    const { page: narrow } = await open(context, name);
    await narrow.setViewportSize({ width: 400, height: 800 });
    await drawn(narrow);
    const found = await narrow.evaluate(() => {
      const boxes = [...document.querySelectorAll("button, select, h1, .timeline, .legend, .viewport-labels span, .clock")]
        .filter((e) => e.checkVisibility() && !e.closest(".marks"))
        .map((e) => ({ what: `${e.className || e.tagName} ${e.textContent.slice(0, 20)}`, e, box: e.getBoundingClientRect() }))
        .filter(({ box }) => box.width > 0);
      const problems = boxes.filter(({ box }) => box.left < -0.5 || box.right > 400.5).map(({ what }) => `cut off: ${what}`);
      for (const [i, a] of boxes.entries()) {
        for (const b of boxes.slice(i + 1)) {
          if (a.e.contains(b.e) || b.e.contains(a.e)) continue;
          const wide = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
          const high = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
          if (wide > 1 && high > 1) problems.push(`${a.what} lies on ${b.what}`);
        }
      }
      const legend = document.querySelector(".legend")?.getBoundingClientRect();
      if (legend && legend.top < document.querySelector(".stage").getBoundingClientRect().bottom - 0.5) problems.push("the legend covers the scene");
      for (const name of document.querySelectorAll(".summary table:not(.single) th[scope=row]")) {
        if (name.getBoundingClientRect().width < 80) problems.push(`squeezed: ${name.textContent}`);
      }
      if (document.documentElement.scrollWidth > 400) problems.push(`the page is ${document.documentElement.scrollWidth} wide`);
      return problems;
    });
    assert.deepEqual(found, [], name);
    await narrow.close();
  }
});
