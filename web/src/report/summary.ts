// The numbers of summary.json with their units, one column per character.
import type { Summary } from "../../generated/page_format";
import { element } from "./dom";
import { fallOf, summaryOf, type Track } from "./tracks";

type Row = {
  title: string;
  note: string;
  value: (s: Partial<Summary>) => number | null | undefined;
  show: (x: number) => string;
  better?: "low" | "high";
};

const degrees = 180 / Math.PI;
const fixed = (digits: number, unit: string, scale = 1) => (x: number) => `${(x * scale).toFixed(digits)} ${unit}`;

// docs/realism.md has all its fields.
type RealismWords = { kappa?: number; lambda?: number; muscles?: number; verdict?: string[] };
const realismOf = (s: Partial<Summary>) => (s.realism ?? {}) as RealismWords;

const rows: Row[] = [
  { title: "Simulated", note: "of the time asked for", value: (s) => s.simulated_s, show: fixed(2, "s") },
  { title: "Joint error, mean", note: "angle between simulated and reference joint", value: (s) => s.joint_error_rad?.mean, show: fixed(1, "°", degrees), better: "low" },
  { title: "Joint error, worst", note: "over all joints and times, up to a fall", value: (s) => s.joint_error_rad?.max, show: fixed(1, "°", degrees), better: "low" },
  { title: "Position error", note: "mean distance of joint centres from the reference", value: (s) => s.mpjpe_m?.global, show: fixed(1, "cm", 100), better: "low" },
  { title: "Pose error", note: "the same relative to the root and its heading", value: (s) => s.mpjpe_m?.root_relative, show: fixed(1, "cm", 100), better: "low" },
  { title: "Balance error", note: "centre of mass over the support, off the reference", value: (s) => s.com_error_m?.mean, show: fixed(1, "cm", 100), better: "low" },
  { title: "Roughness", note: "jerk relative to the actor's: 1 is as smooth, above 3 shakes", value: (s) => s.roughness, show: fixed(2, "×"), better: "low" },
  { title: "Foot skate", note: "speed of loaded feet over the ground", value: (s) => s.foot_skate_m_s, show: fixed(1, "cm/s", 100), better: "low" },
  { title: "Physics error κ", note: "0: gravity and ground explain all of it; captures have up to 0.10", value: (s) => realismOf(s).kappa, show: fixed(3, ""), better: "low" },
  { title: "Muscle error λ", note: "up to 0.003 an average adult is strong enough", value: (s) => (realismOf(s).muscles ? realismOf(s).lambda : null), show: fixed(4, ""), better: "low" },
  { title: "Injury", note: "mean of all measures: 1 is where serious injury becomes likely", value: (s) => s.injury?.d_avg, show: fixed(2, "× the limit"), better: "low" },
  { title: "Unphysical help", note: "mean force on the root from outside", value: (s) => s.assist?.mean_force_n, show: fixed(0, "N"), better: "low" },
  { title: "Speed", note: "simulated seconds per second, one core", value: (s) => s.realtime_factor, show: fixed(1, "× real time"), better: "high" },
  { title: "Controller", note: "per engine step", value: (s) => s.controller_us_per_step, show: fixed(0, "µs"), better: "low" },
  { title: "Engine", note: "per step", value: (s) => s.engine_us_per_step, show: fixed(0, "µs"), better: "low" },
  { title: "Plan, mean", note: "building and solving one plan", value: (s) => s.plan_us?.mean, show: fixed(0, "µs"), better: "low" },
  { title: "Plan, 99 of 100", note: "are quicker than this", value: (s) => s.plan_us?.p99, show: fixed(0, "µs"), better: "low" },
  { title: "Plans relaxed", note: "could not be met as asked", value: (s) => (s.plan_us ? s.plans_relaxed : null), show: (x) => `${x}`, better: "low" },
];

export type Verdict = { kind: "good" | "bad" | "neutral"; text: string; reason: string; time?: number };

export function verdictOf(track: Track): Verdict {
  const { diverged } = track.recording.head;
  const fall = fallOf(track);
  if (diverged) return { kind: "bad", text: "Diverged", reason: diverged };
  if (fall) return { kind: "bad", text: `Fell at ${fall.time.toFixed(2)} s`, reason: fall.reason, time: fall.time };
  const summary = summaryOf(track);
  if (summary.stumbled_at_s != null) {
    const time = summary.stumbled_at_s;
    return { kind: "neutral", text: `Stumbled at ${time.toFixed(2)} s`, reason: summary.stumble_reason ?? "", time };
  }
  if (summary.tracked) return { kind: "good", text: "Tracked", reason: "the motion was followed to its end" };
  const completed = summary.completed ?? track.recording.end >= track.recording.head.duration - 0.02;
  return completed
    ? { kind: "good", text: "Completed", reason: "the motion was followed to its end" }
    : { kind: "neutral", text: "Stopped early", reason: `at ${track.recording.end.toFixed(2)} s` };
}

export function verdictBadge(track: Track, seek: (time: number) => void): HTMLElement {
  const verdict = verdictOf(track);
  const badge = element("button", { class: `verdict ${verdict.kind}`, title: verdict.reason, type: "button" }, verdict.text);
  if (verdict.time === undefined) badge.disabled = true;
  else badge.addEventListener("click", () => seek(Math.max(0, verdict.time! - 0.6)));
  return badge;
}

function words(track: Track): [string, string][] {
  const { head } = track.recording;
  const actor = head.actors[track.actor];
  const list: [string, string][] = [
    ["Motion", actor.motion],
    ["Character", `${actor.character}${actor.mass ? `, ${actor.mass.toFixed(0)} kg` : ""}`],
    ["Controller", actor.preset ? `${actor.controller} (${actor.preset})` : actor.controller],
    ["Engine", `${head.engine}, ${+(1000 * head.timestep).toPrecision(3)} ms`],
    ["Seed", String(head.seed)],
  ];
  return list.filter(([, value]) => value);
}

function rehearsedText(summary: Partial<Summary>): string {
  const { rehearsed } = summary;
  if (!rehearsed) return "";
  const where = rehearsed.where.map((span) => `${span.from_s.toFixed(2)} to ${span.to_s.toFixed(2)} s`).join(", ") || "nothing changed";
  return rehearsed.rollouts == null ? where : `${where}; ${rehearsed.rollouts} rollouts in ${(rehearsed.wall_s ?? 0).toFixed(1)} s`;
}

export function summaryTable(tracks: Track[], seek: (time: number) => void): HTMLElement {
  const summaries = tracks.map(summaryOf);
  const comparing = tracks.length > 1;
  const table = element("table", comparing ? {} : { class: "single" });
  if (comparing) {
    const head = element("tr", {}, element("th"));
    for (const track of tracks) {
      const chip = element("i", { class: "chip" });
      chip.style.setProperty("--color", track.color);
      head.append(element("th", { scope: "col" }, chip, track.label));
    }
    table.append(element("thead", {}, head));
  }
  const body = element("tbody");
  const line = (title: string, note: string, cells: (Node | string)[], best = -1) => {
    const row = element("tr", {}, element("th", { scope: "row" }, title, element("small", {}, note)));
    cells.forEach((cell, i) => row.append(element("td", i === best ? { class: "best" } : {}, cell)));
    body.append(row);
  };
  line("Result", "", tracks.map((t) => {
    const verdict = verdictOf(t);
    return element("div", {}, verdictBadge(t, seek), verdict.kind === "good" ? "" : element("small", {}, verdict.reason));
  }));
  if (summaries.some((s) => s.why)) line("Why", "what went wrong first", summaries.map((s) => s.why ?? ""));
  if (summaries.some((s) => s.rehearsed)) line("Rehearsed", "where it practised", summaries.map((s) => rehearsedText(s)));
  const told = tracks.map(words);
  told[0].forEach(([title], i) => line(title, "", told.map((w) => w[i]?.[1] ?? "")));
  for (const row of rows) {
    const values = summaries.map((s) => row.value(s) ?? null);
    if (values.every((v) => v === null) || (row.title === "Unphysical help" && values.every((v) => !v))) continue;
    let best = -1;
    if (comparing && row.better) {
      const sign = row.better === "low" ? 1 : -1;
      values.forEach((v, i) => {
        if (v !== null && (best < 0 || sign * v < sign * values[best]!)) best = i;
      });
      if (values.every((v) => v === values[0])) best = -1;
    }
    line(row.title, row.note, values.map((v) => (v === null ? "–" : row.show(v))), best);
  }
  const sentences = (list: string[] | undefined) => element("ul", { class: "notes" }, ...(list ?? []).map((text) => element("li", {}, text)));
  if (summaries.some((s) => realismOf(s).verdict?.length)) line("Realism", "could a human do it?", summaries.map((s) => sentences(realismOf(s).verdict)));
  if (summaries.some((s) => s.warnings?.length)) line("Warnings", "", summaries.map((s) => sentences(s.warnings)));
  if (summaries.some((s) => s.notes?.length)) line("Notes", "how the motion was read", summaries.map((s) => sentences(s.notes)));
  table.append(body);
  return table;
}
