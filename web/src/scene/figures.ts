// Everything of one simulation that moves: its bodies, the ghosts of its references, and what is drawn about them.
import * as THREE from "three";
import { Ground } from "./ground";
import type { Frame, SceneModel } from "./model";
import { Overlays } from "./overlays";
import { geometryOf, placeShape } from "./shapes";
import { actorColor, type Theme } from "./theme";

const loadScale: [number, THREE.Color][] = [
  [0, new THREE.Color("#4a7fb5")],
  [0.35, new THREE.Color("#7fb8a4")],
  [0.65, new THREE.Color("#f0c452")],
  [1, new THREE.Color("#d8352a")],
];

export function loadColor(load: number, out: THREE.Color): THREE.Color {
  for (let i = 1; i < loadScale.length; ++i) {
    const [low, from] = loadScale[i - 1];
    const [high, to] = loadScale[i];
    if (load <= high) return out.lerpColors(from, to, Math.max(0, (load - low) / (high - low)));
  }
  return out.copy(loadScale[loadScale.length - 1][1]);
}

const farAway = 60; // m: a ball that waits to be thrown is parked beyond this

export class Figures {
  readonly object = new THREE.Group();
  readonly simulated = new THREE.Group();
  readonly ghosts = new THREE.Group();
  readonly environment = new THREE.Group();
  readonly overlays: Overlays;
  readonly grounds: Ground[] = [];
  frame: Frame | null = null;

  private readonly bodies: THREE.Group[];
  private readonly materials: (THREE.MeshStandardMaterial | THREE.MeshLambertMaterial)[] = []; // per body
  private readonly ghostBodies: THREE.Group[][] = [];
  private readonly ghostMaterials: THREE.Material[] = [];
  private showLoad = false;

  // `firstColor` shifts the characters' colours, to tell several recordings apart. `simple`: quick to draw without a
  // graphics card.
  constructor(
    readonly model: SceneModel,
    private theme: Theme,
    private readonly firstColor: number,
    simple: boolean,
  ) {
    this.bodies = model.bodies.map((body) => {
      const group = new THREE.Group();
      (body.kind === "actor" ? this.simulated : this.environment).add(group);
      this.materials.push(
        simple ? new THREE.MeshLambertMaterial() : new THREE.MeshStandardMaterial({ roughness: 0.62, metalness: 0 }),
      );
      return group;
    });
    for (const shape of model.shapes) {
      if (shape.type === "plane") {
        const ground = new Ground(shape, theme);
        this.grounds.push(ground);
        this.bodies[shape.body].add(ground.object);
        continue;
      }
      const mesh = new THREE.Mesh(geometryOf(shape), this.materials[shape.body]);
      mesh.castShadow = mesh.receiveShadow = true;
      placeShape(mesh, shape);
      this.bodies[shape.body].add(mesh);
    }
    this.addGhosts();
    this.overlays = new Overlays(model, theme);
    this.object.add(this.simulated, this.ghosts, this.environment, this.overlays.object);
    this.setTheme(theme);
  }

  // The ghost writes depth before it writes colour, so that its own limbs do not shine through each other.
  private addGhosts(): void {
    const depth = new THREE.MeshBasicMaterial({ colorWrite: false });
    const color = new THREE.MeshLambertMaterial({ transparent: true, opacity: 0.42, depthWrite: false });
    for (const material of [depth, color]) {
      material.polygonOffset = true;
      material.polygonOffsetFactor = 2; // behind the solid body where both are at the same place
      material.polygonOffsetUnits = 4;
      this.ghostMaterials.push(material);
    }
    color.depthFunc = THREE.LessEqualDepth;
    this.model.actors.forEach((actor) => {
      const groups: THREE.Group[] = [];
      for (let b = 0; b < actor.bodies; ++b) {
        const group = new THREE.Group();
        for (const shape of this.model.shapes) {
          if (shape.body !== actor.firstBody + b || shape.type === "plane") continue;
          const geometry = geometryOf(shape);
          for (const [order, material] of [depth, color].entries()) {
            const mesh = new THREE.Mesh(geometry, material);
            mesh.renderOrder = 2 + order;
            placeShape(mesh, shape);
            group.add(mesh);
          }
        }
        groups.push(group);
        this.ghosts.add(group);
      }
      this.ghostBodies.push(groups);
    });
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    for (const ground of this.grounds) ground.setTheme(theme);
    const ghost = this.ghostMaterials[1] as THREE.MeshLambertMaterial;
    ghost.color.set(theme.ghost);
    ghost.emissive.set(theme.ghost);
    ghost.emissiveIntensity = theme.dark ? 0.35 : 0.1;
    this.overlays.setTheme(theme);
    this.paintBodies();
  }

  setShowLoad(show: boolean): void {
    this.showLoad = show;
    this.paintBodies();
  }

  private paintBodies(): void {
    this.model.bodies.forEach((body, i) => {
      const color = this.materials[i].color;
      if (body.kind === "actor") {
        color.set(actorColor(this.firstColor + body.actor));
        if (body.side === "left") color.multiplyScalar(0.62); // tells the legs apart from the side
      } else {
        color.set(this.theme[body.kind]);
      }
    });
    if (this.showLoad && this.frame) this.paintLoad(this.frame);
  }

  private paintLoad(frame: Frame): void {
    this.model.bodies.forEach((body, i) => {
      if (body.kind === "actor") loadColor(frame.load[i], this.materials[i].color);
    });
  }

  show(frame: Frame): void {
    this.frame = frame;
    this.bodies.forEach((group, i) => {
      group.position.fromArray(frame.positions, 3 * i);
      group.quaternion.fromArray(frame.rotations, 4 * i);
      if (this.model.bodies[i].kind === "free") group.visible = group.position.length() < farAway + this.reach();
    });
    frame.ghosts.forEach((ghost, a) => {
      this.ghostBodies[a].forEach((group, b) => {
        group.visible = ghost !== null;
        if (!ghost) return;
        group.position.fromArray(ghost.positions, 3 * b);
        group.quaternion.fromArray(ghost.rotations, 4 * b);
      });
    });
    this.overlays.show(frame);
    if (this.showLoad) this.paintLoad(frame);
  }

  private reach(): number {
    return this.model.actors.length && this.frame ? this.centre(new THREE.Vector3()).length() : 0;
  }

  // The middle between the characters, at their roots.
  centre(out: THREE.Vector3): THREE.Vector3 {
    out.set(0, 0, 0);
    if (!this.frame || !this.model.actors.length) return out.set(0, 0, 0.9);
    for (const actor of this.model.actors) {
      const p = 3 * actor.firstBody;
      out.x += this.frame.positions[p] / this.model.actors.length;
      out.y += this.frame.positions[p + 1] / this.model.actors.length;
      out.z += this.frame.positions[p + 2] / this.model.actors.length;
    }
    return out;
  }
}
