// Everything of one simulation that moves: its bodies, the ghosts of its references, and what is drawn about them.
import * as THREE from "three";
import { Ground } from "./ground";
import type { Frame, SceneModel, Shape } from "./model";
import { Muscles } from "./muscles";
import { Overlays } from "./overlays";
import { geometryOf, placeShape } from "./shapes";
import { actorColor, surfaceColor, type Theme } from "./theme";
import { Traces } from "./traces";

type Solid = THREE.MeshStandardMaterial | THREE.MeshLambertMaterial;


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
  readonly loose = new THREE.Group(); // balls and the like
  readonly overlays: Overlays;
  readonly muscles: Muscles;
  readonly ghostMuscles: Muscles;
  readonly grounds: Ground[] = [];
  frame: Frame | null = null;

  private readonly bodies: THREE.Group[];
  private readonly materials: Solid[] = []; // per body: its skin, or all of it
  // Of mannequins, by character and surface.
  private readonly surfaces = new Map<string, { material: Solid; color: (dark: boolean) => string }>();
  private readonly mannequins: THREE.Object3D[] = [];
  private readonly physical: THREE.Object3D[] = []; // shapes of bodies that have a mannequin
  private readonly ghostBodies: THREE.Group[][] = [];
  private ghostMaterial!: THREE.MeshLambertMaterial;
  private showLoad = false;
  private traces: Traces | null = null;

  // `firstColor` shifts the characters' colours, to tell several recordings apart. `simple`: quick to draw without a
  // graphics card.
  constructor(
    readonly model: SceneModel,
    private theme: Theme,
    private readonly firstColor: number,
    private readonly simple: boolean,
  ) {
    const geometries = new Map(model.shapes.map((shape) => [shape, geometryOf(shape)]));
    this.bodies = model.bodies.map((body) => {
      const group = new THREE.Group();
      ({ actor: this.simulated, free: this.loose, object: this.environment, support: this.environment })[body.kind].add(group);
      const material = this.makeMaterial(0.62);
      if (body.kind === "actor") Figures.mark(material);
      this.materials.push(material);
      return group;
    });
    for (const shape of model.shapes) {
      if (shape.type === "plane") {
        const ground = new Ground(shape, theme);
        this.grounds.push(ground);
        this.bodies[shape.body].add(ground.object);
        continue;
      }
      const mesh = new THREE.Mesh(geometries.get(shape), this.materialOf(shape));
      mesh.castShadow = mesh.receiveShadow = true;
      placeShape(mesh, shape);
      this.sort(shape, mesh);
      this.bodies[shape.body].add(mesh);
    }
    this.addGhosts(geometries);
    this.setShowShapes(false);
    this.overlays = new Overlays(model, theme);
    this.muscles = new Muscles(model);
    this.ghostMuscles = new Muscles(model);
    this.object.add(this.simulated, this.ghosts, this.environment, this.loose, this.overlays.object);
    this.object.add(this.muscles.object, this.ghostMuscles.object);
    this.setTheme(theme);
  }

  private makeMaterial(roughness: number): Solid {
    return this.simple ? new THREE.MeshLambertMaterial() : new THREE.MeshStandardMaterial({ roughness, metalness: 0 });
  }

  // A character marks the pixels it is seen in.
  private static mark(material: Solid): void {
    material.stencilWrite = true;
    material.stencilRef = 1;
    material.stencilZPass = THREE.ReplaceStencilOp;
  }

  private materialOf(shape: Shape): Solid {
    if (!shape.surface || shape.surface === "skin") return this.materials[shape.body];
    const { actor } = this.model.bodies[shape.body];
    const { surface } = shape;
    const known = this.surfaces.get(`${actor} ${surface}`);
    if (known) return known.material;
    const material = this.makeMaterial(surface === "visor" ? 0.18 : 0.55);
    Figures.mark(material);
    const color = (dark: boolean) => surfaceColor(this.firstColor + actor, surface, dark);
    this.surfaces.set(`${actor} ${surface}`, { material, color });
    return material;
  }

  // Remembers what stands for a character: one or the other is seen.
  private sort(shape: Shape, mesh: THREE.Object3D): void {
    if (shape.surface) this.mannequins.push(mesh);
    else if (this.model.bodies[shape.body].kind === "actor") this.physical.push(mesh);
  }

  setShowShapes(show: boolean): void {
    for (const mesh of this.mannequins) mesh.visible = !show;
    for (const mesh of this.physical) mesh.visible = show;
  }

  // The ghost writes depth before it writes colour, so that its own limbs do not shine through each other. It is clear as
  // glass where it is seen straight on and dense at its edges, like an outline, and is drawn beside the character only:
  // over it, it would make its colours muddy.
  private addGhosts(geometries: Map<Shape, THREE.BufferGeometry>): void {
    const depth = new THREE.MeshBasicMaterial({ colorWrite: false });
    const color = new THREE.MeshLambertMaterial({ transparent: true, depthWrite: false });
    if (this.simple) {
      // Without a graphics card one pass has to do: an even tint, each pixel drawn once.
      color.opacity = 0.4;
      color.stencilZPass = THREE.ReplaceStencilOp;
    } else {
      color.onBeforeCompile = (shader) => {
        shader.fragmentShader = shader.fragmentShader.replace(
          "#include <opaque_fragment>",
          `float edge = 1.0 - abs(dot(normalize(vNormal), normalize(vViewPosition)));
          diffuseColor.a *= mix(0.2, 0.85, smoothstep(0.35, 0.95, edge));
          #include <opaque_fragment>`,
        );
      };
    }
    const passes = this.simple ? [color] : [depth, color];
    for (const material of passes) {
      material.stencilWrite = true;
      material.stencilRef = 1;
      material.stencilFunc = THREE.NotEqualStencilFunc;
    }
    this.ghostMaterial = color;
    color.depthFunc = THREE.LessEqualDepth;
    this.model.actors.forEach((actor) => {
      const groups: THREE.Group[] = [];
      for (let b = 0; b < actor.bodies; ++b) {
        const group = new THREE.Group();
        for (const shape of this.model.shapes) {
          if (shape.body !== actor.firstBody + b || shape.type === "plane") continue;
          for (const [order, material] of passes.entries()) {
            const mesh = new THREE.Mesh(geometries.get(shape), material);
            mesh.renderOrder = 2 + order;
            placeShape(mesh, shape);
            this.sort(shape, mesh);
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
    for (const { material, color } of this.surfaces.values()) material.color.set(color(theme.dark));
    const ghost = this.ghostMaterial;
    ghost.color.set(theme.ghost);
    ghost.emissive.set(theme.ghost);
    ghost.emissiveIntensity = theme.dark ? 0.35 : 0.1;
    this.overlays.setTheme(theme);
    this.traces?.setTheme(theme);
    this.paintBodies();
  }

  // Trails and footprints are made when they are first wanted.
  setShowTraces(trails: boolean, footprints: boolean): void {
    if (!this.traces && (trails || footprints) && this.model.paths) {
      this.traces = new Traces(this.model.paths(), this.theme, this.firstColor);
      this.overlays.object.add(this.traces.trails, this.traces.footprints);
    }
    if (!this.traces) return;
    this.traces.trails.visible = trails;
    this.traces.footprints.visible = footprints;
    if (this.frame) this.traces.show(this.frame.time);
  }

  // Bodies become clear as glass, so that the muscles under their skin are seen.
  setShowMuscles(show: boolean): void {
    const shown = show && this.muscles.any;
    this.muscles.enabled = this.ghostMuscles.enabled = shown;
    const skins = this.materials.filter((_, i) => this.model.bodies[i].kind === "actor");
    for (const material of [...skins, ...[...this.surfaces.values()].map((surface) => surface.material)]) {
      material.transparent = shown;
      material.opacity = shown ? 0.16 : 1;
      material.depthWrite = !shown;
      material.needsUpdate = true;
    }
    if (this.frame) this.show(this.frame);
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
        if (body.side === "left") color.multiplyScalar(0.72); // tells the legs apart from the side
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
    this.model.actors.forEach((actor, a) => {
      const first = actor.firstBody;
      const own = { positions: frame.positions.subarray(3 * first), rotations: frame.rotations.subarray(4 * first) };
      this.muscles.show(a, own, frame.muscles[a]);
      this.ghostMuscles.show(a, frame.ghosts[a], frame.ghostMuscles[a]);
    });
    this.traces?.show(frame.time);
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
