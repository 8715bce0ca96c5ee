"""Seventeen seconds of dance: side steps, knee lifts, steps ahead and back, the weight on one foot after the other."""
from curve import bump, poses
from gait import Step, Style, feet, weight_path
from motion import UPRIGHT, Motion, channels

HALF_WIDTH, TOES_OUT, CENTRE = 0.09, 8.0, (0.0, 0.05)
BEAT, SWING, FIRST = 0.625, 0.41, 1.2  # s
STYLE = Style(pitch_off=16, pitch_on=0, rolls=0.12, flattens=0.05, weight_on=0.04, weight_off=0.06, settles=0.05,
              swing_pitch=[(0.5, 14)], lift=lambda s: 0.06 * bump(s))
KNEE = Style(pitch_off=16, pitch_on=0, rolls=0.12, flattens=0.05, weight_on=0.04, weight_off=0.06, settles=0.05,
             swing_pitch=[(0.4, 26), (0.6, 24)], lift=lambda s: 0.24 * bump(s))

# Arms (flexion, abduction, twist, elbow): what a step does with both.
LOW = {"left": (6, 22, 0, 46), "right": (6, 22, 0, 46)}
SWAY_LEFT = {"left": (10, 62, 10, 40), "right": (34, 16, 0, 74)}
SWAY_RIGHT = {"left": (34, 16, 0, 74), "right": (10, 62, 10, 40)}
HIGH = {"left": (30, 112, 40, 58), "right": (30, 112, 40, 58)}
CROSS = {"left": (52, 10, -30, 62), "right": (52, 10, -30, 62)}

# (x, z) of the middle between the feet after the step, hips' sway, arms, style; left and right in turn.
SIDE = [(0.16, 0.0, 1, SWAY_LEFT, None), (0.16, 0.0, 0, CROSS, None), (0.16, 0.0, 1, SWAY_LEFT, None),
        (0.0, 0.0, -1, SWAY_RIGHT, None), (0.0, 0.0, 0, CROSS, None), (0.0, 0.0, -1, SWAY_RIGHT, None)]
KNEES = [(0.0, 0.0, -1, HIGH, KNEE), (0.0, 0.0, 1, LOW, KNEE), (0.0, 0.0, -1, HIGH, KNEE), (0.0, 0.0, 1, LOW, KNEE)]
MAMBO = [(0.0, 0.10, 1, SWAY_RIGHT, None), (0.0, 0.0, 0, LOW, None), (0.0, -0.06, -1, SWAY_LEFT, None),
         (0.0, 0.0, 0, CROSS, None)]
ROUTINE = SIDE + KNEES + MAMBO + SIDE + KNEES


def motion():
    steps, timeline = [], [(0, {}), (0.4, {})]
    for n, (x, z, sway, arms, style) in enumerate(ROUTINE):
        side, sign = ("Left", 1) if n % 2 == 0 else ("Right", -1)
        t_off = FIRST + n * BEAT
        steps.append(Step(side, t_off, t_off + SWING, x + sign * HALF_WIDTH, z, sign * TOES_OUT, style))
        high = style is KNEE
        timeline.append((t_off + SWING / 2, {"height": 0.945 if high else 0.925, **arms, "pelvis": (1, -6 * sign, 2.5 * sign),
                                             "spine": (2, 9 * sign, -5 * sway), "head": (2, -3 * sign, 3 * sway)}))
        timeline.append((t_off + SWING + 0.06, {"height": 0.935, "pelvis": (2, -2 * sign, -1.5 * sign), "spine": (3, 3 * sign, -3 * sway)}))
    end = steps[-1].t_on
    timeline += [(end + 0.6, UPRIGHT), (end + 1.0, {})]
    start = {"Left": (HALF_WIDTH, 0.0, TOES_OUT), "Right": (-HALF_WIDTH, 0.0, -TOES_OUT)}
    legs = feet(steps, start, STYLE)
    curves = poses(timeline, UPRIGHT)
    curves["zmp"] = weight_path(steps, legs, STYLE, (0.45, CENTRE), (end + 0.45, CENTRE))
    return Motion(end + 1.0, channels(curves), legs)
