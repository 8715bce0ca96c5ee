"""On hands and knees: palms and knees are planted or travel from rest to rest; the hips stand on the knees, so their
heights follow, and the arms reach for the palms."""
from math import asin, degrees, sqrt

from balance import Momentum, margin, points, smooth
from body import BALL, FOREARM, GRAVITY, HAND, HIP, INDEX, JOINTS, SHANK, THIGH, TOE_TIP, UPPER_ARM, forward
from curve import bump, ease
from limbs import reach
from rotation import IDENTITY, about_x, about_y, add, from_axes, inverse, mul, norm, rotate, scale, sub, turn, unit

KNEE, WRIST = 0.049, 0.018  # m: heights of the joints when knee and palm rest on the floor
TOES = 0.004                # m: of the toe tips, which trail behind
SIDES = (("Left", 1), ("Right", -1))


class Limb:
    """A knee or a palm: where it starts (x, z), and its moves [(from s, to s, by m forwards)]."""

    def __init__(self, x, z, moves, lift):
        self.x, self.z, self.moves, self.lift = x, z, moves, lift

    def at(self, t):
        """(x, height over its resting height, z)"""
        z, up = self.z, 0.0
        for begin, end, by in self.moves:
            s = (t - begin) / (end - begin)
            z += by * ease(s)
            up += self.lift * bump(s)
        return (self.x, up, z)


class AllFours:
    """limbs: {(side, "knee" or "palm"): Limb}. trunk: pitch of the pelvis, of the spine, of the head, degrees. ahead: of the
    pelvis before the knees, m. sway: t -> m, of the pelvis to the left: over the three limbs that rest."""

    def __init__(self, duration, limbs, sway, trunk=(78.0, 4.0, -40.0), ahead=0.02, fps=120):
        self.dt = 1.0 / fps
        self.limbs, self.trunk = limbs, trunk
        self.times = [i * self.dt for i in range(round(duration * fps) + 1)]
        knees = [limb for (_, kind), limb in limbs.items() if kind == "knee"]
        way = smooth([sum(k.at(t)[2] for k in knees) / len(knees) for t in self.times], 0.45 * fps, False)
        self._pose([(sway(t), z + ahead) for t, z in zip(self.times, way)])

    def _pose(self, roots):
        self.frames = [self._frame(t, x, z) for t, (x, z) in zip(self.times, roots)]
        self.world = [forward(root, local) for root, local in self.frames]
        self.momentum = Momentum([points(w) for w in self.world], self.dt)

    def resting(self, t):
        """The points on the floor, (x, z)."""
        found = []
        for (_, kind), limb in self.limbs.items():
            if limb.at(t)[1] < 0.002:
                x, _, z = limb.at(t)
                reach_ahead = HAND if kind == "palm" else 0.0
                found += [(x - 0.03, z), (x + 0.03, z), (x - 0.03, z + reach_ahead), (x + 0.03, z + reach_ahead)]
        return found

    def _frame(self, t, x, z):
        pitch, spine, head = self.trunk
        knees = {}
        for side, _ in SIDES:
            kx, up, kz = self.limbs[side, "knee"].at(t)
            knees[side] = (kx, KNEE + up, kz)
        height, roll = KNEE + THIGH, 0.0
        for _ in range(8):  # until both hips are a thigh's length from their knees
            pelvis = turn(pitch, 0.0, roll)
            miss = {}
            for side, sign in SIDES:
                hip = add((x, height, z), rotate(pelvis, (sign * HIP[0], HIP[1], 0.0)))
                kx, ky, kz = knees[side]
                beside = THIGH ** 2 - (hip[0] - kx) ** 2 - (hip[2] - kz) ** 2
                miss[side] = ky + sqrt(max(0.0, beside)) - hip[1]
            height += (miss["Left"] + miss["Right"]) / 2
            roll += degrees((miss["Left"] - miss["Right"]) / (2 * HIP[0])) * 0.8
        root = (x, height, z)
        local = [IDENTITY] * len(JOINTS)
        local[0] = turn(pitch, 0.0, roll)
        back = turn(spine / 2, 0.0, -roll / 2)
        local[INDEX["Spine"]] = local[INDEX["Spine1"]] = back
        local[INDEX["Neck"]] = local[INDEX["Head"]] = turn(head / 2)
        for side, sign in SIDES:
            self._leg(local, root, side, sign, knees[side])
            self._arm(local, root, side, sign, t)
        return root, local

    @staticmethod
    def _leg(local, root, side, sign, knee):
        thigh = INDEX[side + "UpLeg"]
        hip = add(root, rotate(local[0], (sign * HIP[0], HIP[1], 0.0)))
        up = unit(sub(hip, knee))
        hinge = unit(sub((1.0, 0.0, 0.0), scale(up, up[0])))
        upper = from_axes(hinge, up, (hinge[1] * up[2] - hinge[2] * up[1], hinge[2] * up[0] - hinge[0] * up[2],
                                      hinge[0] * up[1] - hinge[1] * up[0]))
        # The shank leads back and up to an ankle whose foot hangs on it, toes just over the floor.
        foot = 110.0
        drop = -rotate(about_x(foot), add(BALL, TOE_TIP))[1]
        shank = 90.0 + degrees(asin((TOES + drop - knee[1]) / SHANK))
        lower = about_x(shank)
        local[thigh] = mul(inverse(local[0]), upper)
        local[thigh + 1] = mul(inverse(upper), lower)
        local[thigh + 2] = mul(inverse(lower), about_x(foot))
        local[thigh + 3] = IDENTITY

    def _arm(self, local, root, side, sign, t):
        arm, fore, hand = (INDEX[side + part] for part in ("Arm", "ForeArm", "Hand"))
        px, up, pz = self.limbs[side, "palm"].at(t)
        places, turns = forward(root, local)
        world, local[fore] = reach(side, places[arm], (px, WRIST + up, pz), (sign * 0.5, 0.1, -1.0))
        local[arm] = mul(inverse(turns[arm - 1]), world)
        # Palms down, fingers ahead; on the way the hand hangs a little.
        flat = mul(about_x(250.0 * up), about_y(-90.0 * sign))
        local[hand] = mul(inverse(mul(world, local[fore])), flat)

    def figures(self):
        m = self.momentum
        margins = [margin(p, self.resting(t)) for p, t in zip(m.zmp, self.times)]
        jerk = max(abs(b - a) / self.dt for p, q in zip(m.com_acceleration, m.com_acceleration[1:])
                   for a, b in zip(p, q))
        used = max(norm(sub(w[0][INDEX[s + "Hand"]], w[0][INDEX[s + "Arm"]])) / (UPPER_ARM + FOREARM)
                   for w in self.world for s, _ in SIDES)
        return {"seconds": (len(self.frames) - 1) * self.dt, "margin": 100 * min(margins), "slide": 0.0,
                "lowest": min(a[1] for a in m.com_acceleration) / GRAVITY, "extension": used, "jerk": jerk, "spin": 0.0}
