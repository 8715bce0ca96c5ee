"""A jump on the spot with both legs: sink, push off, 0.35 s in the air, land, stand.

The centre of mass is planned first, as an acceleration: sinking and push-off are two bumps whose sizes follow from the
speed and height wanted at take-off, the air is exactly -g, landing mirrors it more slowly. The trunk keeps the angular
momentum at zero from the deepest point on, so that the body does not turn in the air."""
from curve import Keys, bump, ease, poses
from body import GRAVITY
from feet import Foot, Plant
from gait import TOES
from motion import UPRIGHT, Motion, channels

RATE = 960                                   # samples a second of the planned path
STAND = 1.0012                               # m, centre of mass of UPRIGHT
FLIGHT = 0.35                                # s
TAKE_OFF, SINK, PUSH = 1.50, 0.52, 0.33      # s: end of push-off; lengths of the two bumps, sinking first
RISE = 0.025                                 # m above STAND at take-off and landing
FADE = 0.06                                  # s in which the weight leaves the floor


def half_path(sink, push):
    """[(s before take-off, m above STAND)] from rest to take-off. Acceleration = a * sinking + b * pushing, and
    -g fading in at the end; a and b from speed and height at take-off."""
    n = round((sink + push) * RATE)
    total = n / RATE
    def shapes(t):
        air = ease((t - total + FADE) / FADE)
        return (-bump(t / (sink * 1.25)), bump((t - sink * 0.6) / (total - sink * 0.6 + FADE)) * (1 - air),
                -GRAVITY * air)
    ends = []
    for k in range(3):  # speed and height each shape alone would give
        v = y = 0.0
        for i in range(n):
            gain = shapes((i + 0.5) / RATE)[k] / RATE
            y += (v + gain / 2) / RATE
            v += gain
        ends.append((v, y))
    (v1, y1), (v2, y2), (v3, y3) = ends
    speed, height = GRAVITY * FLIGHT / 2 - v3, RISE - y3
    det = v1 * y2 - v2 * y1
    a, b = (speed * y2 - v2 * height) / det, (v1 * height - speed * y1) / det
    path, v, y = [(total, 0.0)], 0.0, 0.0
    for i in range(n):
        s = shapes((i + 0.5) / RATE)
        gain = (a * s[0] + b * s[1] + s[2]) / RATE
        y += (v + gain / 2) / RATE
        v += gain
        path.append((total - (i + 1) / RATE, y))
    return path


def com_height():
    """t -> height of the centre of mass."""
    up, down = half_path(SINK, PUSH), half_path(SINK * 1.2, PUSH)
    def height(path, before):
        if before >= path[0][0]:
            return STAND
        x = (path[0][0] - before) * RATE
        i = min(int(x), len(path) - 2)
        return STAND + path[i][1] + (x - i) * (path[i + 1][1] - path[i][1])
    def at(t):
        air = t - TAKE_OFF
        if air <= 0:
            return height(up, -air)
        if air >= FLIGHT:
            return height(down, air - FLIGHT)
        return STAND + RISE + GRAVITY / 2 * air * (FLIGHT - air)
    return at


LAND = TAKE_OFF + FLIGHT
LOW = {"pelvis": (22, 0, 0), "spine": (8, 0, 0), "head": (-12, 0, 0), "left": (-20, 10, 0, 20),
       "right": (-20, 10, 0, 20)}
OFF = {"pelvis": (2, 0, 0), "spine": (0, 0, 0), "head": (-2, 0, 0), "left": (22, 12, 0, 40), "right": (22, 12, 0, 40)}
DOWN = {"pelvis": (20, 0, 0), "spine": (8, 0, 0), "head": (-12, 0, 0), "left": (15, 12, 0, 30),
        "right": (15, 12, 0, 30)}


def motion():
    timeline = [(0, {}), (0.55, {}), (1.23, LOW), (1.52, OFF), (1.83, OFF), (2.13, DOWN), (2.9, UPRIGHT), (3.6, {})]
    curves = poses(timeline, UPRIGHT)
    curves["zmp"] = Keys([(0.5, (0.0, 0.045)), (1.15, (0.0, 0.06)), (1.38, (0.0, TOES)), (1.96, (0.0, TOES)),
                          (2.2, (0.0, 0.07)), (3.0, (0.0, 0.045))])
    pitch = Keys([(1.36, 0), (TAKE_OFF, 44), (TAKE_OFF + 0.07, 56), (LAND - 0.07, 46), (LAND, 34), (LAND + 0.15, 0)])
    feet = {side: Foot([Plant(-1e6, TAKE_OFF, sign * 0.10, 0.0, sign * 7.0),
                        Plant(LAND, 1e6, sign * 0.10, 0.0, sign * 7.0)], pitch, lambda s: 0.15 * bump(s))
            for side, sign in (("Left", 1), ("Right", -1))}
    quiet = Keys([(1.12, 0.0), (1.28, 1.0), (2.0, 1.0), (2.15, 0.0)])
    recovered = Keys([(2.15, 1.0), (3.0, 0.0)])
    return Motion(3.6, channels(curves), feet, com_height=com_height(), no_spin=quiet, recover=recovered)
