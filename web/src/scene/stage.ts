// The scene component: draws one or several simulations into a box of the page, in one view or side by side.
// Give it models once and a frame whenever there is one; it knows nothing of files or clocks.
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { Figures } from "./figures";
import type { Frame, SceneModel } from "./model";
import type { Theme } from "./theme";

export type Layout = "overlay" | "side-by-side";
export type ViewName = "corner" | "front" | "side" | "top";
export type Layers = {
  ghost: boolean; forces: boolean; com: boolean; support: boolean; torque: boolean; trails: boolean; footprints: boolean;
  shapes: boolean; muscles: boolean;
};

type Viewport = { shown: number[]; simulated: boolean; ghost: boolean; label: string; followed: number };

const slowFrame = 1000 / 24; // ms: slower than this and the picture gets coarser

// A canvas to draw on, and whether there is a graphics card behind it (there is none on a server or remote desktop:
// then edges are left jagged while things move).
function makeContext(): { canvas: HTMLCanvasElement; context: WebGL2RenderingContext; software: boolean } {
  const make = (antialias: boolean) => {
    const canvas = document.createElement("canvas");
    const context = canvas.getContext("webgl2", { antialias, alpha: false, stencil: true, powerPreference: "high-performance" });
    if (!context) throw new Error("this browser offers no WebGL 2, which draws the scene");
    return { canvas, context };
  };
  const first = make(true);
  const info = first.context.getExtension("WEBGL_debug_renderer_info");
  const name = info ? String(first.context.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
  if (!/swiftshader|llvmpipe|software|basic render/i.test(name)) return { ...first, software: false };
  first.context.getExtension("WEBGL_lose_context")?.loseContext();
  return { ...make(false), software: true };
}

export class Stage {
  readonly canvas: HTMLCanvasElement;
  layers: Layers = {
    ghost: true, forces: true, com: false, support: false, torque: false, trails: false, footprints: false, shapes: false,
    muscles: false,
  };
  followed = true;
  onViewports: (labels: { label: string; left: number; width: number }[]) => void = () => {};
  onViewChange: (view: ViewName | null) => void = () => {};
  onNeedsDraw: () => void = () => {}; // the mouse moved the camera

  private readonly renderer: THREE.WebGLRenderer;
  private readonly scene = new THREE.Scene();
  private readonly camera = new THREE.PerspectiveCamera(30, 1, 0.05, 400);
  private readonly controls: OrbitControls;
  private readonly sky = new THREE.HemisphereLight(0xffffff, 0xffffff, 1);
  private readonly sun = new THREE.DirectionalLight(0xffffff, 2);
  private figures: Figures[] = [];
  private labels: string[] = []; // per model
  private viewports: Viewport[] = [];
  private layout: Layout = "overlay";
  private heading = 0; // rad, where the motion goes: what "side" and "front" mean
  private centre: THREE.Vector3 | null = null; // followed point, smoothed
  private readonly software: boolean;
  private quality = 1; // of a moving picture: pixels per pixel of the screen
  private moving = false;
  private frameTimes: number[] = [];
  private lastDraw = 0;
  private pending: WebGLSync | null = null; // signalled when the last picture is drawn

  constructor(
    private readonly box: HTMLElement,
    private theme: Theme,
  ) {
    const { canvas, context, software } = makeContext();
    this.software = software;
    this.renderer = new THREE.WebGLRenderer({ canvas, context });
    this.renderer.debug.checkShaderErrors = false; // asking would wait for the compiler
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = software ? THREE.BasicShadowMap : THREE.PCFSoftShadowMap;
    this.quality = software ? 0.75 : 1;
    this.renderer.toneMapping = THREE.NoToneMapping;
    this.renderer.setScissorTest(true);
    this.canvas = this.renderer.domElement;
    this.canvas.className = "stage-canvas";
    box.append(this.canvas);
    this.camera.up.set(0, 0, 1);
    this.camera.position.set(3, -4, 1.8);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = false;
    this.controls.maxPolarAngle = Math.PI * 0.55;
    this.controls.minDistance = 0.6;
    this.controls.maxDistance = 60;
    this.controls.addEventListener("start", () => this.onViewChange(null));
    this.controls.addEventListener("change", () => this.onNeedsDraw());
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.setScalar(software ? 512 : 1024);
    this.sun.shadow.normalBias = 0.02;
    this.sun.shadow.radius = 3;
    const reach = this.sun.shadow.camera;
    reach.left = reach.bottom = -3.2;
    reach.right = reach.top = 3.2;
    reach.near = 1;
    reach.far = 22;
    this.scene.add(this.sky, this.sun, this.sun.target);
    new ResizeObserver(() => this.resize()).observe(box);
    this.setTheme(theme);
    this.resize();
  }

  // `heading`: where the first model's motion goes, in radians from +X.
  setModels(models: { model: SceneModel; label: string; firstColor: number }[], heading: number): void {
    for (const figures of this.figures) this.scene.remove(figures.object);
    this.figures = models.map(({ model, firstColor }) => new Figures(model, this.theme, firstColor, this.software));
    this.scene.add(...this.figures.map((figures) => figures.object));
    this.labels = models.map((m) => m.label);
    this.heading = heading;
    this.setLayout(this.layout);
    this.applyLayers();
  }

  get hasMuscles(): boolean {
    return this.figures.some((figures) => figures.muscles.any);
  }

  setLayout(layout: Layout): void {
    this.layout = layout;
    const all = this.figures.map((_, i) => i);
    if (layout === "overlay") {
      this.viewports = [{ shown: all, simulated: true, ghost: true, label: "", followed: 0 }];
    } else if (this.figures.length === 1) {
      this.viewports = [
        { shown: all, simulated: false, ghost: true, label: "Reference", followed: 0 },
        { shown: all, simulated: true, ghost: false, label: "Simulated", followed: 0 },
      ];
    } else {
      this.viewports = all.map((i) => ({
        shown: [i], simulated: true, ghost: true, label: this.labels[i], followed: i,
      }));
    }
    this.resize();
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    const background = new THREE.Color(theme.background);
    this.scene.background = background;
    this.scene.fog = new THREE.Fog(background, 14, 46);
    this.sky.color.set(theme.dark ? 0xdfe8ff : 0xffffff);
    this.sky.groundColor.set(theme.dark ? 0x50545c : 0xc9c4bd);
    this.sky.intensity = theme.dark ? 1.5 : 1.85;
    this.sun.intensity = theme.dark ? 2.1 : 2.0;
    for (const figures of this.figures) figures.setTheme(theme);
  }

  applyLayers(): void {
    for (const figures of this.figures) {
      figures.overlays.setVisible(this.layers.forces, this.layers.com, this.layers.support);
      figures.setShowLoad(this.layers.torque);
      figures.setShowShapes(this.layers.shapes);
      figures.setShowMuscles(this.layers.muscles);
      figures.setShowTraces(this.layers.trails, this.layers.footprints);
    }
  }

  setFrame(index: number, frame: Frame): void {
    this.figures[index].show(frame);
  }

  // Puts the camera where the whole of the characters is seen from that side.
  setView(view: ViewName): void {
    const turn = { corner: -0.25 * Math.PI, front: 0, side: -0.5 * Math.PI, top: -0.5 * Math.PI }[view];
    const raise = { corner: 0.2, front: 0.1, side: 0.1, top: 1.5607 }[view];
    const target = this.wantedTarget(new THREE.Vector3());
    const angle = this.heading + turn;
    const aspect = this.box.clientWidth / Math.max(1, this.viewports.length) / Math.max(1, this.box.clientHeight);
    const distance = (4.6 + 1.7 * this.spread()) * Math.max(1, 0.8 / aspect);
    const flat = Math.cos(raise) * distance;
    this.controls.target.copy(target);
    this.camera.position.set(
      target.x + flat * Math.cos(angle),
      target.y + flat * Math.sin(angle),
      target.z + Math.sin(raise) * distance,
    );
    this.controls.update();
    this.centre = target;
    this.onViewChange(view);
  }

  // The camera goes where the characters go; when not followed it stays.
  recentre(): void {
    this.centre = null;
  }

  private spread(): number {
    let spread = 0;
    for (const figures of this.figures) {
      if (!figures.frame) continue;
      const centre = figures.centre(new THREE.Vector3());
      for (const actor of figures.model.actors) {
        const p = 3 * actor.firstBody;
        spread = Math.max(spread, Math.hypot(figures.frame.positions[p] - centre.x, figures.frame.positions[p + 1] - centre.y));
      }
    }
    return spread;
  }

  private wantedTarget(out: THREE.Vector3, index = 0): THREE.Vector3 {
    if (!this.figures.length) return out.set(0, 0, 0.9);
    this.figures[index].centre(out);
    // A fall should look like one: the camera does not sink with the character, unless the ground does.
    const ghost = this.figures[index].frame?.ghosts[0];
    if (ghost) out.z = Math.max(out.z, ghost.positions[2]);
    out.z -= 0.05;
    return out;
  }

  private resize(): void {
    const width = Math.max(1, this.box.clientWidth);
    const height = Math.max(1, this.box.clientHeight);
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2) * (this.moving ? this.quality : 1));
    this.renderer.setSize(width, height, false);
    const each = width / Math.max(1, this.viewports.length);
    this.onViewports(this.viewports.map((v, i) => ({ label: v.label, left: i * each, width: each })));
    this.draw();
  }

  // A standing picture is drawn as well as can be, a moving one as well as there is time for.
  setMoving(moving: boolean): void {
    if (moving === this.moving) return;
    this.moving = moving;
    this.frameTimes = [];
    if (this.quality < 1) this.resize();
  }

  // On a slow machine fewer pixels and no shadows are better than a stutter. Called once per drawn frame while playing.
  notePace(now: number): void {
    const took = now - this.lastDraw;
    this.lastDraw = now;
    if (took > 500) return; // paused in between
    this.frameTimes.push(took);
    if (this.frameTimes.length < 20) return;
    const median = this.frameTimes.sort((a, b) => a - b)[10];
    this.frameTimes = [];
    if (median > slowFrame && this.quality > 0.5) {
      this.quality = Math.max(0.5, this.quality * 0.75);
      if (this.quality <= 0.5) this.renderer.shadowMap.type = THREE.BasicShadowMap;
      this.resize();
    }
  }

  // False while the graphics card is still at the last picture. Drawing then would make the page wait for it.
  get ready(): boolean {
    const gl = this.renderer.getContext() as WebGL2RenderingContext;
    if (!this.pending) return true;
    if (!gl.isContextLost() && gl.getSyncParameter(this.pending, gl.SYNC_STATUS) !== gl.SIGNALED) return false;
    gl.deleteSync(this.pending);
    this.pending = null;
    return true;
  }

  draw(): void {
    if (!this.figures.length || this.figures.some((figures) => !figures.frame)) return;
    const width = this.box.clientWidth;
    const height = this.box.clientHeight;
    if (this.followed) {
      const wanted = this.wantedTarget(new THREE.Vector3());
      if (!this.centre || this.centre.distanceTo(wanted) > 1.5) this.centre = wanted.clone();
      // The height follows slowly, so that steps do not shake the picture.
      const next = new THREE.Vector3(wanted.x, wanted.y, THREE.MathUtils.lerp(this.centre.z, wanted.z, 0.06));
      const move = next.clone().sub(this.controls.target);
      this.controls.target.add(move);
      this.camera.position.add(move);
      this.centre = next;
    }
    const each = width / this.viewports.length;
    this.camera.aspect = each / Math.max(1, height);
    this.camera.updateProjectionMatrix();
    const home = this.camera.position.clone();
    const first = this.controls.target.clone();
    this.viewports.forEach((viewport, i) => {
      this.figures.forEach((figures, c) => {
        figures.object.visible = viewport.shown.includes(c);
        figures.simulated.visible = viewport.simulated;
        figures.ghosts.visible = viewport.ghost && (this.layers.ghost || !viewport.simulated) && c === viewport.shown[0];
        figures.environment.visible = c === viewport.shown[0];
        figures.loose.visible = viewport.simulated; // beside the one they hit, not beside the reference
        figures.overlays.object.visible = figures.muscles.object.visible = viewport.simulated;
        figures.ghostMuscles.object.visible = viewport.ghost && !viewport.simulated; // both at one place would be a tangle
      });
      const target = first.clone();
      if (this.followed && viewport.followed > 0) {
        const own = this.wantedTarget(new THREE.Vector3(), viewport.followed);
        target.set(own.x, own.y, first.z);
      }
      this.camera.position.copy(home).add(target).sub(first);
      this.camera.lookAt(target);
      this.camera.updateMatrixWorld();
      this.sun.target.position.copy(target);
      // Over the left shoulder of who looks from the corner.
      const sun = this.heading - 0.53 * Math.PI;
      this.sun.position.set(target.x + 5.2 * Math.cos(sun), target.y + 5.2 * Math.sin(sun), target.z + 8);
      for (const figures of this.figures) for (const ground of figures.grounds) ground.follow(target);
      this.renderer.setViewport(i * each, 0, each, height);
      this.renderer.setScissor(i * each, 0, each, height);
      this.renderer.render(this.scene, this.camera);
    });
    this.camera.position.copy(home);
    this.camera.lookAt(first);
    this.controls.update();
    const gl = this.renderer.getContext() as WebGL2RenderingContext;
    if (this.pending) gl.deleteSync(this.pending);
    this.pending = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
  }
}
