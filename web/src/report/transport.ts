// The row under the scene: play, step, the time, the time line, speed and loop.
import { element, icon, press, roundButton } from "./dom";
import type { Shortcut } from "./keys";
import { speeds, type Playback } from "./playback";
import type { Timeline } from "./timeline";

export class Transport {
  readonly object: HTMLElement;
  readonly shortcuts: Shortcut[];
  private readonly playButton: HTMLButtonElement;
  private readonly loopButton: HTMLButtonElement;
  private readonly clock = element("output", { class: "clock" });
  private readonly speed = element("select", { class: "speed", title: "Speed (, and .)", "aria-label": "Speed" },
    ...speeds.map((s) => element("option", { value: String(s) }, `${s}×`)));

  constructor(
    private readonly playback: Playback,
    private readonly timeline: Timeline,
  ) {
    this.playButton = roundButton("play", "Play", "space", () => playback.toggle());
    this.playButton.classList.add("play");
    this.playButton.title = "Play or pause (space)";
    this.loopButton = roundButton("loop", "Loop", "L", () => playback.setLoop(!playback.loop));
    this.speed.addEventListener("change", () => playback.setSpeed(Number(this.speed.value)));
    const back = roundButton("back", "Back one frame", "←", () => playback.step(-1));
    const forward = roundButton("forward", "On one frame", "→", () => playback.step(1));
    this.object = element("div", { class: "transport" },
      back, this.playButton, forward, this.clock, timeline.object, this.speed, this.loopButton);
    this.shortcuts = [
      { keys: [" ", "k"], shown: "Space", text: "Play or pause", run: () => playback.toggle() },
      { keys: ["ArrowLeft"], shown: "←", text: "Back one frame", run: () => playback.step(-1) },
      { keys: ["ArrowRight"], shown: "→", text: "On one frame", run: () => playback.step(1) },
      { keys: ["Shift+ArrowLeft"], shown: "Shift ←", text: "Back one second", run: () => playback.seek(playback.time - 1) },
      { keys: ["Shift+ArrowRight"], shown: "Shift →", text: "On one second", run: () => playback.seek(playback.time + 1) },
      { keys: ["Home"], shown: "Home", text: "To the start", run: () => playback.seek(0) },
      { keys: ["End"], shown: "End", text: "To the end", run: () => playback.seek(playback.end) },
      { keys: [","], shown: ",", text: "Slower", run: () => playback.faster(-1) },
      { keys: ["."], shown: ".", text: "Faster", run: () => playback.faster(1) },
      { keys: ["l"], shown: "L", text: "Loop", run: () => playback.setLoop(!playback.loop) },
    ];
    this.showState();
  }

  // After play, pause, speed or loop has changed.
  showState(): void {
    const { playing, speed, loop } = this.playback;
    this.playButton.replaceChildren(icon(playing ? "pause" : "play"));
    this.playButton.setAttribute("aria-label", playing ? "Pause" : "Play");
    this.speed.value = String(speed);
    press(this.loopButton, loop);
  }

  // After the time has changed.
  showTime(): void {
    const { time, end } = this.playback;
    const text = `${this.clockText(time)} / ${this.clockText(end)} s`;
    if (this.clock.textContent !== text) this.clock.textContent = text;
    this.timeline.update();
  }

  private clockText(t: number): string {
    if (this.playback.end < 60) return t.toFixed(2);
    return `${Math.floor(t / 60)}:${(t % 60).toFixed(2).padStart(5, "0")}`;
  }
}
