"""A motion is authored as feet, a pose of the rest of the body, and where the zero-moment point shall be; `solve`
finds the path of the pelvis for which the whole body, moving like that, is in balance."""
from math import degrees

from balance import Momentum, com_path, points, smooth
from body import INDEX, JOINTS, MASS, forward
from limbs import hang, leg, reach, wrist
from rotation import IDENTITY, about_x, add, inverse, mul, rotate, turn

# The channels of a pose. Angles in degrees: (pitch forwards, yaw left, roll right); arms hanging: (flexion, abduction,
# twist, elbow); arms reaching: wrist and elbow direction from the pelvis, m; wrists, where they bend: (extension towards
# the back of the hand, deviation towards the thumb).
UPRIGHT = {"height": 0.967, "pelvis": (2.0, 0.0, 0.0), "spine": (0.0, 0.0, 0.0), "head": (0.0, 0.0, 0.0),
           "left": (2.0, 8.0, 0.0, 14.0), "right": (2.0, 8.0, 0.0, 14.0), "zmp": (0.0, 0.045)}


class Motion:
    def __init__(self, duration, pose, feet, *, period=None, repeat=1, com_height=None, no_spin=None, recover=None,
                 softness=0.0, seat=None, fps=120):
        self.fps = fps
        self.dt = 1.0 / fps
        self.count = round(duration * fps) + (0 if period else 1)
        self.pose = pose                # t -> {channel: value}
        self.feet = feet                # {"Left": Foot, "Right": Foot}
        self.period = period            # displacement (x, y, z) of one period, or None
        self.repeat = repeat            # how many periods are written
        self.com_height = com_height    # t -> m, where the centre of mass decides the height and not the pelvis
        self.no_spin = no_spin          # t -> share of the angular momentum about X to be taken away by the trunk
        self.recover = recover          # t -> share of that turn of the trunk that is still there
        self.softness = softness        # s: changes of angular momentum faster than this move the zero-moment point
        self.seat = seat                # what carries the pelvis as well as the feet do, see Seat


class Seat:
    """A seat whose middle is at z (m). on: t -> 1 while the pelvis stays there, whatever moves above it; half as wide and
    deep (m) as `half` says."""

    def __init__(self, z, on, half=(0.2, 0.15)):
        self.z, self.on, self.half = z, on, half

    def corners(self):
        return [(x, self.z + z) for x in (-self.half[0], self.half[0]) for z in (-self.half[1], self.half[1])]


def channels(curves):
    return lambda t: {name: curve(t) for name, curve in curves.items()}


def _upper_body(pose, lean):
    local = [IDENTITY] * len(JOINTS)
    pitch, yaw, roll = pose["pelvis"]
    local[0] = turn(pitch + lean, yaw, roll)
    half = turn(*(a / 2 for a in pose["spine"]))
    local[INDEX["Spine"]] = local[INDEX["Spine1"]] = half
    half = turn(*(a / 2 for a in pose["head"]))
    local[INDEX["Neck"]] = local[INDEX["Head"]] = half
    for side, key in (("Left", "left"), ("Right", "right")):
        arm, fore = INDEX[side + "Arm"], INDEX[side + "ForeArm"]
        if key in pose:
            local[arm], local[fore] = hang(side, *pose[key])
        else:
            places, turns = forward((0.0, 0.0, 0.0), local)
            world, local[fore] = reach(side, places[arm], pose[key + "_hand"], pose[key + "_elbow"])
            local[arm] = mul(inverse(turns[arm - 1]), world)
        if key + "_wrist" in pose:
            local[INDEX[side + "Hand"]] = wrist(side, *pose[key + "_wrist"])
    return local


def _legs(local, root, feet):
    """Adds the legs that reach the feet from the pelvis at `root`; returns how much of their length they use."""
    used = 0.0
    for side, (ankle, foot, toes) in feet.items():
        hip_index = INDEX[side + "UpLeg"]
        hip = add(root, rotate(local[0], JOINTS[hip_index][2]))
        heading = rotate(foot, (1.0, 0.0, 0.0))
        thigh, knee, extension = leg(hip, ankle, (-heading[2], 0.0, heading[0]))
        shank = mul(thigh, about_x(knee))
        local[hip_index] = mul(inverse(local[0]), thigh)
        local[hip_index + 1] = about_x(knee)
        local[hip_index + 2] = mul(inverse(shank), foot)
        local[hip_index + 3] = mul(inverse(foot), toes)
        used = max(used, extension)
    return used


class Solution:
    """frames: (root, local rotations); world: forward(frame); momentum; extension: of the longest leg, per frame."""

    def __init__(self, motion, roots, leans, poses, feet):
        self.frames, self.extension = [], []
        for root, lean, pose, foot in zip(roots, leans, poses, feet):
            local = _upper_body(pose, lean)
            self.extension.append(_legs(local, root, foot))
            self.frames.append((root, local))
        self.world = [forward(root, local) for root, local in self.frames]
        self.momentum = Momentum([points(w) for w in self.world], motion.dt, motion.period)


def solve(motion, passes=40, tolerance=2e-5):
    """Moves the pelvis until the zero-moment point lies where the motion wants it."""
    times = [i * motion.dt for i in range(motion.count)]
    poses = [motion.pose(t) for t in times]
    feet = [{side: foot.at(t) for side, foot in motion.feet.items()} for t in times]
    roots = [(p["zmp"][0], p["height"], p["zmp"][1]) for p in poses]
    leans = [0.0] * motion.count
    periodic = motion.period is not None
    turned = leans
    zmp = [list(p["zmp"]) for p in poses]
    turning = 22 if motion.no_spin else 0  # passes that also turn the trunk; the others then settle the pelvis
    for n in range(passes):
        now = Solution(motion, roots, leans, poses, feet)
        m = now.momentum
        stiffness = [max(f, 0.0) / (MASS * c[1]) for f, c in zip(m.force_y, m.com)]
        com = {}
        for axis, sign, spin in ((0, 1, 2), (2, -1, 0)):
            push = [sign * r[spin] / (MASS * c[1]) for r, c in zip(m.rate, m.com)]
            push = smooth(push, motion.softness * motion.fps, periodic)
            push = [s * min(1.0, k * 0.5) for s, k in zip(push, stiffness)]  # none in flight
            wanted = [p[axis // 2] for p in zmp]
            com[axis] = com_path(stiffness, wanted, push, motion.dt, motion.period[axis] if periodic else None)
        shift = [(x - c[0], motion.com_height(t) - c[1] if motion.com_height else 0.0, z - c[2])
                 for x, z, c, t in zip(com[0], com[2], m.com, times)]
        roots = [add(r, s) for r, s in zip(roots, shift)]
        if motion.seat:  # the weight is wherever it keeps the pelvis in its place
            for place, root, t in zip(zmp, roots, times):
                place[1] += 0.5 * motion.seat.on(t) * (motion.seat.z - root[2])
        if n < turning:
            turned = _cancel_spin(motion, turned, m.spin, times)
            leans = [lean * (motion.recover(t) if motion.recover else 1.0) for lean, t in zip(turned, times)]
        elif max(max(map(abs, s)) for s in shift) < tolerance:
            break
    return Solution(motion, roots, leans, poses, feet)


def _cancel_spin(motion, leans, spins, times):
    """Turns the trunk against the angular momentum about X where `no_spin` asks."""
    inertia = 6.0  # kg m^2, of what turns with the pelvis; only the speed of convergence depends on it
    shares = [motion.no_spin(t) for t in times]
    # What repeats keeps its mean angular momentum, else the trunk would turn further in every period.
    steady = sum(s[0] * w for s, w in zip(spins, shares)) / sum(shares) if motion.period else 0.0
    change, changes = 0.0, []
    for spin, share in zip(spins, shares):
        change -= degrees(spin[0] - steady) / inertia * share * motion.dt * 0.8
        changes.append(change)
    # Momentum is a central difference and does not see what alternates from frame to frame.
    changes = smooth(changes, 1.0, motion.period is not None)
    centre = sum(changes) / len(changes) if motion.period else 0.0
    return [old + new - centre for old, new in zip(leans, changes)]
