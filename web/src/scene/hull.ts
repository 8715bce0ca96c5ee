// Outlines on the ground.
import type { Point } from "./model";

// Andrew's monotone chain over the points' ground projection.
export function convexHull(points: Point[]): Point[] {
  const sorted = [...points].sort((a, b) => a.x - b.x || a.y - b.y);
  if (sorted.length < 3) return sorted;
  const cross = (o: Point, a: Point, b: Point) => (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
  const half = (list: Point[]) => {
    const hull: Point[] = [];
    for (const p of list) {
      while (hull.length >= 2 && cross(hull[hull.length - 2], hull[hull.length - 1], p) <= 0) hull.pop();
      hull.push(p);
    }
    hull.pop();
    return hull;
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

// The outline of all that is within `radius` (m) of the points: an area even where they are two, or in one line.
export function widened(points: Point[], radius: number): Point[] {
  const sides = 8;
  return convexHull(points.flatMap((p) => Array.from({ length: sides }, (_, i) => {
    const angle = (2 * Math.PI * i) / sides;
    return { x: p.x + radius * Math.cos(angle), y: p.y + radius * Math.sin(angle), z: p.z };
  })));
}

// Whether a point lies inside a convex outline that goes round counter-clockwise.
export function isInside(outline: Point[], x: number, y: number): boolean {
  return outline.length > 2 && outline.every((a, i) => {
    const b = outline[(i + 1) % outline.length];
    return (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x) >= 0;
  });
}
