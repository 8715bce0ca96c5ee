"""A limp: the right leg is spared, so its stance is short, its knee stiff, and the trunk leans over it; loops."""
from math import cos, pi, sin

from curve import Keys
from gait import TOES, Step, Style, feet, weight_path
from motion import Motion

STRIDE_TIME, STRIDE, HALF_WIDTH, TOES_OUT = 148 / 120, 0.86, 0.07, 6.0
RIGHT_ON, RIGHT_AHEAD = 0.56, 0.50  # shares of the stride: when the right foot comes down, how far ahead
SWING = {"Left": 0.30, "Right": 0.42}
STYLE = Style(pitch_off=38, pitch_on=-10, rolls=0.18, flattens=0.08, weight_on=0.0, weight_off=TOES - 0.01, settles=0.10,
              swing_pitch=[(0.16, 44), (0.8, -8)], lift=Keys([(0, 0.0), (0.3, 0.04), (0.6, 0.04), (1, 0.0)]), ramp=0.39)


def footsteps(first, last):
    steps = []
    for n in range(first, last):
        for side, sign, on, ahead in (("Left", 1, 0.0, 0.0), ("Right", -1, RIGHT_ON, RIGHT_AHEAD)):
            t_on = (n + on) * STRIDE_TIME
            steps.append(Step(side, t_on - SWING[side] * STRIDE_TIME, t_on, sign * HALF_WIDTH, (n + ahead) * STRIDE,
                              sign * TOES_OUT))
    return steps


def body(phase):
    """The pose at a share of the stride, left heel strike at 0; the right foot carries from 0.56 to 0.14."""
    turn = 2 * pi * phase
    swing, over = cos(turn), sin(turn + 0.5)  # left leg in front; over the right leg at -1
    lean = -5 * over
    return {"height": 0.948 + 0.010 * over - 0.006 * cos(2 * turn), "pelvis": (5, -3 * swing, 1.5 * over),
            "spine": (3, 6 * swing, -lean), "head": (-4, -3 * swing, 0.5 * lean),
            "left": (1 - 10 * swing, 10, 0, 26 - 5 * swing), "right": (3 + 8 * swing, 8, 0, 30)}


def motion():
    steps = footsteps(-2, 5)
    start = {"Left": (HALF_WIDTH, -3 * STRIDE, TOES_OUT), "Right": (-HALF_WIDTH, -2.5 * STRIDE, -TOES_OUT)}
    legs = feet(steps, start, STYLE)
    weight = weight_path(steps[2:-2], legs, STYLE)
    return Motion(STRIDE_TIME, lambda t: body(t / STRIDE_TIME) | {"zmp": weight(t)}, legs, period=(0.0, 0.0, STRIDE), repeat=4)
