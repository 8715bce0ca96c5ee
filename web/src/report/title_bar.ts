// The top of the page: what was run, by what, and how it ended.
import type { RecordingData } from "../data";
import { element } from "./dom";
import { verdictBadge } from "./summary";
import type { Track } from "./tracks";

export function titleBar(
  recordings: RecordingData[], tracks: Track[], seek: (t: number) => void, buttons: HTMLElement[],
): HTMLElement {
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
  bar.append(element("div", { class: "corner" }, ...buttons));
  return bar;
}
