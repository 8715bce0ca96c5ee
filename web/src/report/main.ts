// The report: recordings out of the page itself, a scene, a clock, curves and numbers.
import "uplot/dist/uPlot.min.css";
import "./style.css";
import { RecordingData } from "../data";
import { makeFrame } from "../scene/model";
import { Stage, type Layers, type ViewName } from "../scene/stage";
import { darkTheme, lightTheme } from "../scene/theme";
import { element, icon } from "./dom";
import { helpDialog, listen, type Shortcut } from "./keys";
import { Player, speeds } from "./player";
import { Plots } from "./plots";
import { summaryTable, verdictBadge } from "./summary";
import { Timeline } from "./timeline";
import { tracksOf, type Track } from "./tracks";

const layerNames: [keyof Layers, string, string][] = [
  ["ghost", "Reference", "G"],
  ["forces", "Forces", "F"],
  ["com", "Centre of mass", "C"],
  ["support", "Support", "P"],
  ["torque", "Torque", "T"],
];
const viewNames: [ViewName, string][] = [["corner", "Corner"], ["front", "Front"], ["side", "Side"], ["top", "Top"]];

function titleBar(recordings: RecordingData[], tracks: Track[], seek: (t: number) => void, buttons: HTMLElement): HTMLElement {
  const [first] = recordings;
  const title = recordings.length === 1 ? first.head.name : `${recordings.length} recordings`;
  document.title = `${title} · Stunt`;
  const actor = tracks[0] && first.head.actors[tracks[0].actor];
  const facts = recordings.length > 1
    ? recordings.map((r) => r.label)
    : [...new Set([actor?.motion, actor?.controller, first.head.engine, `${first.end.toFixed(1)} s`])];
  const bar = element(
    "header", { class: "title" },
    element("span", { class: "brand" }, "Stunt"),
    element("h1", {}, title),
    element("p", { class: "facts" }, ...facts.filter((f) => f && f !== title).map((f) => element("span", {}, f!))),
  );
  if (tracks.length === 1) bar.append(verdictBadge(tracks[0], seek));
  bar.append(buttons);
  return bar;
}

function toggleButton(text: string, pressed: boolean, title: string, run: () => void): HTMLButtonElement {
  const button = element("button", { type: "button", class: "toggle", title, "aria-pressed": String(pressed) }, text);
  button.addEventListener("click", run);
  return button;
}

async function start(): Promise<void> {
  const app = document.getElementById("app")!;
  const sources = [...document.querySelectorAll<HTMLScriptElement>('script[type="application/x-stunt"]')];
  if (!sources.length) throw new Error("there is no recording in this page");
  const recordings = await Promise.all(sources.map((s) => RecordingData.read(s.textContent!, s.dataset.label ?? "")));
  for (const source of sources) source.remove(); // its text is decoded: let the memory go
  const tracks = tracksOf(recordings);
  const end = Math.max(...recordings.map((r) => r.end));
  const player = new Player(end, recordings[0].head.rate);

  // --- look ---
  const system = matchMedia("(prefers-color-scheme: dark)");
  let chosen: boolean | null = null; // null: as the system says
  const isDark = () => chosen ?? system.matches;
  const theme = () => (isDark() ? darkTheme : lightTheme);
  const applyTheme = () => {
    document.documentElement.dataset.theme = isDark() ? "dark" : "light";
    stage.setTheme(theme());
    timeline.draw();
    plots?.rebuild();
    wanted = true;
  };
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";

  // --- scene ---
  const box = element("div", { class: "stage" });
  const labels = element("div", { class: "viewport-labels" });
  const theatre = element("section", { class: "theatre" }, box);
  app.replaceChildren(theatre);
  const stage = new Stage(box, theme());
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
  stage.setModels(models, recordings[0].heading());
  const frames = recordings.map((r) => makeFrame(r.model));
  let moved = false;
  let wanted = true; // a picture is needed even when nothing plays
  const show = () => {
    recordings.forEach((r, i) => {
      r.fill(player.time, frames[i]);
      stage.setFrame(i, frames[i]);
    });
  };

  // --- controls over the scene ---
  const viewButtons = viewNames.map(([view, text], i) =>
    toggleButton(text, false, `${text} view (${i + 1})`, () => setView(view)));
  const setView = (view: ViewName) => {
    stage.setView(view);
    wanted = true;
  };
  stage.onViewChange = (view) => {
    viewNames.forEach(([name], i) => viewButtons[i].setAttribute("aria-pressed", String(name === view)));
  };
  const layerButtons = layerNames.map(([name, text, key]) =>
    toggleButton(text, stage.layers[name], `${text} (${key})`, () => setLayer(name)));
  const scale = element("div", { class: "load-scale", hidden: "" }, element("span", {}, "torque 0 %"), element("i"), element("span", {}, "limit"));
  const setLayer = (name: keyof Layers) => {
    stage.layers[name] = !stage.layers[name];
    layerNames.forEach(([n], i) => layerButtons[i].setAttribute("aria-pressed", String(stage.layers[n])));
    scale.hidden = !stage.layers.torque;
    stage.applyLayers();
    wanted = true;
  };
  const followButton = toggleButton("Follow", true, "The camera follows the character (V)", () => setFollow());
  const setFollow = () => {
    stage.followed = !stage.followed;
    stage.recentre();
    followButton.setAttribute("aria-pressed", String(stage.followed));
    wanted = true;
  };
  let sideBySide = false;
  const layoutButton = toggleButton("Side by side", false, "Overlay or side by side (O)", () => setLayout());
  const setLayout = () => {
    sideBySide = !sideBySide;
    layoutButton.setAttribute("aria-pressed", String(sideBySide));
    stage.setLayout(sideBySide ? "side-by-side" : "overlay");
    const pressed = viewButtons.findIndex((b) => b.getAttribute("aria-pressed") === "true");
    if (pressed >= 0) stage.setView(viewNames[pressed][0]);
    wanted = true;
  };
  box.append(
    element("div", { class: "tools" },
      element("div", { class: "tool-group", "aria-label": "Camera" }, ...viewButtons, followButton),
      element("div", { class: "tool-group", "aria-label": "Show" }, ...layerButtons, layoutButton)),
    scale,
  );
  if (tracks.length > 1) {
    box.append(element("ul", { class: "cast" }, ...tracks.map((t) => {
      const chip = element("i", { class: "chip" });
      chip.style.setProperty("--color", t.color);
      return element("li", {}, chip, element("span", {}, t.label), verdictBadge(t, (time) => player.seek(time)));
    })));
  }

  // --- transport ---
  const playButton = element("button", { type: "button", class: "round play", title: "Play or pause (space)", "aria-label": "Play" }, icon("play"));
  playButton.addEventListener("click", () => player.toggle());
  const stepButton = (by: number) => {
    const name = by < 0 ? "Back one frame" : "On one frame";
    const button = element("button", { type: "button", class: "round", title: `${name} (${by < 0 ? "←" : "→"})`, "aria-label": name }, icon(by < 0 ? "back" : "forward"));
    button.addEventListener("click", () => player.step(by));
    return button;
  };
  const clock = element("output", { class: "clock" });
  const speed = element("select", { class: "speed", title: "Speed (, and .)", "aria-label": "Speed" },
    ...speeds.map((s) => element("option", { value: String(s) }, `${s}×`)));
  speed.addEventListener("change", () => player.setSpeed(Number(speed.value)));
  const loop = element("button", { type: "button", class: "round", title: "Play in a loop (L)", "aria-label": "Loop", "aria-pressed": "true" }, icon("loop"));
  loop.addEventListener("click", () => player.setLoop(!player.loop));
  const timeline = new Timeline(player, tracks);
  theatre.append(
    element("div", { class: "transport" }, stepButton(-1), playButton, stepButton(1), clock, timeline.object, speed, loop),
  );

  // --- around it ---
  const themeButton = element("button", { type: "button", class: "round", title: "Light or dark (D)", "aria-label": "Light or dark" }, icon("theme"));
  const setTheme = () => {
    chosen = !isDark();
    applyTheme();
  };
  themeButton.addEventListener("click", setTheme);
  const helpButton = element("button", { type: "button", class: "round", title: "Keyboard shortcuts (?)", "aria-label": "Keyboard shortcuts" }, icon("help"));
  const corner = element("div", { class: "corner" }, themeButton, helpButton);
  const seek = (time: number) => player.seek(time);
  app.prepend(titleBar(recordings, tracks, seek, corner));
  const plots = tracks.length ? new Plots(player, tracks) : null;
  if (plots) {
    app.append(element("aside", {}, plots.object));
    app.append(element("section", { class: "summary" }, element("h2", {}, tracks.length > 1 ? "Comparison" : "Summary"), summaryTable(tracks, seek)));
  }

  const shortcuts: Shortcut[] = [
    { keys: [" ", "k"], shown: "Space", text: "Play or pause", run: () => player.toggle() },
    { keys: ["ArrowLeft"], shown: "←", text: "Back one frame", run: () => player.step(-1) },
    { keys: ["ArrowRight"], shown: "→", text: "On one frame", run: () => player.step(1) },
    { keys: ["Shift+ArrowLeft"], shown: "Shift ←", text: "Back one second", run: () => player.seek(player.time - 1) },
    { keys: ["Shift+ArrowRight"], shown: "Shift →", text: "On one second", run: () => player.seek(player.time + 1) },
    { keys: ["Home"], shown: "Home", text: "To the start", run: () => player.seek(0) },
    { keys: ["End"], shown: "End", text: "To the end", run: () => player.seek(player.end) },
    { keys: [","], shown: ",", text: "Slower", run: () => player.faster(-1) },
    { keys: ["."], shown: ".", text: "Faster", run: () => player.faster(1) },
    { keys: ["l"], shown: "L", text: "Loop", run: () => player.setLoop(!player.loop) },
    ...viewNames.map(([view, text], i): Shortcut => ({
      keys: [String(i + 1)], shown: String(i + 1), text: `${text} view`, run: () => setView(view),
    })),
    { keys: ["v"], shown: "V", text: "Camera follows", run: setFollow },
    { keys: ["o"], shown: "O", text: "Overlay or side by side", run: setLayout },
    ...layerNames.map(([name, text, key]): Shortcut => ({
      keys: [key.toLowerCase()], shown: key, text, run: () => setLayer(name),
    })),
    { keys: ["[", "]"], shown: "[ ]", text: "Another joint in the plots", run: (e) => plots?.nextJoint(e.key === "]" ? 1 : -1) },
    { keys: ["d"], shown: "D", text: "Light or dark", run: setTheme },
    { keys: ["?"], shown: "?", text: "This help", run: () => (help.open ? help.close() : help.showModal()) },
  ];
  const help = helpDialog(shortcuts);
  document.body.append(help);
  helpButton.addEventListener("click", () => help.showModal());
  listen(shortcuts);

  // --- run ---
  const showState = () => {
    const name = player.playing ? "pause" : "play";
    playButton.replaceChildren(icon(name));
    playButton.setAttribute("aria-label", player.playing ? "Pause" : "Play");
    speed.value = String(player.speed);
    loop.setAttribute("aria-pressed", String(player.loop));
    wanted = true;
  };
  player.onChange = showState;
  stage.onNeedsDraw = () => (wanted = true);
  system.addEventListener("change", applyTheme);
  window.addEventListener("resize", () => (wanted = true));
  const long = end >= 60;
  const clockText = (t: number) => (long ? `${Math.floor(t / 60)}:${(t % 60).toFixed(2).padStart(5, "0")}` : t.toFixed(2));
  const refresh = (force: boolean) => {
    show();
    stage.draw();
    timeline.update();
    plots?.update(force);
    const text = `${clockText(player.time)} / ${clockText(end)} s`;
    if (clock.textContent !== text) clock.textContent = text;
  };
  const loopFrame = (now: number) => {
    moved = player.tick(now) || moved;
    if ((moved || wanted) && stage.ready) {
      if (moved) stage.notePace(now);
      const force = wanted;
      moved = wanted = false;
      refresh(force);
    }
    requestAnimationFrame(loopFrame);
  };
  show();
  stage.setView("corner");
  if (recordings.length > 1) setLayout();
  timeline.draw();
  showState();
  requestAnimationFrame((now) => {
    loopFrame(now);
    document.documentElement.dataset.ready = "true";
    performance.mark("ready");
    setTimeout(() => plots?.build(), 0);
  });
  // For tests, and for the curious in the console.
  Object.assign(window, { stunt: { player, stage, recordings, idle: () => !wanted && !moved && stage.ready } });
}

start().catch((problem: Error) => {
  const app = document.getElementById("app")!;
  app.replaceChildren(element("p", { class: "loading" }, `This recording cannot be shown: ${problem.message}`));
  console.error(problem);
});
