"""Swinging on a high bar: let go behind it, to and fro; the legs follow a little late, as a whip does."""
from math import sin, tau

from curve import ease
from hanging import HANG, Hanging, pendulum

DURATION, AMPLITUDE, PERIOD = 4.6, 32.0, 2.28


def motion():
    swing = pendulum(HANG, AMPLITUDE, DURATION)

    def pose(t):
        late = 7.0 * sin(tau * (t / PERIOD - 0.12)) * ease(t / 0.8)
        return {**HANG, "legs": (6.0 + late, 22.0)}
    return Hanging(DURATION, pose, swing)
