"""Walking straight ahead at 1.2 m/s: one stride, four times, the last frame being the first one further on.

Events and ranges follow the mean adult at natural cadence (Winter, The Biomechanics and Motor Control of Human Gait,
1991, ch. 3, rounded): toe-off at 60 % of the stride, cadence 112 steps a minute, knee to about 20 degrees when the
weight comes on and about 60 in the swing, foot about 20 degrees toes-up at heel strike. The heel leaves the floor later than
in the mean adult, so that the weight is on a whole foot for most of single support."""
from math import cos, pi

from curve import Keys
from gait import TOES, Step, Style, feet, weight_path
from motion import Motion

STRIDE_TIME, STRIDE, HALF_WIDTH, TOES_OUT = 128 / 120, 1.30, 0.06, 5.0
STYLE = Style(pitch_off=52, pitch_on=-22, rolls=0.23, flattens=0.085, weight_on=-0.015, weight_off=TOES, settles=0.12,
              swing_pitch=[(0.14, 62), (0.82, -20)],
              lift=Keys([(0, 0.0), (0.25, 0.05), (0.5, 0.045), (0.8, 0.025), (1, 0.0)]), ramp=0.39)


def footsteps(first, last):
    """Left foot down at 0, right half a stride later; swings take 40 % of the stride."""
    steps = []
    for n in range(first, last):
        for side, sign, phase in (("Left", 1, 0.0), ("Right", -1, 0.5)):
            t_on = (n + phase) * STRIDE_TIME
            steps.append(Step(side, t_on - 0.4 * STRIDE_TIME, t_on, sign * HALF_WIDTH, (n + phase) * STRIDE,
                              sign * TOES_OUT))
    return steps


def body(phase):
    """The pose at a share of the stride, left heel strike at 0; sizes in degrees and metres."""
    turn = 2 * pi * phase
    swing = cos(turn)                    # +1 when the left leg is in front
    bob = cos(2 * turn - 0.55)           # +1 while both feet are down
    arm = cos(turn + 0.15)
    return {"height": 0.933 - 0.019 * bob, "pelvis": (4 + 1.0 * bob, -5 * swing, 2.5 * cos(turn - 1.9)),
            "spine": (1 - 1.0 * bob, 10 * swing, -2.5 * cos(turn - 1.9)), "head": (-3, -5 * swing, 0.0),
            "left": (1 - 19 * arm, 8, 0, 24 - 10 * arm), "right": (1 + 19 * arm, 8, 0, 24 + 10 * arm)}


def motion():
    steps = footsteps(-2, 5)
    start = {"Left": (HALF_WIDTH, -3 * STRIDE, TOES_OUT), "Right": (-HALF_WIDTH, -2.5 * STRIDE, -TOES_OUT)}
    legs = feet(steps, start, STYLE)
    weight = weight_path(steps[2:-2], legs, STYLE)
    return Motion(STRIDE_TIME, lambda t: body(t / STRIDE_TIME) | {"zmp": weight(t)}, legs,
                  period=(0.0, 0.0, STRIDE), repeat=4)
