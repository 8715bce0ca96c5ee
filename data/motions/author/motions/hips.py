"""The hips go round as with a hoop, the head staying where it is; loops."""
from math import cos, pi, sin

from feet import standing
from motion import UPRIGHT, Motion

PERIOD = 2.02   # s
TILT = 11.0     # degrees, of the pelvis; the spine bends back
CIRCLE = 0.035  # m, radius of the zero-moment point's way


def pose(t):
    ahead, aside = cos(2 * pi * t / PERIOD), sin(2 * pi * t / PERIOD)  # of the hips
    return UPRIGHT | {
        "height": 0.955,
        "pelvis": (2 - TILT * ahead, 0.0, TILT * 0.7 * aside), "spine": (1.7 * TILT * ahead, 0.0, -1.4 * TILT * aside),
        "head": (-0.7 * TILT * ahead, 0.0, 0.7 * TILT * aside),
        "left": (12, 32, 0, 95), "right": (12, 32, 0, 95),
        "zmp": (CIRCLE * aside, 0.045 + CIRCLE * ahead)}


def motion():
    return Motion(PERIOD, pose, standing(), period=(0.0, 0.0, 0.0), repeat=2, fps=60)
