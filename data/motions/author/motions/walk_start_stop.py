"""From standing: the weight goes over to the right foot, six steps of walking, the last one closes up, standing."""
from curve import Keys, poses
from gait import TOES, Step, Style, feet, weight_path
from motion import UPRIGHT, Motion, channels

HALF_WIDTH, TOES_OUT, FIRST = 0.07, 5.0, 1.15
STEP_TIME, SWING = 0.57, 0.43
PLACES = (0.36, 0.90, 1.48, 2.06, 2.54, 2.54)  # m, where each step puts its ankle
STYLE = Style(pitch_off=48, pitch_on=-20, rolls=0.20, flattens=0.09, weight_on=0.0, weight_off=TOES, settles=0.09,
              swing_pitch=[(0.14, 57), (0.82, -18)],
              lift=Keys([(0, 0.0), (0.25, 0.05), (0.5, 0.045), (0.8, 0.025), (1, 0.0)]), ramp=0.39)
SHORT = Style(pitch_off=38, pitch_on=-6, rolls=0.20, flattens=0.06, weight_on=0.0, weight_off=TOES, settles=0.09,
              swing_pitch=[(0.16, 46), (0.72, -3)], lift=STYLE.lift, ramp=0.36)
CLOSING = Style(pitch_off=30, pitch_on=0, rolls=0.2, flattens=0.05, weight_on=0.0, weight_off=TOES, settles=0.09,
                swing_pitch=[(0.16, 34), (0.6, 5)], lift=STYLE.lift)


def striding(side, size):
    """The pose when this side's heel strikes; size: 1 in full walk."""
    sign = size if side == "Left" else -size
    return {"height": 0.967 - 0.050 * size, "pelvis": (2 + 3 * size, -5 * sign, 0), "spine": (0, 10 * sign, 0),
            "head": (-2 * size, -5 * sign, 0), "left": (2 - 18 * sign, 8, 0, 22 - 9 * sign),
            "right": (2 + 18 * sign, 8, 0, 22 + 9 * sign)}


def motion():
    steps, timeline = [], [(0, {}), (0.6, {})]
    for n, z in enumerate(PLACES):
        side, sign = ("Left", 1) if n % 2 == 0 else ("Right", -1)
        t_off = FIRST + n * STEP_TIME
        last = n + 1 == len(PLACES)
        style = CLOSING if last else SHORT if n in (0, 4) else STYLE
        steps.append(Step(side, t_off, t_off + SWING, sign * HALF_WIDTH, z, sign * TOES_OUT, style))
        if n:
            timeline.append((t_off + 0.45 * SWING, {"height": 0.948}))
        if not last:
            timeline.append((t_off + SWING + 0.03, striding(side, 0.8 if n in (0, 4) else 1.0)))
    end = steps[-1].t_on
    timeline += [(end + 0.35, UPRIGHT), (end + 1.0, {})]
    start = {"Left": (HALF_WIDTH, 0.0, TOES_OUT), "Right": (-HALF_WIDTH, 0.0, -TOES_OUT)}
    legs = feet(steps, start, STYLE)
    curves = poses(timeline, UPRIGHT)
    curves["zmp"] = weight_path(steps, legs, STYLE, (0.6, (0.0, 0.045)), (end + 0.45, (0.0, PLACES[-1] + 0.045)))
    return Motion(end + 1.0, channels(curves), legs)
