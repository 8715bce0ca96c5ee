// What physics does, made visible: contact points, forces, centre of mass, support polygon and capture point.
import * as THREE from "three";
import { convexHull, isInside, widened } from "./hull";
import type { Frame, Point, SceneModel } from "./model";
import type { Theme } from "./theme";

const mostContacts = 64;
const metresPerNewton = 0.6 / 1000;
const smallestForce = 5; // N
const gravity = 9.81; // m/s^2
const contactRadius = 0.015; // m: as wide as a contact is drawn in the support polygon

class OfActor {
  readonly object = new THREE.Group();
  private readonly ball: THREE.Mesh;
  private readonly ring: THREE.Mesh;
  private readonly plumb: THREE.Line;
  private readonly area: THREE.Mesh;
  private readonly edge: THREE.LineLoop;
  private readonly corners = new Float32Array(3 * mostContacts);
  private readonly capture: THREE.Group;
  readonly com = new THREE.Group();
  readonly support = new THREE.Group();

  constructor(
    solid: THREE.Material,
    line: THREE.LineBasicMaterial,
    areaMaterial: THREE.Material,
    edgeMaterial: THREE.LineBasicMaterial,
    private readonly captureMaterials: { inside: THREE.Material; outside: THREE.Material },
  ) {
    this.ball = new THREE.Mesh(new THREE.SphereGeometry(0.035, 16, 12), solid);
    this.ring = new THREE.Mesh(new THREE.RingGeometry(0.03, 0.05, 28), solid);
    this.ball.renderOrder = this.ring.renderOrder = 10;
    const ends = new THREE.BufferGeometry();
    ends.setAttribute("position", new THREE.BufferAttribute(new Float32Array(6), 3));
    this.plumb = new THREE.Line(ends, line);
    this.plumb.frustumCulled = false;
    this.plumb.renderOrder = 10;
    const fan: number[] = [];
    for (let i = 1; i + 1 < mostContacts; ++i) fan.push(0, i, i + 1);
    const outline = new THREE.BufferAttribute(this.corners, 3);
    const filled = new THREE.BufferGeometry();
    filled.setAttribute("position", outline);
    filled.setIndex(fan);
    this.area = new THREE.Mesh(filled, areaMaterial);
    const border = new THREE.BufferGeometry();
    border.setAttribute("position", outline);
    this.edge = new THREE.LineLoop(border, edgeMaterial);
    this.area.frustumCulled = this.edge.frustumCulled = false;
    this.area.renderOrder = 5;
    this.edge.renderOrder = 6;
    this.com.add(this.ball, this.ring, this.plumb);
    // A ring with a dot: where a foot would have to stand to stop the fall.
    this.capture = new THREE.Group();
    this.capture.add(
      new THREE.Mesh(new THREE.RingGeometry(0.034, 0.05, 32), captureMaterials.inside),
      new THREE.Mesh(new THREE.CircleGeometry(0.014, 20), captureMaterials.inside),
    );
    for (const part of this.capture.children) part.renderOrder = 11;
    this.support.add(this.area, this.edge, this.capture);
    this.object.add(this.com, this.support);
  }

  show(com: THREE.Vector3, velocity: THREE.Vector3, floor: number, hull: Point[]): void {
    // Capture point of the linear inverted pendulum (Pratt et al. 2006): x + v sqrt(z / g).
    const seconds = Math.sqrt(Math.max(0.05, com.z - floor) / gravity);
    const x = com.x + velocity.x * seconds;
    const y = com.y + velocity.y * seconds;
    this.capture.position.set(x, y, floor + 0.006);
    const { inside, outside } = this.captureMaterials;
    for (const part of this.capture.children) (part as THREE.Mesh).material = !hull.length || isInside(hull, x, y) ? inside : outside;
    this.ball.position.copy(com);
    this.ring.position.set(com.x, com.y, floor + 0.004);
    const ends = this.plumb.geometry.attributes.position as THREE.BufferAttribute;
    ends.setXYZ(0, com.x, com.y, com.z);
    ends.setXYZ(1, com.x, com.y, floor);
    ends.needsUpdate = true;
    const count = Math.min(hull.length, mostContacts);
    for (let i = 0; i < count; ++i) {
      this.corners[3 * i] = hull[i].x;
      this.corners[3 * i + 1] = hull[i].y;
      this.corners[3 * i + 2] = hull[i].z + 0.003;
    }
    this.area.visible = count >= 3;
    this.edge.visible = count >= 2;
    this.area.geometry.setDrawRange(0, 3 * Math.max(0, count - 2));
    this.edge.geometry.setDrawRange(0, count);
    for (const part of [this.area, this.edge]) {
      (part.geometry.attributes.position as THREE.BufferAttribute).needsUpdate = true;
    }
  }
}

export class Overlays {
  readonly object = new THREE.Group();
  private readonly forces = new THREE.Group();
  private readonly points: THREE.InstancedMesh;
  private readonly shafts: THREE.InstancedMesh;
  private readonly heads: THREE.InstancedMesh;
  private readonly ofActors: OfActor[];
  private readonly forceMaterial = new THREE.MeshBasicMaterial();
  private readonly comMaterial = new THREE.MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.9 });
  private readonly lineMaterial = new THREE.LineBasicMaterial({ depthTest: false, transparent: true, opacity: 0.45 });
  private readonly areaMaterial = new THREE.MeshBasicMaterial({
    transparent: true, opacity: 0.28, side: THREE.DoubleSide, depthWrite: false, polygonOffset: true,
    polygonOffsetFactor: -2, polygonOffsetUnits: -4,
  });
  private readonly edgeMaterial = new THREE.LineBasicMaterial({ transparent: true, opacity: 0.9 });
  private readonly captureMaterials = {
    inside: new THREE.MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.95 }),
    outside: new THREE.MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.95 }),
  };

  constructor(
    private readonly model: SceneModel,
    theme: Theme,
  ) {
    const pool = (geometry: THREE.BufferGeometry) => {
      const mesh = new THREE.InstancedMesh(geometry, this.forceMaterial, mostContacts);
      mesh.frustumCulled = false;
      mesh.count = 0;
      this.forces.add(mesh);
      return mesh;
    };
    this.points = pool(new THREE.SphereGeometry(0.014, 10, 8));
    this.shafts = pool(new THREE.CylinderGeometry(0.009, 0.009, 1, 10).rotateX(Math.PI / 2).translate(0, 0, 0.5));
    this.heads = pool(new THREE.ConeGeometry(0.026, 0.07, 14).rotateX(Math.PI / 2).translate(0, 0, 0.035));
    this.ofActors = model.actors.map(
      () => new OfActor(this.comMaterial, this.lineMaterial, this.areaMaterial, this.edgeMaterial, this.captureMaterials),
    );
    this.object.add(this.forces, ...this.ofActors.map((a) => a.object));
    this.setTheme(theme);
  }

  setTheme(theme: Theme): void {
    this.forceMaterial.color.set(theme.force);
    this.comMaterial.color.set(theme.com);
    this.lineMaterial.color.set(theme.com);
    this.areaMaterial.color.set(theme.polygon);
    this.edgeMaterial.color.set(theme.polygon);
    this.captureMaterials.inside.color.set(theme.polygon);
    this.captureMaterials.outside.color.set(theme.danger);
  }

  setVisible(forces: boolean, com: boolean, support: boolean): void {
    this.forces.visible = forces;
    for (const actor of this.ofActors) {
      actor.com.visible = com;
      actor.support.visible = support;
    }
  }

  show(frame: Frame): void {
    const at = new THREE.Vector3();
    const force = new THREE.Vector3();
    const forward = new THREE.Vector3(0, 0, 1);
    const turn = new THREE.Quaternion();
    const matrix = new THREE.Matrix4();
    const scale = new THREE.Vector3();
    let points = 0;
    const stands: Point[][] = this.model.actors.map(() => []);
    // One arrow per body of a character: the sum of its contacts' forces, at their centre of pressure.
    const sums = new Map<number, { force: THREE.Vector3; at: THREE.Vector3; weight: number }>();
    for (const contact of frame.contacts) {
      force.fromArray(contact.force);
      const strength = force.length();
      if (strength < 1) continue;
      at.fromArray(contact.point);
      for (const [own, other, sign] of [[contact.body1, contact.body2, -1], [contact.body2, contact.body1, 1]]) {
        const { actor } = this.model.bodies[own];
        if (actor < 0) continue;
        if (this.model.bodies[other].kind === "support") stands[actor].push(at.clone());
        const sum = sums.get(own) ?? { force: new THREE.Vector3(), at: new THREE.Vector3(), weight: 0 };
        sum.force.addScaledVector(force, sign);
        sum.at.addScaledVector(at, strength);
        sum.weight += strength;
        sums.set(own, sum);
      }
      if (points < mostContacts) this.points.setMatrixAt(points++, matrix.makeTranslation(at));
    }
    let arrows = 0;
    for (const sum of sums.values()) {
      const strength = sum.force.length();
      if (strength < smallestForce || arrows >= mostContacts) continue;
      at.copy(sum.at).divideScalar(sum.weight);
      const length = strength * metresPerNewton;
      turn.setFromUnitVectors(forward, sum.force.divideScalar(strength));
      this.shafts.setMatrixAt(arrows, matrix.compose(at, turn, scale.set(1, 1, length)));
      matrix.compose(at.addScaledVector(sum.force, length), turn, scale.setScalar(Math.min(1, 0.3 + length * 6)));
      this.heads.setMatrixAt(arrows++, matrix);
    }
    this.points.count = points;
    this.shafts.count = this.heads.count = arrows;
    for (const pool of [this.points, this.shafts, this.heads]) {
      pool.instanceMatrix.needsUpdate = true;
    }
    this.ofActors.forEach((actor, a) => {
      at.fromArray(frame.com, 3 * a);
      const velocity = force.fromArray(frame.comVelocity, 3 * a);
      const hull = stands[a].length ? widened(convexHull(stands[a]), contactRadius) : [];
      const floor = hull.length ? hull.reduce((sum, p) => sum + p.z, 0) / hull.length : this.floorBelow(frame, a);
      actor.show(at, velocity, floor, hull);
    });
  }

  // In flight: as low as the lowest body of the character.
  private floorBelow(frame: Frame, a: number): number {
    const { firstBody, bodies } = this.model.actors[a];
    let low = Infinity;
    for (let b = firstBody; b < firstBody + bodies; ++b) low = Math.min(low, frame.positions[3 * b + 2]);
    return Math.min(low, frame.com[3 * a + 2]) - 0.05;
  }
}
