// Muscles along their paths: the harder one works, the redder it glows; the harder it pulls, the thicker it is.
import * as THREE from "three";
import type { MuscleUse, SceneModel } from "./model";

const useScale: [number, THREE.Color][] = [
  [0, new THREE.Color("#a3989d")],
  [0.15, new THREE.Color("#dd9a4e")],
  [1, new THREE.Color("#e01414")],
  [1.5, new THREE.Color("#c400ff")], // more than it has
];

function useColor(use: number, out: THREE.Color): THREE.Color {
  for (let i = 1; i < useScale.length; ++i) {
    const [low, from] = useScale[i - 1];
    const [high, to] = useScale[i];
    if (use <= high) return out.lerpColors(from, to, Math.max(0, (use - low) / (high - low)));
  }
  return out.copy(useScale[useScale.length - 1][1]);
}

const restRadius = 0.0022; // m
const radiusPerRoot = 0.011 / Math.sqrt(2000); // m per square root of newton: the cross section grows with the force

type Pose = { positions: Float32Array; rotations: Float32Array }; // of the character's bodies

// One pool of cylinders for each character.
export class Muscles {
  readonly object = new THREE.Group();
  enabled = false;
  private readonly pools: (THREE.InstancedMesh | null)[];
  private readonly material = new THREE.MeshLambertMaterial({ emissive: "#3a2a2a" });
  private readonly points: THREE.Vector3[] = [];

  constructor(private readonly model: SceneModel) {
    const cylinder = new THREE.CylinderGeometry(1, 1, 1, 6, 1, true).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    this.pools = model.actors.map(({ muscles }) => {
      if (!muscles?.length) return null;
      const segments = muscles.reduce((sum, muscle) => sum + muscle.path.length - 1, 0);
      const pool = new THREE.InstancedMesh(cylinder, this.material, segments);
      pool.setColorAt(0, new THREE.Color()); // makes room for the colours
      pool.frustumCulled = false;
      pool.count = 0;
      this.object.add(pool);
      return pool;
    });
  }

  get any(): boolean {
    return this.pools.some((pool) => pool !== null);
  }

  show(actor: number, pose: Pose | null, now: MuscleUse | null): void {
    const pool = this.pools[actor];
    const { muscles } = this.model.actors[actor];
    if (!pool || !muscles) return;
    pool.count = 0;
    if (!this.enabled || !pose || !now) return;
    const turn = new THREE.Quaternion();
    const matrix = new THREE.Matrix4();
    const scale = new THREE.Vector3();
    const along = new THREE.Vector3();
    const up = new THREE.Vector3(0, 0, 1);
    const color = new THREE.Color();
    let count = 0;
    muscles.forEach((muscle, m) => {
      const radius = restRadius + radiusPerRoot * Math.sqrt(Math.max(0, now.force[m]) * muscle.strength);
      useColor(now.use[m], color);
      muscle.path.forEach(({ body, at }, i) => {
        const point = (this.points[i] ??= new THREE.Vector3());
        point.fromArray(at).applyQuaternion(turn.fromArray(pose.rotations, 4 * body));
        point.x += pose.positions[3 * body];
        point.y += pose.positions[3 * body + 1];
        point.z += pose.positions[3 * body + 2];
        if (i === 0) return;
        along.subVectors(point, this.points[i - 1]);
        const length = Math.max(1e-6, along.length());
        turn.setFromUnitVectors(up, along.divideScalar(length));
        pool.setMatrixAt(count, matrix.compose(this.points[i - 1], turn, scale.set(radius, radius, length)));
        pool.setColorAt(count++, color);
      });
    });
    pool.count = count;
    pool.instanceMatrix.needsUpdate = true;
    if (pool.instanceColor) pool.instanceColor.needsUpdate = true;
  }
}
