// What the scene component draws. Nothing here knows where frames come from. Metres, radians, newtons; Z up;
// quaternions are x, y, z, w where nothing else is said.
import type { Body, Shape as StoredShape } from "../../generated/page_format";

export type { Body };

export type Shape = Omit<StoredShape, "mesh"> & { mesh?: { vertices: Float32Array; faces: Uint32Array } };

// Straight lines between points that are fixed to bodies (counted from the character's first; m, in their axes).
export type MuscleLine = { strength: number; path: { body: number; at: [number, number, number] }[] };

export type SceneActor = { name: string; firstBody: number; bodies: number; muscles?: MuscleLine[] };

export type SceneModel = {
  bodies: Body[];
  shapes: Shape[];
  actors: SceneActor[];
  paths?: () => Paths; // where the whole run is known; computed when first asked for
};

export type Point = { x: number; y: number; z: number }; // m

// What a run leaves behind.
export type Paths = {
  trails: { actor: number; part: "left" | "right" | "com"; time: Float32Array; positions: Float32Array }[]; // rows x 3
  footprints: { actor: number; side: "left" | "right"; from: number; outline: Point[] }[]; // from: s, when it was made
};

export type Contact = {
  body1: number;
  body2: number;
  point: [number, number, number];
  force: [number, number, number]; // on body2
};

// One moment. The arrays are reused from call to call.
export type Frame = {
  time: number; // s
  positions: Float32Array; // bodies x 3
  rotations: Float32Array; // bodies x 4
  // Per actor; null where there is no reference.
  ghosts: ({ positions: Float32Array; rotations: Float32Array } | null)[];
  com: Float32Array; // actors x 3
  comVelocity: Float32Array; // actors x 3, m/s
  load: Float32Array; // per body: torque of its joint over its limit, 0 to 1
  muscles: (MuscleUse | null)[]; // per actor; null where nothing is known of them
  ghostMuscles: (MuscleUse | null)[];
  contacts: Contact[];
};

// Of each muscle: how hard it works, and how hard it pulls, both as shares of its strength.
export type MuscleUse = { use: Float32Array; force: Float32Array };

export function makeFrame(model: SceneModel): Frame {
  const n = model.bodies.length;
  return {
    time: 0,
    positions: new Float32Array(3 * n),
    rotations: new Float32Array(4 * n),
    ghosts: model.actors.map((a) => ({
      positions: new Float32Array(3 * a.bodies),
      rotations: new Float32Array(4 * a.bodies),
    })),
    com: new Float32Array(3 * model.actors.length),
    comVelocity: new Float32Array(3 * model.actors.length),
    load: new Float32Array(n),
    muscles: model.actors.map(() => null),
    ghostMuscles: model.actors.map(() => null),
    contacts: [],
  };
}
