"""Motions that hang on a bar: nothing stands, so no balance is solved for. The palms stay on the bar, and the body turns
about it as a pendulum does."""
from math import degrees, radians, sin

from balance import Momentum, points
from body import GRAVITY, HAND, INDEX, MASSES, forward
from motion import UPRIGHT, _upper_body
from rotation import IDENTITY, about_x, add, dot, mul, rotate, scale, sub

BAR = 2.28  # m: height of the bar, which lies along X at Z = 0
PALM = HAND / 2


class Hanging:
    """pose: t -> channels of motion.UPRIGHT (height and zmp are not used) and "legs": (hip flexion, knee flexion) in
    degrees. swing: t -> degrees by which the body has turned about the bar, feet backwards."""

    def __init__(self, duration, pose, swing, fps=120):
        self.dt = 1.0 / fps
        self.frames = [frame(pose(i * self.dt), swing(i * self.dt)) for i in range(round(duration * fps) + 1)]

    def figures(self):
        world = [forward(root, local) for root, local in self.frames]
        m = Momentum([points(w) for w in world], self.dt)
        palms = [palm(w) for w in world]
        jerk = max(abs(b - a) / self.dt for p, q in zip(m.com_acceleration, m.com_acceleration[1:])
                   for a, b in zip(p, q))
        return {"seconds": (len(self.frames) - 1) * self.dt, "margin": 0.0,
                "slide": 1000 * max(sum(c * c for c in sub(a, palms[0])) ** 0.5 for a in palms),
                "lowest": min(a[1] for a in m.com_acceleration) / GRAVITY, "extension": 0.0, "jerk": jerk, "spin": 0.0}


def palm(world):
    """Midway between the palms."""
    places, turns = world
    hands = [add(places[INDEX[side + "Hand"]], rotate(turns[INDEX[side + "Hand"]], (sign * PALM, 0.0, 0.0)))
             for side, sign in (("Left", 1), ("Right", -1))]
    return scale(add(*hands), 0.5)


def frame(pose, swing):
    local = _upper_body(pose, 0.0)
    local[0] = mul(about_x(swing), local[0])
    hip, knee = pose["legs"]
    for side in ("Left", "Right"):
        leg = INDEX[side + "UpLeg"]
        local[leg], local[leg + 1] = about_x(-hip), about_x(knee)
        local[leg + 2], local[leg + 3] = about_x(25.0), IDENTITY
    held = palm(forward((0.0, 0.0, 0.0), local))
    return sub((0.0, BAR, 0.0), held), local


# Straight arms, palms forwards, shoulders drawn up a little by the bend of the elbows that is left.
HANG = {**UPRIGHT, "pelvis": (0, 0, 0), "left": (176, 6, 0, 4), "right": (176, 6, 0, 4), "legs": (6.0, 22.0)}


def pendulum(pose, amplitude, duration, rate=4800):
    """t -> degrees: a rigid body in that pose, let go at `amplitude` (degrees)."""
    world = forward(*frame(pose, 0.0))
    turning = lifted = 0.0
    for (_, mass, _), place in zip(MASSES, points(world)):
        arm = sub(place, (place[0], BAR, 0.0))
        turning += mass * dot(arm, arm)
        lifted -= mass * arm[1]
    stiffness = GRAVITY * lifted / turning
    angle, speed, path = radians(amplitude), 0.0, []
    for _ in range(int(duration * rate) + 2):
        path.append(degrees(angle))
        speed -= stiffness * sin(angle) / rate
        angle += speed / rate
    return lambda t: path[round(t * rate)]
