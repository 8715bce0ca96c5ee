"""From standing: six steps backwards, toes first, standing."""
from curve import Keys, poses
from gait import Step, Style, feet, weight_path
from motion import UPRIGHT, Motion, channels

HALF_WIDTH, TOES_OUT, FIRST = 0.08, 5.0, 1.15
STEP_TIME, SWING = 0.66, 0.46
PLACES = (-0.22, -0.52, -0.84, -1.16, -1.42, -1.42)  # m, where each step puts its ankle
STYLE = Style(pitch_off=-2, pitch_on=20, rolls=0.04, flattens=0.14, weight_on=0.10, weight_off=0.02, settles=0.10,
              swing_pitch=[(0.3, 8), (0.75, 22)], lift=Keys([(0, 0.0), (0.3, 0.05), (0.6, 0.05), (1, 0.0)]), ramp=0.39)
CLOSING = Style(pitch_off=-2, pitch_on=4, rolls=0.04, flattens=0.06, weight_on=0.04, weight_off=0.03, settles=0.10,
                swing_pitch=[(0.3, 6), (0.75, 8)], lift=STYLE.lift)


def stepped(side, size):
    """The pose when this side's toes come down behind; size: 1 in full walk."""
    sign = -size if side == "Left" else size
    return {"height": 0.955 - 0.018 * size, "pelvis": (3 * size, -3 * sign, 0), "spine": (0, 6 * sign, 0),
            "head": (0, -3 * sign, 0), "left": (2 - 9 * sign, 8, 0, 18 - 4 * sign), "right": (2 + 9 * sign, 8, 0, 18 + 4 * sign)}


def motion():
    steps, timeline = [], [(0, {}), (0.6, {})]
    for n, z in enumerate(PLACES):
        side, sign = ("Left", 1) if n % 2 == 0 else ("Right", -1)
        t_off = FIRST + n * STEP_TIME
        last = n + 1 == len(PLACES)
        steps.append(Step(side, t_off, t_off + SWING, sign * HALF_WIDTH, z, sign * TOES_OUT, CLOSING if last else STYLE))
        timeline.append((t_off + 0.45 * SWING, {"height": 0.948}))
        if not last:
            timeline.append((t_off + SWING + 0.03, stepped(side, 0.7 if n in (0, 4) else 1.0)))
    end = steps[-1].t_on
    timeline += [(end + 0.4, UPRIGHT), (end + 1.0, {})]
    start = {"Left": (HALF_WIDTH, 0.0, TOES_OUT), "Right": (-HALF_WIDTH, 0.0, -TOES_OUT)}
    legs = feet(steps, start, STYLE)
    curves = poses(timeline, UPRIGHT)
    curves["zmp"] = weight_path(steps, legs, STYLE, (0.6, (0.0, 0.045)), (end + 0.5, (0.0, PLACES[-1] + 0.045)))
    return Motion(end + 1.0, channels(curves), legs)
