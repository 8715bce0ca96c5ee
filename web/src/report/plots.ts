// Curves beside the scene, tied to the play head. Drag in a plot to go somewhere, turn the wheel to look closer.
import uPlot from "uplot";
import { channelOf, type Joint } from "../../generated/page_format";
import { cell, type Table } from "../data";
import { cssColor, element } from "./dom";
import type { Shortcut } from "./keys";
import type { Playback } from "./playback";
import type { Track } from "./tracks";

type Curve = { label: string; color: string; values: (number | null)[] | Float32Array; dashed?: boolean; thin?: boolean };
type Content = { curves: Curve[]; unit: string; digits: number; limit?: number; band?: number };

const degrees = 180 / Math.PI;

type Choice = { text: string; joint: string; component: number };

// One plot with its title, its values at the play head, and its curves.
class Plot {
  readonly object: HTMLElement;
  private readonly values = element("div", { class: "plot-values" });
  private readonly box = element("div", { class: "plot-box" });
  private readonly head = element("div", { class: "playhead" });
  private plot: uPlot | null = null;
  private content: Content | null = null;
  private outputs: HTMLElement[] = [];

  constructor(
    name: string,
    title: string | HTMLElement,
    private readonly make: () => Content,
    private readonly time: Float32Array,
    private readonly playback: Playback,
    private readonly group: Plots,
  ) {
    this.object = element(
      "section", { class: "plot", "data-plot": name },
      element("header", {}, element("h3", {}, title), this.values), this.box,
    );
  }

  build(): void {
    this.plot?.destroy();
    const content = (this.content = this.make());
    this.values.replaceChildren();
    this.outputs = content.curves.map((curve) => {
      const output = element("b");
      const chip = element("i", { class: curve.dashed ? "chip dashed" : "chip" });
      chip.style.setProperty("--color", curve.color);
      this.values.append(element("span", { class: "value" }, chip, `${curve.label} `, output));
      return output;
    });
    const axis = { stroke: cssColor("--muted"), grid: { stroke: cssColor("--line"), width: 1 }, ticks: { show: false }, font: "10px system-ui, sans-serif" };
    const { limit, band } = content;
    this.plot = new uPlot(
      {
        width: Math.max(100, this.box.clientWidth),
        height: 104,
        padding: [6, 16, 0, 0],
        legend: { show: false },
        cursor: { show: false },
        scales: {
          x: { time: false },
          y: { range: (_u, low, high) => this.range(low, band && high !== null ? Math.max(high, 1.5 * band) : high) },
        },
        axes: [
          { ...axis, size: 20, gap: 3, space: 60, values: (_u, ticks) => ticks.map((t) => `${+t.toFixed(2)} s`) },
          { ...axis, size: 42, gap: 4, space: 20 },
        ],
        series: [
          {},
          ...content.curves.map((curve) => ({
            stroke: curve.color,
            width: curve.thin ? 1 : 1.6,
            dash: curve.dashed ? [5, 4] : undefined,
            points: { show: false },
          })),
        ],
        hooks: {
          drawClear: [
            (u) => {
              if (!band) return;
              // What is usual: from zero up to here.
              const top = Math.max(u.bbox.top, u.valToPos(band, "y", true));
              const bottom = Math.min(u.bbox.top + u.bbox.height, u.valToPos(0, "y", true));
              u.ctx.save();
              u.ctx.fillStyle = cssColor("--good");
              u.ctx.globalAlpha = 0.16;
              u.ctx.fillRect(u.bbox.left, top, u.bbox.width, bottom - top);
              u.ctx.restore();
            },
          ],
          draw: [
            (u) => {
              if (!limit) return;
              u.ctx.save();
              u.ctx.strokeStyle = cssColor("--bad");
              u.ctx.globalAlpha = 0.6;
              u.ctx.setLineDash([2, 3]);
              for (const at of [limit, -limit]) {
                const y = u.valToPos(at, "y", true);
                if (y < u.bbox.top || y > u.bbox.top + u.bbox.height) continue;
                u.ctx.beginPath();
                u.ctx.moveTo(u.bbox.left, y);
                u.ctx.lineTo(u.bbox.left + u.bbox.width, y);
                u.ctx.stroke();
              }
              u.ctx.restore();
            },
          ],
        },
      },
      [this.time, ...content.curves.map((c) => c.values)] as unknown as uPlot.AlignedData,
      this.box,
    );
    const over = this.plot.over;
    over.append(this.head);
    const seek = (event: PointerEvent) => {
      const left = event.clientX - over.getBoundingClientRect().left;
      this.playback.seek(this.plot!.posToVal(left, "x"));
    };
    over.addEventListener("pointerdown", (event) => {
      over.setPointerCapture(event.pointerId);
      seek(event);
      over.addEventListener("pointermove", seek);
    });
    for (const end of ["pointerup", "pointercancel"] as const) {
      over.addEventListener(end, () => over.removeEventListener("pointermove", seek));
    }
    over.addEventListener(
      "wheel",
      (event) => {
        if (!event.ctrlKey && !event.shiftKey && Math.abs(event.deltaX) < Math.abs(event.deltaY) && !this.group.zoomed && event.deltaY > 0) return;
        event.preventDefault();
        const at = this.plot!.posToVal(event.clientX - over.getBoundingClientRect().left, "x");
        this.group.zoom(at, Math.exp(0.002 * event.deltaY));
      },
      { passive: false },
    );
    over.addEventListener("dblclick", () => this.group.zoom(0, Infinity));
    this.setRange(this.group.from, this.group.to);
    this.update(true);
  }

  private range(low: number | null, high: number | null): [number, number] {
    const bottom = low ?? 0;
    const top = high ?? 1;
    const room = Math.max(1e-3, 0.06 * (top - bottom));
    return [bottom >= 0 && bottom < 0.3 * top ? 0 : bottom - room, top + room];
  }

  setRange(from: number, to: number): void {
    this.plot?.setScale("x", { min: from, max: to });
  }

  resize(): void {
    this.plot?.setSize({ width: Math.max(100, this.box.clientWidth), height: 104 });
    this.update(true);
  }

  get built(): boolean {
    return this.plot !== null;
  }

  update(withValues: boolean): void {
    if (!this.plot || !this.content) return;
    const left = this.plot.valToPos(this.playback.time, "x");
    this.head.style.transform = `translateX(${left}px)`;
    this.head.style.visibility = left < -1 || left > this.plot.over.clientWidth + 1 ? "hidden" : "visible";
    if (!withValues) return;
    const row = this.group.rowAt(this.playback.time);
    this.content.curves.forEach((curve, i) => {
      const value = curve.values[row];
      const text = value === null || value === undefined ? "–" : `${value.toFixed(this.content!.digits)} ${this.content!.unit}`;
      if (this.outputs[i].textContent !== text) this.outputs[i].textContent = text;
    });
  }
}

export class Plots {
  readonly object = element("div", { class: "plots" });
  from = 0;
  to: number;
  private readonly plots: Plot[] = [];
  private readonly longest: Track;
  private readonly choices: Choice[];
  private readonly picker = element("select", { "aria-label": "Joint" });
  private lastValues = 0;
  readonly shortcuts: Shortcut[] = [
    { keys: ["[", "]"], shown: "[ ]", text: "Another joint in the plots", run: (e) => this.nextJoint(e.key === "]" ? 1 : -1) },
  ];

  constructor(
    private readonly playback: Playback,
    private readonly tracks: Track[],
  ) {
    this.to = playback.end || 1;
    this.longest = tracks.reduce((a, b) => (b.recording.end > a.recording.end ? b : a));
    this.choices = choicesOf(tracks[0]);
    for (const [i, choice] of this.choices.entries()) {
      this.picker.append(element("option", { value: String(i) }, choice.text));
    }
    const start = this.choices.findIndex((c) => /knee|shank|leg/i.test(c.text));
    this.picker.value = String(Math.max(0, start));
    this.picker.addEventListener("change", () => this.rebuildJoint());

    this.add("tracking", "Joint error", () => this.errorContent());
    this.add("position", "Position error", () => this.table((t) => t.recording.error[t.actor], channelOf.error.distance, 100, "cm", 1));
    if (this.choices.length) {
      this.add("joint", element("label", {}, "Joint ", this.picker), () => this.jointContent());
      if (tracks.some((t) => t.recording.torque[t.actor])) this.add("torque", "Its torque", () => this.torqueContent());
    }
    const judged = (t: Track) => t.recording.realism[t.actor];
    if (tracks.some(judged)) {
      this.add("kappa", titled("Physics error κ", "Support out of nowhere, in body weights; the band is captured walking"), () => this.realismContent("kappa", 3));
      if (tracks.some((t) => t.recording.head.actors[t.actor].muscles && judged(t) && !t.recording.movedByMuscles)) {
        this.add("lambda", titled("Muscle error λ", "Force beyond the muscles' strength, as a share of all strength; the band is captured walking"), () => this.realismContent("lambda", 4));
      }
    }
    this.add("forces", "Contact force", () => this.forceContent());
    if (tracks.some((t) => t.recording.planTime[t.actor].length)) this.add("plan", "Plan time", () => this.planContent());
    new ResizeObserver(() => this.plots.forEach((p) => p.resize())).observe(this.object);
  }

  private add(name: string, title: string | HTMLElement, make: () => Content): void {
    const plot = new Plot(name, title, make, this.longest.recording.time, this.playback, this);
    this.plots.push(plot);
    this.object.append(plot.object);
  }

  // One plot per idle moment, so that the scene is ready first and playing never waits for curves.
  build(): void {
    const next = () => {
      const plot = this.plots.find((p) => !p.built);
      if (!plot) return;
      plot.build();
      setTimeout(next, 0);
    };
    next();
  }

  rebuild(): void {
    for (const plot of this.plots) if (plot.built) plot.build();
  }

  private rebuildJoint(): void {
    for (const plot of this.plots) if (["joint", "torque"].includes(plot.object.dataset.plot!)) plot.build();
  }

  private nextJoint(by: number): void {
    const count = this.choices.length;
    if (!count) return;
    this.picker.value = String((Number(this.picker.value) + by + count) % count);
    this.rebuildJoint();
  }

  rowAt(time: number): number {
    return this.longest.recording.rowAt(time);
  }

  get zoomed(): boolean {
    return this.from > 0 || this.to < this.playback.end;
  }

  zoom(at: number, factor: number): void {
    const end = this.playback.end || 1;
    const width = Math.min(end, Math.max(0.2, (this.to - this.from) * factor));
    const share = (at - this.from) / (this.to - this.from);
    this.show(Number.isFinite(factor) ? at - share * width : 0, width);
  }

  private show(from: number, width: number): void {
    const end = this.playback.end || 1;
    this.from = Math.max(0, Math.min(end - width, from));
    this.to = this.from + width;
    for (const plot of this.plots) plot.setRange(this.from, this.to);
    this.update(true);
  }

  update(force: boolean): void {
    const now = performance.now();
    const values = force || now - this.lastValues > 100;
    if (values) this.lastValues = now;
    if (this.zoomed && (this.playback.time < this.from || this.playback.time > this.to)) {
      this.show(this.playback.time - 0.05 * (this.to - this.from), this.to - this.from);
      return;
    }
    for (const plot of this.plots) plot.update(values);
  }

  // As many rows as the longest recording; nothing after the end of a shorter one.
  private stretch(values: ArrayLike<number>, pick: (row: number) => number): (number | null)[] {
    const rows = this.longest.recording.time.length;
    return Array.from({ length: rows }, (_, row) => (row < values.length ? pick(row) : null));
  }

  private curve(table: Table, channel: number, scale: number): (number | null)[] {
    const rows = { length: table.rows };
    return this.stretch(rows as ArrayLike<number>, (row) => cell(table, row, channel) * scale);
  }

  private table(of: (t: Track) => Table, channel: number, scale: number, unit: string, digits: number): Content {
    return {
      curves: this.tracks.map((t) => ({ label: this.name(t), color: t.color, values: this.curve(of(t), channel, scale) })),
      unit,
      digits,
    };
  }

  private name(track: Track): string {
    return this.tracks.length === 1 ? "" : track.label;
  }

  private errorContent(): Content {
    if (this.tracks.length > 1) return this.table((t) => t.recording.error[t.actor], channelOf.error.mean_angle, degrees, "°", 1);
    const [track] = this.tracks;
    const error = track.recording.error[track.actor];
    return {
      curves: [
        { label: "mean", color: track.color, values: this.curve(error, channelOf.error.mean_angle, degrees) },
        { label: "worst joint", color: cssColor("--faint"), values: this.curve(error, channelOf.error.worst_angle, degrees), thin: true },
      ],
      unit: "°",
      digits: 1,
    };
  }

  private chosen(track: Track): { joint: Joint; component: number } | null {
    const choice = this.choices[Number(this.picker.value)];
    const joint = track.recording.head.actors[track.actor].joints.find((j) => j.name === choice.joint);
    return joint ? { joint, component: Math.min(choice.component, joint.type === "ball" ? 2 : 0) } : null;
  }

  private jointContent(): Content {
    const curves: Curve[] = [];
    let slide = false;
    for (const track of this.tracks) {
      const chosen = this.chosen(track);
      if (!chosen) continue;
      slide = chosen.joint.type === "slide";
      const scale = slide ? 100 : degrees;
      const both = track.recording.jointCurves(track.actor, chosen.joint);
      const values = (curve: Float32Array) => this.stretch(curve, (row) => curve[row] * scale);
      if (both.reference && (this.tracks.length === 1 || track === this.tracks[0])) {
        curves.push({ label: "reference", color: cssColor("--ghost"), values: values(both.reference[chosen.component]), dashed: true });
      }
      curves.push({ label: this.name(track) || "simulated", color: track.color, values: values(both.simulated[chosen.component]) });
    }
    return { curves, unit: slide ? "cm" : "°", digits: 1 };
  }

  private torqueContent(): Content {
    let limit: number | undefined;
    const curves = this.tracks.flatMap((track) => {
      const chosen = this.chosen(track);
      const torque = track.recording.torque[track.actor];
      if (!chosen || !torque) return [];
      limit = chosen.joint.limit || undefined;
      return [{ label: this.name(track), color: track.color, values: this.curve(torque, chosen.joint.dof + chosen.component, 1) }];
    });
    return { curves, unit: "Nm", digits: 0, limit };
  }

  private realismContent(what: "kappa" | "lambda", digits: number): Content {
    const curves: Curve[] = [];
    for (const track of this.tracks) {
      const own = track.recording.realism[track.actor];
      const reference = track.recording.referenceRealism[track.actor];
      const channel = channelOf.realism[what];
      if (reference && (this.tracks.length === 1 || track === this.tracks[0])) {
        curves.push({ label: "reference", color: cssColor("--ghost"), values: this.curve(reference, channel, 1), dashed: true });
      }
      if (own) curves.push({ label: this.name(track) || "simulated", color: track.color, values: this.curve(own, channel, 1) });
    }
    return { curves, unit: "", digits, band: this.tracks[0].recording.head.walking[what] };
  }

  private forceContent(): Content {
    if (this.tracks.length > 1) {
      return {
        curves: this.tracks.map((t) => {
          const { values, rows, channels } = t.recording.force[t.actor];
          const total = (row: number) => values.subarray(row * channels, (row + 1) * channels).reduce((sum, f) => sum + f, 0);
          return { label: this.name(t), color: t.color, values: this.stretch({ length: rows } as ArrayLike<number>, total) };
        }),
        unit: "N",
        digits: 0,
      };
    }
    const [track] = this.tracks;
    const force = track.recording.force[track.actor];
    const { left_foot, right_foot, rest } = channelOf.force;
    return {
      curves: [
        { label: "left", color: cssColor("--left"), values: this.curve(force, left_foot, 1) },
        { label: "right", color: track.color, values: this.curve(force, right_foot, 1) },
        { label: "rest", color: cssColor("--faint"), values: this.curve(force, rest, 1) },
      ],
      unit: "N",
      digits: 0,
    };
  }

  private planContent(): Content {
    return {
      curves: this.tracks.map((t) => {
        const plans = t.recording.planTime[t.actor];
        const rows = t.recording.time.length;
        const at = (row: number) => plans[Math.min(plans.length - 1, Math.floor((row * plans.length) / rows))];
        return { label: this.name(t), color: t.color, values: this.stretch({ length: plans.length ? rows : 0 } as ArrayLike<number>, at) };
      }),
      unit: "µs",
      digits: 0,
    };
  }
}

function titled(text: string, title: string): HTMLElement {
  return element("span", { title }, text);
}

function choicesOf(track: Track): Choice[] {
  return track.recording.head.actors[track.actor].joints.flatMap((joint) => {
    const name = joint.name.replace(/[_/]/g, " ");
    if (joint.type !== "ball") return [{ text: name, joint: joint.name, component: 0 }];
    return ["x", "y", "z"].map((axis, component) => ({ text: `${name} · ${axis}`, joint: joint.name, component }));
  });
}
