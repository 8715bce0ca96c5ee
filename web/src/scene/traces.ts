// What a run leaves behind it: beads along the ways of hands, feet and centre of mass, and prints on the ground.
import * as THREE from "three";
import type { Paths } from "./model";
import { actorColor, type Theme } from "./theme";

const trailLength = 1.5; // s
const beadEvery = 2; // rows of 60 Hz
const beads = 48;

class Trail {
  readonly object: THREE.InstancedMesh;
  readonly material = new THREE.MeshBasicMaterial();
  private readonly matrix = new THREE.Matrix4();

  constructor(private readonly trail: Paths["trails"][number], geometry: THREE.BufferGeometry) {
    this.object = new THREE.InstancedMesh(geometry, this.material, beads);
    this.object.frustumCulled = false;
    this.object.count = 0;
  }

  // The beads stay where they are while time goes on; the older, the smaller.
  show(now: number): void {
    const { time, positions } = this.trail;
    let row = Math.floor(rowAt(time, now) / beadEvery) * beadEvery;
    let count = 0;
    for (; row >= 0 && time[row] > now - trailLength && count < beads; row -= beadEvery) {
      const size = 1 - (now - time[row]) / trailLength;
      this.matrix.makeScale(size, size, size).setPosition(positions[3 * row], positions[3 * row + 1], positions[3 * row + 2]);
      this.object.setMatrixAt(count++, this.matrix);
    }
    this.object.count = count;
    this.object.instanceMatrix.needsUpdate = true;
  }
}

function rowAt(time: Float32Array, now: number): number {
  let low = 0;
  let high = time.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (time[middle] <= now + 1e-6) low = middle;
    else high = middle - 1;
  }
  return low;
}

export class Traces {
  readonly trails = new THREE.Group();
  readonly footprints = new THREE.Group();
  private readonly lines: Trail[];
  private readonly prints: THREE.Mesh[];

  constructor(private readonly paths: Paths, theme: Theme, private readonly firstColor: number) {
    const bead = new THREE.SphereGeometry(0.016, 8, 6);
    this.lines = paths.trails.map((trail) => new Trail(trail, bead));
    this.trails.add(...this.lines.map((line) => line.object));
    this.prints = paths.footprints.map(({ actor, side, outline }) => {
      const flat = new Float32Array(outline.flatMap((p) => [p.x, p.y, p.z + 0.004]));
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.BufferAttribute(flat, 3));
      geometry.setIndex(outline.slice(2).flatMap((_, i) => [0, i + 1, i + 2]));
      const material = new THREE.MeshBasicMaterial({
        color: this.color(actor, side), transparent: true, opacity: 0.45, depthWrite: false, side: THREE.DoubleSide,
        polygonOffset: true, polygonOffsetFactor: -2, polygonOffsetUnits: -4,
      });
      const mesh = new THREE.Mesh(geometry, material);
      mesh.renderOrder = 4;
      return mesh;
    });
    this.footprints.add(...this.prints);
    this.setTheme(theme);
  }

  private color(actor: number, side: "left" | "right"): THREE.Color {
    const color = new THREE.Color(actorColor(this.firstColor + actor));
    return side === "left" ? color.multiplyScalar(0.6) : color;
  }

  setTheme(theme: Theme): void {
    this.lines.forEach(({ material }, i) => {
      const { actor, part } = this.paths.trails[i];
      if (part === "com") material.color.set(theme.com);
      else material.color.copy(this.color(actor, part));
    });
  }

  show(now: number): void {
    if (this.trails.visible) for (const line of this.lines) line.show(now);
    if (this.footprints.visible) this.prints.forEach((print, i) => (print.visible = this.paths.footprints[i].from <= now));
  }
}
