"""Jogging straight ahead at 2.2 m/s: one stride, six times, the last frame being the first one further on.

The centre of mass is planned first: free fall while no foot is down, and while one is, a push whose size makes the
stride repeat. The foot lands nearly flat under the body and rolls off over the ball."""
from math import cos, pi

from body import GRAVITY
from curve import Keys, ease
from gait import TOES, Step, Style, feet
from motion import Motion

STEP_TIME, STANCE = 42 / 120, 29 / 120   # s
STRIDE_TIME, STRIDE, HALF_WIDTH, TOES_OUT = 2 * STEP_TIME, 1.57, 0.035, 4.0
MEAN_HEIGHT, RATE = 0.950, 960           # m, centre of mass; samples a second of its planned path
STYLE = Style(pitch_off=46, pitch_on=0, rolls=0.12, flattens=0.04, weight_on=0.05, weight_off=TOES, settles=0.13,
              swing_pitch=[(0.22, 84), (0.40, 78), (0.80, 2)],
              lift=Keys([(0, 0.0), (0.30, 0.21), (0.50, 0.16), (0.80, 0.05), (1, 0.0)]), ramp=0.32)


def push(t):
    """The ground's force as a share of its largest value, t s after touch-down."""
    return ease(t / (0.45 * STANCE)) * ease((STANCE - t) / (0.45 * STANCE))


def com_height():
    """t -> height of the centre of mass; a foot comes down at 0, STEP_TIME, ..."""
    n = round(STEP_TIME * RATE)
    force = [push((i + 0.5) / RATE) for i in range(n)]
    peak = GRAVITY * n / sum(force)      # the mean force is the weight
    speeds, v = [], 0.0
    for f in force:
        speeds.append(v)
        v += (peak * f - GRAVITY) / RATE
    mean = sum(speeds) / n
    path, y = [], 0.0
    for i, f in enumerate(force):
        path.append(y)
        y += (speeds[i] - mean + (peak * f - GRAVITY) / RATE / 2) / RATE
    slip, middle = y, sum(path) / n
    def at(t):
        x = (t % STEP_TIME) * RATE
        i = int(x + 1e-6) % n
        here, after = path[i] - slip * i / n, path[(i + 1) % n] - slip * ((i + 1) % n) / n
        return MEAN_HEIGHT + here - middle + (x - int(x + 1e-6)) * (after - here)
    return at


def footsteps(first, last):
    steps = []
    for n in range(first, last):
        for side, sign, half in (("Left", 1, 0), ("Right", -1, 1)):
            t_on = (2 * n + half) * STEP_TIME
            steps.append(Step(side, t_on - STRIDE_TIME + STANCE, t_on, sign * HALF_WIDTH, (n + half / 2) * STRIDE,
                              sign * TOES_OUT))
    return steps


def weight(steps):
    """Along each foot while it is down; where it was and will be while none is."""
    keys = []
    for step in steps:
        def at(forward):
            return (step.x, step.z + forward)
        keys += [(step.t_on, at(0.05)), (step.t_on + 0.10, at(0.11)), (step.t_on + 0.14, at(TOES)),
                 (step.t_on + STANCE, at(TOES))]
    return Keys(keys)


def body(phase):
    swing = cos(2 * pi * (phase - 0.04))     # +1 when the left leg is in front
    arm = cos(2 * pi * (phase + 0.02))
    return {"height": 0.93, "pelvis": (7, -6 * swing, 0), "spine": (4, 14 * swing, 0), "head": (-8, -8 * swing, 0),
            "left": (-6 - 28 * arm, 12, 0, 85 - 10 * arm), "right": (-6 + 28 * arm, 12, 0, 85 + 10 * arm)}


def motion():
    steps = footsteps(-2, 5)
    start = {"Left": (HALF_WIDTH, -3 * STRIDE, TOES_OUT), "Right": (-HALF_WIDTH, -2.5 * STRIDE, -TOES_OUT)}
    legs, path = feet(steps, start, STYLE), weight(steps)
    return Motion(STRIDE_TIME, lambda t: body(t / STRIDE_TIME) | {"zmp": path(t)}, legs, com_height=com_height(),
                  period=(0.0, 0.0, STRIDE), repeat=6, no_spin=lambda t: 1.0)
