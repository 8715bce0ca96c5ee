// Reads a recording out of the page: a JSON head, and columns of numbers as differences in 7-bit groups.
// page_format.json says what is in them, src/stunt/report/page/page_data.h how the numbers are packed.
import type { Column, ColumnName, Head, Joint } from "../generated/page_format";
import { pathsOf } from "./paths";
import type { Contact, Frame, MuscleUse, Paths, SceneModel } from "./scene/model";

// rows x channels, row after row.
export type Table = { rows: number; channels: number; values: Float32Array };

export const cell = (table: Table, row: number, channel: number) => table.values[row * table.channels + channel];

function decodeColumn(bytes: Uint8Array, column: Column): Table {
  const { rows, channels, step, order } = column;
  const values = new Float32Array(rows * channels);
  let at = column.at;
  for (let channel = 0; channel < channels; ++channel) {
    let before = 0;
    let slope = 0;
    for (let row = 0; row < rows; ++row) {
      let folded = 0;
      let weight = 1;
      let byte = bytes[at++];
      while (byte >= 128) {
        folded += (byte - 128) * weight;
        weight *= 128;
        byte = bytes[at++];
      }
      folded += byte * weight;
      const left = folded % 2 ? -(folded + 1) / 2 : folded / 2;
      const now = left + (order === 0 ? 0 : order === 2 ? before + slope : before);
      slope = row === 0 ? 0 : now - before;
      before = now;
      values[row * channels + channel] = now * step;
    }
  }
  return { rows, channels, values };
}

async function inflate(packed: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([packed as BlobPart]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function fromBase64(text: string): Uint8Array {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; ++i) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

export class RecordingData {
  readonly model: SceneModel;
  readonly time: Float32Array;
  readonly com: Table[];
  readonly error: Table[]; // this and the following: per actor
  readonly force: Table[];
  readonly torque: (Table | null)[];
  readonly planTime: Float32Array[];
  readonly realism: (Table | null)[];
  readonly referenceRealism: (Table | null)[];
  readonly movedByMuscles: boolean; // the first character
  private readonly muscleUse: (Table | null)[];
  private readonly muscleForce: (Table | null)[]; // null: as their use
  private readonly referenceMuscleUse: (Table | null)[];
  private paths: Paths | null = null;
  readonly position: Table; // all bodies
  private readonly rotation: Table;
  private readonly reference: ({ position: Table; rotation: Table } | null)[];
  private readonly contactStart: Float32Array;
  private readonly contactBodies: Float32Array;
  private readonly contactPoint: Float32Array;
  private readonly contactForce: Float32Array;

  private constructor(
    readonly head: Head,
    readonly label: string,
    columns: Uint8Array,
  ) {
    const maybe = (name: ColumnName) => {
      const column = head.columns[name];
      return column ? decodeColumn(columns, column) : null;
    };
    const table = (name: ColumnName) => {
      const found = maybe(name);
      if (!found) throw new Error(`it has no column "${name}"`);
      return found;
    };
    this.time = table("time").values;
    this.position = table("position");
    this.rotation = table("rotation");
    this.contactStart = table("contact_start").values;
    this.contactBodies = table("contact_bodies").values;
    this.contactPoint = table("contact_point").values;
    this.contactForce = table("contact_force").values;
    this.com = head.actors.map((_, a) => table(`actor${a}_com`));
    this.error = head.actors.map((_, a) => table(`actor${a}_error`));
    this.force = head.actors.map((_, a) => table(`actor${a}_force`));
    this.torque = head.actors.map((_, a) => maybe(`actor${a}_torque`));
    this.planTime = head.actors.map((_, a) => table(`actor${a}_plan_us`).values);
    this.realism = head.actors.map((_, a) => maybe(`actor${a}_realism`));
    this.referenceRealism = head.actors.map((_, a) => maybe(`actor${a}_reference_realism`));
    this.muscleUse = head.actors.map((_, a) => maybe(`actor${a}_muscle_use`));
    this.muscleForce = head.actors.map((_, a) => maybe(`actor${a}_muscle_force`));
    this.referenceMuscleUse = head.actors.map((_, a) => maybe(`actor${a}_reference_muscle_use`));
    this.movedByMuscles = this.muscleForce[0] != null;
    this.reference = head.actors.map((_, a) => {
      const position = maybe(`actor${a}_reference_position`);
      const rotation = maybe(`actor${a}_reference_rotation`);
      return position && rotation ? { position, rotation } : null;
    });
    this.model = {
      bodies: head.bodies,
      paths: () => (this.paths ??= pathsOf(this)),
      actors: head.actors.map((a) => ({ name: a.name, firstBody: a.first_body, bodies: a.bodies, muscles: a.muscles })),
      shapes: head.shapes.map((shape) => {
        const { mesh, ...rest } = shape;
        if (!mesh) return rest;
        return {
          ...rest,
          mesh: {
            vertices: table(`${mesh}_vertices` as ColumnName).values,
            faces: Uint32Array.from(table(`${mesh}_faces` as ColumnName).values),
          },
        };
      }),
    };
  }

  static async read(text: string, label: string): Promise<RecordingData> {
    const bytes = await inflate(fromBase64(text.trim()));
    if (new TextDecoder().decode(bytes.subarray(0, 4)) !== "STNT") throw new Error("this is not a Stunt recording");
    const length = new DataView(bytes.buffer).getUint32(4, true);
    const head = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length))) as Head;
    return new RecordingData(head, label || [head.name, head.actors[0]?.controller].filter(Boolean).join(" · "), bytes.subarray(8 + length));
  }

  get end(): number {
    return this.time[this.time.length - 1];
  }

  // The last row at or before a time.
  rowAt(t: number): number {
    const guess = Math.floor((t - this.time[0]) * this.head.rate);
    let row = Math.max(0, Math.min(this.time.length - 1, guess));
    while (row > 0 && this.time[row] > t) --row;
    while (row + 1 < this.time.length && this.time[row + 1] <= t) ++row;
    return row;
  }

  // Between rows positions are mixed linearly and rotations along the chord, so that slow motion is smooth.
  fill(t: number, frame: Frame): void {
    const row = this.rowAt(t);
    frame.time = t;
    const next = Math.min(row + 1, this.time.length - 1);
    const gap = this.time[next] - this.time[row];
    const share = gap > 0 ? Math.min(1, Math.max(0, (t - this.time[row]) / gap)) : 0;
    mixPositions(this.position, row, next, share, frame.positions);
    mixRotations(this.rotation, row, next, share, frame.rotations);
    this.reference.forEach((reference, a) => {
      const ghost = frame.ghosts[a];
      if (!reference || !ghost) {
        frame.ghosts[a] = null;
        return;
      }
      mixPositions(reference.position, row, next, share, ghost.positions);
      mixRotations(reference.rotation, row, next, share, ghost.rotations);
    });
    this.com.forEach((com, a) => mixPositions(com, row, next, share, frame.com, 3 * a));
    // Over a tenth of a second: the columns are rounded to half a millimetre.
    const early = Math.max(0, row - 3);
    const late = Math.min(this.time.length - 1, row + 3);
    const span = Math.max(1e-3, this.time[late] - this.time[early]);
    this.com.forEach((com, a) => {
      for (let k = 0; k < 3; ++k) frame.comVelocity[3 * a + k] = (cell(com, late, k) - cell(com, early, k)) / span;
    });
    frame.load.fill(0);
    this.head.actors.forEach((actor, a) => {
      const torque = this.torque[a];
      if (!torque) return;
      for (const joint of actor.joints) {
        if (!(joint.limit > 0)) continue;
        const body = actor.first_body + joint.body;
        for (let k = 0; k < (joint.type === "ball" ? 3 : 1); ++k) {
          const used = Math.abs(torque.values[row * torque.channels + joint.dof + k]) / joint.limit;
          frame.load[body] = Math.max(frame.load[body], used);
        }
      }
    });
    this.muscleUse.forEach((use, a) => (frame.muscles[a] = musclesAt(use, this.muscleForce[a], row)));
    this.referenceMuscleUse.forEach((use, a) => (frame.ghostMuscles[a] = musclesAt(use, null, row)));
    frame.contacts.length = 0;
    this.addContacts(row, frame.contacts);
  }

  // The contacts of a row, after those in the list.
  addContacts(row: number, list: Contact[]): void {
    for (let c = this.contactStart[row]; c < this.contactStart[row + 1]; ++c) {
      const triple = (values: Float32Array): Contact["point"] => [values[3 * c], values[3 * c + 1], values[3 * c + 2]];
      list.push({
        body1: this.contactBodies[2 * c],
        body2: this.contactBodies[2 * c + 1],
        point: triple(this.contactPoint),
        force: triple(this.contactForce),
      });
    }
  }

  // A joint's angles over the whole run (rad; m for a slide): one curve for a hinge, three for a ball joint.
  jointCurves(a: number, joint: Joint): { simulated: Float32Array[]; reference: Float32Array[] | null } {
    const actor = this.head.actors[a];
    const parent = this.head.bodies[actor.first_body + joint.body].parent;
    const simulated = jointAngles(this.position, this.rotation, actor.first_body + joint.body, parent, joint);
    const reference = this.reference[a];
    return {
      simulated,
      reference: reference
        ? jointAngles(reference.position, reference.rotation, joint.body, parent - actor.first_body, joint)
        : null,
    };
  }
}

function musclesAt(use: Table | null, force: Table | null, row: number): MuscleUse | null {
  if (!use) return null;
  const of = (table: Table) => table.values.subarray(row * table.channels, (row + 1) * table.channels);
  return { use: of(use), force: of(force ?? use) };
}

function mixPositions(table: Table, row: number, next: number, share: number, out: Float32Array, at = 0): void {
  const a = row * table.channels;
  const b = next * table.channels;
  for (let i = 0; i < table.channels; ++i) {
    out[at + i] = table.values[a + i] + share * (table.values[b + i] - table.values[a + i]);
  }
}

// Stored as w, x, y, z; given out as x, y, z, w.
function mixRotations(table: Table, row: number, next: number, share: number, out: Float32Array): void {
  const v = table.values;
  for (let i = 0; i < table.channels; i += 4) {
    const a = row * table.channels + i;
    const b = next * table.channels + i;
    const w = v[a] + share * (v[b] - v[a]);
    const x = v[a + 1] + share * (v[b + 1] - v[a + 1]);
    const y = v[a + 2] + share * (v[b + 2] - v[a + 2]);
    const z = v[a + 3] + share * (v[b + 3] - v[a + 3]);
    const size = Math.hypot(w, x, y, z) || 1;
    out[i] = x / size;
    out[i + 1] = y / size;
    out[i + 2] = z / size;
    out[i + 3] = w / size;
  }
}

type Quaternion = [number, number, number, number]; // w, x, y, z

function multiply(a: Quaternion, b: Quaternion): Quaternion {
  return [
    a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
    a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
    a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
    a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
  ];
}

const conjugate = (q: Quaternion): Quaternion => [q[0], -q[1], -q[2], -q[3]];

function rotationVector(q: Quaternion): [number, number, number] {
  const sign = q[0] < 0 ? -1 : 1;
  const sine = Math.hypot(q[1], q[2], q[3]);
  const factor = sine < 1e-9 ? 2 : (2 * Math.atan2(sine, sign * q[0])) / sine;
  return [sign * q[1] * factor, sign * q[2] * factor, sign * q[3] * factor];
}

function jointAngles(position: Table, rotation: Table, body: number, parent: number, joint: Joint): Float32Array[] {
  const rows = rotation.rows;
  const curves = Array.from({ length: joint.type === "ball" ? 3 : 1 }, () => new Float32Array(rows));
  const rest = conjugate(joint.rest);
  for (let row = 0; row < rows; ++row) {
    const quaternion = (b: number): Quaternion => {
      const at = row * rotation.channels + 4 * b;
      const v = rotation.values;
      return [v[at], v[at + 1], v[at + 2], v[at + 3]];
    };
    const up = conjugate(quaternion(parent));
    if (joint.type === "slide") {
      const at = (b: number, k: number) => position.values[row * position.channels + 3 * b + k];
      const apart: Quaternion = [0, 0, 1, 2].map((k, i) => (i ? at(body, k) - at(parent, k) : 0)) as Quaternion;
      const local = multiply(multiply(up, apart), conjugate(up));
      const moved: Quaternion = [0, local[1] - joint.offset[0], local[2] - joint.offset[1], local[3] - joint.offset[2]];
      const own = multiply(multiply(rest, moved), conjugate(rest));
      curves[0][row] = own[1] * joint.axis[0] + own[2] * joint.axis[1] + own[3] * joint.axis[2];
      continue;
    }
    const turned = rotationVector(multiply(rest, multiply(up, quaternion(body))));
    if (joint.type === "hinge") {
      // Of one of several hinges of a body: its part of the turn.
      curves[0][row] = turned[0] * joint.axis[0] + turned[1] * joint.axis[1] + turned[2] * joint.axis[2];
    } else {
      for (let k = 0; k < 3; ++k) curves[k][row] = turned[k];
    }
  }
  return curves;
}
