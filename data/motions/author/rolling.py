"""Motions that roll on the floor in the sagittal plane. Poses are keyed; where the body then is follows from the floor: its
lowest points rest on it and do not slip."""
from math import exp

from balance import Momentum, points
from body import BALL, GRAVITY, HAND, HEEL, INDEX, JOINTS, forward
from curve import poses
from limbs import hang, wrist
from rotation import IDENTITY, about_x, add, inverse, rotate, sub, turn

SOFT = 0.004  # m: points as much higher than the lowest one carry about a third as much

# What may touch: (joint, place in its axes, radius in m): the figure's round shapes.
SHAPES = [("Hips", (0.0, 0.0, 0.0), 0.09), ("Spine", (0.0, 0.02, 0.0), 0.087), ("Spine", (0.0, 0.10, 0.0), 0.087),
          ("Spine1", (0.0, 0.03, 0.0), 0.09), ("Spine1", (0.0, 0.09, 0.0), 0.092), ("Spine1", (0.0, 0.17, 0.0), 0.08),
          ("Neck", (0.0, 0.04, 0.0), 0.05), ("Head", (0.0, 0.05, 0.0), 0.085), ("Head", (0.0, 0.10, 0.0), 0.085),
          ("LeftForeArm", (0.0, 0.0, 0.0), 0.042), ("LeftHand", (0.03, 0.0, 0.0), 0.018),
          ("LeftHand", (HAND, 0.0, 0.0), 0.018), ("LeftLeg", (0.0, 0.0, 0.0), 0.052),
          ("LeftFoot", (0.0, HEEL[1] + 0.01, HEEL[2]), 0.01), ("LeftToeBase", (0.0, -0.015, 0.0), 0.01),
          ("LeftToeBase", (0.0, -0.015, 0.055), 0.01)]

# The channels of a pose, degrees. pelvis: pitch forwards, going on through 360. legs: hip and knee flexion, and the pitch of
# the soles. Arms as in motion.py.
REST = {"pelvis": 0.0, "spine": 0.0, "head": 0.0, "legs": (0.0, 0.0, 0.0), "arms": (0.0, 8.0, 0.0, 10.0), "wrist": 0.0}


class Rolling:
    """timeline: [(t, {channel: value})], see curve.poses."""

    def __init__(self, duration, timeline, fps=120):
        self.dt = 1.0 / fps
        curves = poses(timeline, REST)
        locals_ = [self._local({name: curve(i * self.dt) for name, curve in curves.items()})
                   for i in range(round(duration * fps) + 1)]
        self.times = [i * self.dt for i in range(len(locals_))]
        self.frames, z = [], 0.0
        before = None
        for local in locals_:
            world = forward((0.0, 0.0, 0.0), local)
            low = [(INDEX[joint], at, sub(add(world[0][INDEX[joint]], rotate(world[1][INDEX[joint]], at)), (0.0, r, 0.0)))
                   for joint, at, r in SHAPES]
            bottom = min(p[1] for _, _, p in low)
            weights = [exp(-(p[1] - bottom) / SOFT) for _, _, p in low]
            if before:  # what touched stays: so far have its points gone meanwhile
                old_world, old_low, old_weights = before
                gone = 0.0
                for (joint, _, p), w in zip(old_low, old_weights):
                    spot = rotate(inverse(old_world[1][joint]), sub(p, old_world[0][joint]))
                    gone += w * (add(world[0][joint], rotate(world[1][joint], spot))[2] - p[2])
                z -= gone / sum(old_weights)
            before = (world, low, weights)
            self.frames.append(((0.0, -bottom, z), local))
        self.world = [forward(root, local) for root, local in self.frames]
        self.momentum = Momentum([points(w) for w in self.world], self.dt)

    @staticmethod
    def _local(pose):
        local = [IDENTITY] * len(JOINTS)
        local[0] = about_x(pose["pelvis"])
        local[INDEX["Spine"]] = local[INDEX["Spine1"]] = turn(pose["spine"] / 2)
        local[INDEX["Neck"]] = local[INDEX["Head"]] = turn(pose["head"] / 2)
        hip, knee, sole = pose["legs"]
        for side in ("Left", "Right"):
            leg = INDEX[side + "UpLeg"]
            local[leg], local[leg + 1] = about_x(-hip), about_x(knee)
            local[leg + 2], local[leg + 3] = about_x(sole - (pose["pelvis"] - hip + knee)), IDENTITY
            local[INDEX[side + "Arm"]], local[INDEX[side + "ForeArm"]] = hang(side, *pose["arms"])
            local[INDEX[side + "Hand"]] = wrist(side, pose["wrist"], 0.0)
        return local

    def resting(self, i, near=0.015):
        """Where points are on the floor at frame i: their places along Z."""
        places, turns = self.world[i]
        found = []
        for joint, at, r in SHAPES:
            p = add(places[INDEX[joint]], rotate(turns[INDEX[joint]], at))
            if p[1] - r < near:
                found.append((p[2], joint))
        return found

    def figures(self):
        m = self.momentum
        margins = []
        for i, p in enumerate(m.zmp):
            along = [z for z, _ in self.resting(i)]
            margins.append(min(p[1] - min(along), max(along) - p[1]))
        jerk = max(abs(b - a) / self.dt for p, q in zip(m.com_acceleration, m.com_acceleration[1:])
                   for a, b in zip(p, q))
        return {"seconds": (len(self.frames) - 1) * self.dt, "margin": 100 * min(margins), "slide": 0.0,
                "lowest": min(a[1] for a in m.com_acceleration) / GRAVITY, "extension": 0.0, "jerk": jerk, "spin": 0.0}
