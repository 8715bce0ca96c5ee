"""Marching on the spot with high knees, 90 steps a minute, from standing to standing."""
from curve import bump, poses
from gait import Step, Style, feet, weight_path
from motion import UPRIGHT, Motion, channels

HALF_WIDTH, TOES_OUT, CENTRE = 0.085, 4.0, (0.0, 0.05)
STEP_TIME, SWING, FIRST, COUNT = 0.667, 0.46, 1.1, 6
STYLE = Style(pitch_off=14, pitch_on=0, rolls=0.11, flattens=0.05, weight_on=0.045, weight_off=0.06, settles=0.05,
              swing_pitch=[(0.4, 24), (0.6, 22)], lift=lambda s: 0.28 * bump(s))


def lifted(side):
    """Mid-step, this side's knee up: the other arm forward."""
    sign = 1 if side == "Left" else -1
    forward, back = (28, 9, 0, 55), (-18, 9, 0, 25)
    return {"height": 0.952, "pelvis": (-1, -4 * sign, -1.5 * sign), "spine": (2, 8 * sign, 1.5 * sign),
            "head": (0, -4 * sign, 0), "left": back if sign > 0 else forward, "right": forward if sign > 0 else back}


def motion():
    steps, timeline = [], [(0, {}), (0.5, {})]
    for n in range(COUNT):
        side, sign = ("Left", 1) if n % 2 == 0 else ("Right", -1)
        t_off = FIRST + n * STEP_TIME
        steps.append(Step(side, t_off, t_off + SWING, sign * HALF_WIDTH, 0.0, sign * TOES_OUT))
        timeline.append((t_off + SWING / 2, lifted(side)))
    end = steps[-1].t_on
    timeline += [(end + 0.5, UPRIGHT), (end + 1.0, {})]
    start = {"Left": (HALF_WIDTH, 0.0, TOES_OUT), "Right": (-HALF_WIDTH, 0.0, -TOES_OUT)}
    legs = feet(steps, start, STYLE)
    curves = poses(timeline, UPRIGHT)
    curves["zmp"] = weight_path(steps, legs, STYLE, (0.55, CENTRE), (end + 0.45, CENTRE))
    return Motion(end + 1.0, channels(curves), legs)
