// The report: recordings out of the page itself, a scene, a clock, curves and numbers.
import "uplot/dist/uPlot.min.css";
import "./style.css";
import { RecordingData } from "../data";
import { makeFrame } from "../scene/model";
import { Stage } from "../scene/stage";
import { bodyMaps } from "./body_map";
import { element, roundButton } from "./dom";
import { helpDialog, listen, type Shortcut } from "./keys";
import { Playback } from "./playback";
import { Plots } from "./plots";
import { Saving } from "./saving";
import { SceneTools } from "./scene_tools";
import { summaryTable, verdictBadge } from "./summary";
import { tellingMoment } from "./telling_moment";
import { ThemeSwitch } from "./theme_switch";
import { Timeline } from "./timeline";
import { titleBar } from "./title_bar";
import { causeOf, tracksOf, type Track } from "./tracks";
import { Transport } from "./transport";

async function readRecordings(): Promise<RecordingData[]> {
  const sources = [...document.querySelectorAll<HTMLScriptElement>('script[type="application/x-stunt"]')];
  if (!sources.length) throw new Error("there is no recording in this page");
  const recordings = await Promise.all(sources.map((s) => RecordingData.read(s.textContent!, s.dataset.label ?? "")));
  for (const source of sources) source.remove(); // its text is decoded: let the memory go
  return recordings;
}

// The recordings on a stage; each view has its label over it.
function setStage(box: HTMLElement, recordings: RecordingData[], theme: ThemeSwitch): Stage {
  const labels = element("div", { class: "viewport-labels" });
  const stage = new Stage(box, theme.theme);
  box.append(labels);
  stage.onViewports = (list) => {
    labels.replaceChildren(...list.filter((v) => v.label).map((v) => {
      const label = element("span", {}, v.label);
      label.style.left = `${v.left}px`;
      label.style.width = `${v.width}px`;
      return label;
    }));
  };
  let color = 0;
  const models = recordings.map((r) => {
    const firstColor = color;
    color += r.head.actors.length;
    return { model: r.model, label: r.label, firstColor };
  });
  stage.layers.muscles = recordings[0].movedByMuscles;
  stage.setModels(models, recordings[0].head.heading);
  return stage;
}

// Which colour is which character, and how each ended.
function legend(tracks: Track[], seek: (time: number) => void): HTMLElement {
  return element("ul", { class: "legend" }, ...tracks.map((track) => {
    const chip = element("i", { class: "chip" });
    chip.style.setProperty("--color", track.color);
    return element("li", {}, chip, element("span", {}, track.label), verdictBadge(track, seek));
  }));
}

// What went wrong first, in words; a click goes there.
function stories(tracks: Track[], seek: (time: number) => void): HTMLElement[] {
  return tracks.flatMap((track) => {
    const cause = causeOf(track);
    if (!cause) return [];
    const text = tracks.length > 1 ? `${track.label}: ${cause.text}` : cause.text;
    const line = element("button", { class: "story", type: "button", title: "Go there" }, text);
    line.addEventListener("click", () => seek(Math.max(0, cause.time - 0.3)));
    return [line];
  });
}

// Opens and closes the list of all shortcuts, its own included.
function helpButton(others: Shortcut[]): HTMLButtonElement {
  const shortcuts: Shortcut[] = [
    ...others,
    { keys: ["?"], shown: "?", text: "This help", run: () => (help.open ? help.close() : help.showModal()) },
  ];
  const help = helpDialog(shortcuts);
  document.body.append(help);
  listen(shortcuts);
  return roundButton("help", "Keyboard shortcuts", "?", () => help.showModal());
}

// The parts of the page, put where they belong.
function layOut(recordings: RecordingData[]) {
  const tracks = tracksOf(recordings);
  const playback = new Playback(Math.max(...recordings.map((r) => r.end)), recordings[0].head.rate);
  const seek = (time: number) => playback.seek(time);
  const app = document.getElementById("app")!;
  const box = element("div", { class: "stage" });
  const theatre = element("section", { class: "theatre" }, box);
  app.replaceChildren(theatre);

  const theme = new ThemeSwitch();
  const stage = setStage(box, recordings, theme);
  const saving = new Saving(stage, playback, recordings.map((r) => r.head.name).join("-") || "stunt");
  const tools = new SceneTools(stage, saving.buttons);
  box.append(...tools.objects);
  if (tracks.length > 1) theatre.append(legend(tracks, seek));
  const timeline = new Timeline(playback, tracks);
  const transport = new Transport(playback, timeline);
  theatre.append(...stories(tracks, seek), transport.object);

  const plots = tracks.length ? new Plots(playback, tracks) : null;
  const help = helpButton([...transport.shortcuts, ...tools.shortcuts, ...saving.shortcuts, ...(plots?.shortcuts ?? []), ...theme.shortcuts]);
  app.prepend(titleBar(recordings, tracks, seek, [theme.button, help]));
  if (plots) {
    const heading = element("h2", {}, tracks.length > 1 ? "Comparison" : "Summary");
    app.append(element("aside", {}, plots.object));
    app.append(element("section", { class: "summary" }, heading, ...bodyMaps(tracks, seek), summaryTable(tracks, seek)));
  }
  return { tracks, playback, theme, stage, tools, timeline, transport, plots };
}

async function start(): Promise<void> {
  const recordings = await readRecordings();
  performance.mark("decoded");
  const { tracks, playback, theme, stage, tools, timeline, transport, plots } = layOut(recordings);

  let moved = false;
  let wanted = true; // a picture is needed even when nothing plays
  const want = () => (wanted = true);
  stage.onNeedsDraw = want;
  window.addEventListener("resize", want);
  playback.onChange = () => {
    transport.showState();
    stage.setMoving(playback.playing);
    want();
  };
  theme.onChange = () => {
    stage.setTheme(theme.theme);
    timeline.draw();
    plots?.rebuild();
    want();
  };

  const frames = recordings.map((r) => makeFrame(r.model));
  const setFrames = () => {
    recordings.forEach((recording, i) => {
      recording.fill(playback.time, frames[i]);
      stage.setFrame(i, frames[i]);
    });
  };
  const onFrame = (now: number) => {
    moved = playback.tick(now) || moved;
    if ((moved || wanted) && stage.ready) {
      if (moved) stage.notePace(now);
      const force = wanted;
      moved = wanted = false;
      setFrames();
      stage.draw();
      transport.showTime();
      plots?.update(force);
    }
    requestAnimationFrame(onFrame);
  };
  playback.time = tellingMoment(tracks);
  setFrames();
  stage.setView("corner");
  if (recordings.length > 1) tools.toggleLayout();
  timeline.draw();
  requestAnimationFrame((now) => {
    onFrame(now);
    document.documentElement.dataset.ready = "true";
    performance.mark("ready");
    setTimeout(() => plots?.build(), 0);
    // It plays at once, except for those who asked their system for less motion.
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) playback.toggle();
  });
  // For tests, and for the curious in the console.
  Object.assign(window, { stunt: { playback, stage, recordings, frames, idle: () => !wanted && !moved && stage.ready } });
}

start().catch((problem: Error) => {
  const app = document.getElementById("app")!;
  app.replaceChildren(element("p", { class: "loading" }, `This recording cannot be shown: ${problem.message}`));
  console.error(problem);
});
