// The time line: the whole run at a glance. How far off the character was, when its feet were down, what hit it, where it
// practised and where it fell; and the handle to go anywhere.
import { channelOf } from "../../generated/page_format";
import { cell } from "../data";
import { cssColor, element } from "./dom";
import type { Playback } from "./playback";
import { causeOf, fallOf, summaryOf, type Track } from "./tracks";

const footForce = 20; // N: more than this and the foot counts as down
const stateBar = 9; // pixels

export class Timeline {
  readonly object: HTMLElement;
  private readonly canvas = element("canvas");
  private readonly head = element("div", { class: "playhead" });
  private readonly marks = element("div", { class: "marks" });
  private width = 1;

  constructor(
    private readonly playback: Playback,
    private readonly tracks: Track[],
  ) {
    this.object = element(
      "div",
      {
        class: "timeline", role: "slider", tabindex: "0", "aria-label": "Time", "aria-valuemin": "0",
        "aria-valuemax": playback.end.toFixed(2),
      },
      this.canvas, this.marks, this.head,
    );
    const seek = (event: PointerEvent) => {
      const box = this.object.getBoundingClientRect();
      playback.seek(((event.clientX - box.left) / box.width) * playback.end);
    };
    this.object.addEventListener("pointerdown", (event) => {
      if ((event.target as HTMLElement).closest(".mark")) return;
      this.object.setPointerCapture(event.pointerId);
      seek(event);
      this.object.addEventListener("pointermove", seek);
    });
    for (const end of ["pointerup", "pointercancel"] as const) {
      this.object.addEventListener(end, () => this.object.removeEventListener("pointermove", seek));
    }
    this.addMarks();
    new ResizeObserver(() => this.draw()).observe(this.object);
  }

  private addMarks(): void {
    const add = (time: number, kind: string, text: string) => {
      const mark = element("button", { class: `mark ${kind}`, title: text, "aria-label": text, tabindex: "-1" });
      mark.style.left = `${(100 * time) / Math.max(1e-9, this.playback.end)}%`;
      mark.addEventListener("click", () => this.playback.seek(time));
      this.marks.append(mark);
    };
    const pushes = new Set(this.tracks.flatMap((t) => t.recording.head.pushes));
    for (const time of pushes) if (time <= this.playback.end) add(time, "push", `Disturbance at ${time.toFixed(2)} s`);
    for (const track of this.tracks) {
      const cause = causeOf(track);
      if (cause) add(cause.time, "cause", cause.text);
      const fall = fallOf(track);
      for (const span of summaryOf(track).rehearsed?.where ?? []) {
        const text = `${track.label} practised from ${span.from_s.toFixed(2)} to ${span.to_s.toFixed(2)} s`;
        const end = Math.max(1e-9, this.playback.end);
        const bar = element("div", { class: "practised", title: text });
        bar.style.left = `${(100 * span.from_s) / end}%`;
        bar.style.width = `${(100 * (Math.min(span.to_s, end) - span.from_s)) / end}%`;
        this.marks.append(bar);
      }
      if (fall) add(fall.time, "fall", `${track.label} fell at ${fall.time.toFixed(2)} s: ${fall.reason}`);
    }
  }

  draw(): void {
    const ratio = window.devicePixelRatio;
    const width = (this.width = Math.max(1, this.object.clientWidth));
    const height = Math.max(1, this.object.clientHeight);
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const pen = this.canvas.getContext("2d")!;
    pen.scale(ratio, ratio);
    const shown = this.tracks.slice(0, 4);
    const feet = 4; // pixels per foot
    const bands = shown.length * (2 * feet + 4) + 2 + shown.filter((t) => statesOf(t).length).length * stateBar;
    const curveHeight = height - bands - 14;
    const worst = Math.max(0.1, ...shown.map((t) => largest(t)));
    const x = (time: number) => (time / Math.max(1e-9, this.playback.end)) * width;

    pen.font = "10px system-ui, sans-serif";
    pen.fillStyle = cssColor("--faint");
    const every = niceStep(this.playback.end, width / 80);
    for (let t = 0; t <= this.playback.end + 1e-9; t += every) {
      pen.globalAlpha = 0.35;
      pen.fillRect(Math.round(x(t)), 0, 1, height - 12);
      pen.globalAlpha = 1;
      const text = every < 1 ? t.toFixed(1) : t.toFixed(0);
      pen.textAlign = t === 0 ? "left" : x(t) > width - 14 ? "right" : "center";
      pen.fillText(`${text} s`, Math.min(width - 1, x(t) + (t === 0 ? 1 : 0)), height - 2);
    }

    let top = curveHeight + 4;
    shown.forEach((track) => {
      const time = track.recording.time;
      const error = track.recording.error[track.actor];
      pen.fillStyle = pen.strokeStyle = track.color;
      pen.globalAlpha = shown.length > 1 ? 0.12 : 0.22;
      pen.beginPath();
      pen.moveTo(0, curveHeight);
      // One point per pixel: the largest error of the rows it covers.
      let row = 0;
      const line: [number, number][] = [];
      for (let px = 0; px <= width && row < time.length; ++px) {
        const until = ((px + 1) / width) * this.playback.end;
        let most = -1;
        while (row < time.length && time[row] <= until) most = Math.max(most, cell(error, row++, channelOf.error.mean_angle));
        if (most >= 0) line.push([px, curveHeight - (most / worst) * (curveHeight - 4)]);
      }
      for (const [px, py] of line) pen.lineTo(px, py);
      if (line.length) pen.lineTo(line[line.length - 1][0], curveHeight);
      pen.fill();
      pen.globalAlpha = 0.9;
      pen.lineWidth = 1.2;
      pen.beginPath();
      line.forEach(([px, py], k) => (k ? pen.lineTo(px, py) : pen.moveTo(px, py)));
      pen.stroke();

      const force = track.recording.force[track.actor];
      for (const [band, foot] of [channelOf.force.left_foot, channelOf.force.right_foot].entries()) {
        pen.globalAlpha = band === 0 ? 0.55 : 0.95;
        let from = -1;
        for (let r = 0; r <= time.length; ++r) {
          const down = r < time.length && cell(force, r, foot) > footForce;
          if (down && from < 0) from = time[r];
          if (!down && from >= 0) {
            const to = time[Math.min(r, time.length - 1)];
            pen.fillRect(x(from), top, Math.max(1, x(to) - x(from)), feet);
            from = -1;
          }
        }
        top += feet + 1;
      }
      top += 2;
      pen.globalAlpha = 1;
      if (statesOf(track).length) {
        for (const span of statesOf(track)) {
          pen.fillStyle = stateColor(track, span.segment);
          pen.fillRect(x(span.from_s), top, Math.max(1, x(span.to_s) - x(span.from_s)), stateBar - 3);
        }
        top += stateBar;
      }
    });
    this.update();
  }

  update(): void {
    this.head.style.transform = `translateX(${(this.playback.time / Math.max(1e-9, this.playback.end)) * this.width}px)`;
    this.object.setAttribute("aria-valuenow", this.playback.time.toFixed(2));
  }
}

// What a routine played: one colour for each of its segments, the first one, which it plays most, faint.
function statesOf(track: Track) {
  return summaryOf(track).states ?? [];
}

function stateColor(track: Track, segment: string): string {
  const names = [...new Set(statesOf(track).map((span) => span.segment))];
  const index = names.indexOf(segment);
  return index === 0 ? cssColor("--line") : `hsl(${Math.round((360 * (index - 1)) / Math.max(1, names.length - 1))} 65% 50%)`;
}

function largest(track: Track): number {
  const error = track.recording.error[track.actor];
  let most = 0;
  for (let row = 0; row < error.rows; ++row) most = Math.max(most, cell(error, row, channelOf.error.mean_angle));
  return most;
}

function niceStep(range: number, parts: number): number {
  const raw = Math.max(1e-6, range) / Math.max(1, parts);
  const power = 10 ** Math.floor(Math.log10(raw));
  return power * ([1, 2, 5].find((m) => m * power >= raw) ?? 10);
}
