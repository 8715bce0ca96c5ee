// How badly a run hurts, on a figure seen from the front: each region in the colour of its worst measure, and a list of all
// that are not negligible, with their times; a click goes there.
import type { InjuryMeasure } from "../../generated/page_format";
import { element } from "./dom";
import { summaryOf, type Track } from "./tracks";

// Regions of the figure (its left hand is on the right of who looks), and the measures that belong to each.
const regions: { name: string; path: string; measures: RegExp }[] = [
  { name: "head", path: "M60 4c11 0 17 8 17 18s-7 20-17 20-17-10-17-20S49 4 60 4z", measures: /^head$/ },
  { name: "neck", path: "M53 41h14v11H53z", measures: /^neck/ },
  { name: "chest", path: "M36 54q24-6 48 0l-4 40q-20 5-40 0z", measures: /^chest$/ },
  { name: "pelvis", path: "M40 97q20 5 40 0l4 24q-24 9-48 0z", measures: /^pelvis$/ },
  ...(["left", "right"] as const).flatMap((side) => {
    // Drawn for the left; the right is its mirror image.
    const path = (left: string) => (side === "left" ? left : mirrored(left));
    return [
      { name: `${side} arm`, path: path("M87 56L96 60L106 104L97 107L84 72z"), measures: /^$/ },
      { name: `${side} wrist`, path: path("M97 109L107 106L113 126L105 129z"), measures: new RegExp(`^${side} wrist`) },
      { name: `${side} femur`, path: path("M62 126L84 123L80 172L66 172z"), measures: new RegExp(`^${side} femur`) },
      { name: `${side} tibia`, path: path("M66 175L80 175L77 214L68 214z"), measures: new RegExp(`^${side} tibia`) },
      { name: `${side} ankle`, path: path("M68 216L77 216L77 224L68 224z"), measures: new RegExp(`^${side} ankle`) },
      { name: `${side} foot`, path: path("M67 226L78 226L84 238L67 238z"), measures: new RegExp(`^${side} foot`) },
    ];
  }),
];

function mirrored(path: string): string {
  return path.replace(/([ML])([\d.]+) ([\d.]+)/g, (_, letter, x, y) => `${letter}${120 - Number(x)} ${y}`);
}

const negligible = 0.05;

// 0: as the paper; 1, where serious injury becomes likely: red; twice that: dark.
function injuryColor(value: number): string {
  if (value < negligible) return "var(--line)";
  if (value < 0.4) return `color-mix(in srgb, #f2c14e ${Math.round(250 * value)}%, var(--line))`;
  if (value < 1) return `color-mix(in srgb, #d8352a ${Math.round((100 * (value - 0.4)) / 0.6)}%, #f2c14e)`;
  return `color-mix(in srgb, #d8352a ${Math.round(100 * Math.max(0, 2 - value))}%, #6d0f2a)`;
}

function figure(measures: InjuryMeasure[]): SVGSVGElement {
  const draw = <K extends keyof SVGElementTagNameMap>(tag: K, attributes: Record<string, string>) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    return node;
  };
  const svg = draw("svg", { viewBox: "0 0 120 244", class: "body-map-figure", role: "img", "aria-label": "Injury by region" });
  for (const region of regions) {
    const own = measures.filter((measure) => region.measures.test(measure.name));
    const worst = own.reduce((a, b) => (b.value > a ? b.value : a), 0);
    const path = draw("path", { d: region.path, "data-region": region.name, "data-value": worst.toFixed(3) });
    path.style.fill = injuryColor(worst);
    const title = draw("title", {});
    title.textContent = own.length
      ? own.map((m) => `${m.name}: ${m.value.toFixed(2)} of its limit, at ${m.at_s.toFixed(2)} s`).join("\n")
      : `${region.name}: not measured`;
    path.append(title);
    svg.append(path);
  }
  return svg;
}

export function bodyMaps(tracks: Track[], seek: (time: number) => void): HTMLElement[] {
  const maps = tracks.flatMap((track) => {
    const { injury } = summaryOf(track);
    if (!injury) return [];
    const list = element("ol", {});
    const shown = injury.measures.filter((m) => m.value >= negligible).sort((a, b) => b.value - a.value);
    for (const measure of shown) {
      const chip = element("i", { class: "chip" });
      chip.style.setProperty("--color", injuryColor(measure.value));
      const button = element("button", { type: "button", title: "Go there" }, chip, `${measure.name} `,
        element("b", {}, measure.value.toFixed(2)), element("small", {}, `${measure.at_s.toFixed(2)} s`));
      button.addEventListener("click", () => seek(Math.max(0, measure.at_s - 0.15)));
      list.append(element("li", {}, button));
    }
    const name = tracks.length > 1 ? `${track.label}: ` : "";
    return [element("figure", { class: "body-map" }, figure(injury.measures),
      element("figcaption", {}, element("p", {}, name + injury.verdict),
        element("p", { class: "body-map-scale" }, `D_AVG ${injury.d_avg.toFixed(2)}, HIC15 ${injury.hic.toFixed(0)}; 1 is where serious injury becomes likely`),
        list))];
  });
  return maps.length ? [element("div", { class: "body-maps" }, ...maps)] : [];
}
