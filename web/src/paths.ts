// The ways of hands, feet and centre of mass through a whole run, and the prints its feet left.
import { channelOf } from "../generated/page_format";
import { cell, type RecordingData, type Table } from "./data";
import { convexHull, widened } from "./scene/hull";
import type { Contact, Paths, Point } from "./scene/model";

const footDown = 20; // N: more than this and the foot counts as down
const briefest = 0.05; // s: what is shorter leaves no print
const ends: [string, "left" | "right"][] = [["left_hand", "left"], ["right_hand", "right"], ["left_foot", "left"], ["right_foot", "right"]];

function column(table: Table, first: number): Float32Array {
  const out = new Float32Array(3 * table.rows);
  for (let row = 0; row < table.rows; ++row) {
    for (let k = 0; k < 3; ++k) out[3 * row + k] = cell(table, row, first + k);
  }
  return out;
}

// One print per time a foot was down: all that it touched in between, so that a foot that slid leaves a long one.
function footprints(run: RecordingData, actor: number): Paths["footprints"] {
  const { bodies } = run.head;
  const prints: Paths["footprints"] = [];
  for (const side of ["left", "right"] as const) {
    const channel = channelOf.force[`${side}_foot`];
    let points: Point[] = [];
    let from = -1;
    for (let row = 0; row <= run.time.length; ++row) {
      const down = row < run.time.length && cell(run.force[actor], row, channel) > footDown;
      if (down) {
        if (from < 0) from = run.time[row];
        const contacts: Contact[] = [];
        run.addContacts(row, contacts);
        for (const { body1, body2, point } of contacts) {
          const own = [body1, body2].find((b) => bodies[b].actor === actor && bodies[b].side === side);
          const ground = [body1, body2].some((b) => bodies[b].kind === "support");
          if (own !== undefined && ground) points.push({ x: point[0], y: point[1], z: point[2] });
        }
        points = convexHull(points);
      } else if (from >= 0) {
        const until = run.time[Math.min(row, run.time.length - 1)];
        if (until - from > briefest && points.length) prints.push({ actor, side, from, outline: widened(points, 0.012) });
        from = -1;
        points = [];
      }
    }
  }
  return prints;
}

export function pathsOf(run: RecordingData): Paths {
  const paths: Paths = { trails: [], footprints: [] };
  run.head.actors.forEach((_, a) => {
    for (const [role, part] of ends) {
      const body = run.head.bodies.findIndex((b) => b.actor === a && b.role === role);
      if (body >= 0) paths.trails.push({ actor: a, part, time: run.time, positions: column(run.position, 3 * body) });
    }
    paths.trails.push({ actor: a, part: "com", time: run.time, positions: column(run.com[a], 0) });
    paths.footprints.push(...footprints(run, a));
  });
  return paths;
}
