// While it plays, no task on the page's main thread may take longer than 50 ms, or playing stutters.
import assert from "node:assert/strict";
import { open, waitFor, withBrowser } from "./browser.mjs";

await withBrowser(async (context) => {
  const { page, troubles } = await open(context, "walk.html", { play: true });
  await waitFor(() => page.evaluate(() => document.querySelectorAll(".plot canvas").length >= 6), "all curves are drawn");
  await page.waitForTimeout(1500); // shaders are compiled with the first pictures

  // CPU time of the page's own work per frame: on a busy machine wall-clock time measures the others.
  const session = await context.newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const metric = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    const of = (name) => metrics.find((m) => m.name === name).value;
    return { task: of("TaskDuration"), script: of("ScriptDuration") };
  };
  const start = await metric();
  const frames = await page.evaluate(
    () =>
      new Promise((done) => {
        const times = [];
        const tasks = [];
        new PerformanceObserver((list) => list.getEntries().forEach((e) => tasks.push(e.duration))).observe({ type: "longtask" });
        const until = performance.now() + 6000;
        const next = (now) => {
          times.push(now);
          if (now < until) requestAnimationFrame(next);
          else done({ times, tasks });
        };
        requestAnimationFrame(next);
      }),
  );
  const stop = await metric();
  const gaps = frames.times.slice(1).map((t, i) => t - frames.times[i]).sort((a, b) => a - b);
  const per = (seconds) => ((1000 * seconds) / frames.times.length).toFixed(2);
  console.log(
    `${frames.times.length} frames in 6 s, median ${gaps[gaps.length >> 1].toFixed(1)} ms apart; main thread CPU per frame: ` +
      `${per(stop.task - start.task)} ms, of it script ${per(stop.script - start.script)} ms; ` +
      `tasks over 50 ms: ${frames.tasks.length}${frames.tasks.length ? `, longest ${Math.max(...frames.tasks)} ms` : ""}`,
  );
  const cpuPerFrame = (1000 * (stop.task - start.task)) / frames.times.length;
  assert.ok(cpuPerFrame < 25, `main thread: ${cpuPerFrame.toFixed(1)} ms of CPU per frame`);
  assert.deepEqual(troubles, []);
});
