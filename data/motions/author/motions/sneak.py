"""Sneaking: slow, crouched, feet lifted high and put down toes first; loops."""
from math import cos, pi

from curve import bump
from gait import Step, Style, feet, weight_path
from motion import Motion

STRIDE_TIME, STRIDE, HALF_WIDTH, TOES_OUT = 264 / 120, 0.80, 0.08, 8.0
STYLE = Style(pitch_off=22, pitch_on=10, rolls=0.25, flattens=0.16, weight_on=0.05, weight_off=0.06, settles=0.15,
              swing_pitch=[(0.3, 26), (0.7, 14)], lift=lambda s: 0.16 * bump(s), ramp=0.42)


def footsteps(first, last):
    """Left foot down at 0, right half a stride later; swings take a third of the stride."""
    steps = []
    for n in range(first, last):
        for side, sign, phase in (("Left", 1, 0.0), ("Right", -1, 0.5)):
            t_on = (n + phase) * STRIDE_TIME
            steps.append(Step(side, t_on - 0.33 * STRIDE_TIME, t_on, sign * HALF_WIDTH, (n + phase) * STRIDE, sign * TOES_OUT))
    return steps


def body(phase):
    turn = 2 * pi * phase
    swing = cos(turn)  # +1 when the left leg is in front
    return {"height": 0.865 - 0.008 * cos(2 * turn), "pelvis": (10, -4 * swing, 0.0), "spine": (16, 6 * swing, 0.0),
            "head": (-16, -2 * swing, 0.0), "left": (34 - 8 * swing, 14, 0, 70), "right": (34 + 8 * swing, 14, 0, 70)}


def motion():
    steps = footsteps(-2, 5)
    start = {"Left": (HALF_WIDTH, -3 * STRIDE, TOES_OUT), "Right": (-HALF_WIDTH, -2.5 * STRIDE, -TOES_OUT)}
    legs = feet(steps, start, STYLE)
    weight = weight_path(steps[2:-2], legs, STYLE)
    return Motion(STRIDE_TIME, lambda t: body(t / STRIDE_TIME) | {"zmp": weight(t)}, legs, period=(0.0, 0.0, STRIDE), repeat=3)
