"""Two steps ahead, a quarter turn to the left in four, two steps on, standing."""
from math import cos, radians, sin

from curve import Keys, poses
from gait import TOES, Step, Style, feet, weight_path
from motion import UPRIGHT, Motion, channels

HALF_WIDTH, TOES_OUT, FIRST = 0.08, 5.0, 1.15
STEP_TIME, SWING = 0.60, 0.43
LENGTHS = (0.30, 0.44, 0.40, 0.36, 0.36, 0.40, 0.30, 0.0)  # m, how far each step takes the middle of the body
TURNS = (0, 0, 20, 25, 25, 20, 0, 0)                       # degrees, to the left
STYLE = Style(pitch_off=40, pitch_on=-14, rolls=0.19, flattens=0.09, weight_on=0.0, weight_off=TOES, settles=0.09,
              swing_pitch=[(0.14, 48), (0.82, -12)],
              lift=Keys([(0, 0.0), (0.25, 0.05), (0.5, 0.045), (0.8, 0.025), (1, 0.0)]), ramp=0.39)
CLOSING = Style(pitch_off=30, pitch_on=0, rolls=0.2, flattens=0.05, weight_on=0.0, weight_off=TOES, settles=0.09,
                swing_pitch=[(0.16, 34), (0.6, 5)], lift=STYLE.lift)


def heading_pose(yaw, side, size):
    """The pose when this side's heel strikes, the body turned to `yaw` (degrees)."""
    sign = size if side == "Left" else -size
    return {"height": 0.958 - 0.030 * size, "pelvis": (3, yaw - 3 * sign, 0), "spine": (0, 6 * sign, 0),
            "head": (-1, -3 * sign, 0), "left": (2 - 12 * sign, 8, 0, 20 - 6 * sign), "right": (2 + 12 * sign, 8, 0, 20 + 6 * sign)}


def motion():
    steps, timeline = [], [(0, {}), (0.6, {})]
    x = z = yaw = 0.0
    for n, (length, turn) in enumerate(zip(LENGTHS, TURNS)):
        side, sign = ("Left", 1) if n % 2 == 0 else ("Right", -1)
        along = radians(yaw + turn / 2)
        x, z, yaw = x + length * sin(along), z + length * cos(along), yaw + turn
        t_off = FIRST + n * STEP_TIME
        last = n + 1 == len(LENGTHS)
        aside = sign * HALF_WIDTH
        steps.append(Step(side, t_off, t_off + SWING, x + aside * cos(radians(yaw)), z - aside * sin(radians(yaw)),
                          yaw + sign * TOES_OUT, CLOSING if last else STYLE))
        if n:
            timeline.append((t_off + 0.45 * SWING, {"height": 0.950}))
        if not last:
            timeline.append((t_off + SWING + 0.03, heading_pose(yaw - turn / 2, side, 0.7 if n in (0, 6) else 1.0)))
    end = steps[-1].t_on
    facing = UPRIGHT | {"pelvis": (2.0, yaw, 0.0)}
    timeline += [(end + 0.35, facing), (end + 1.0, {})]
    start = {"Left": (HALF_WIDTH, 0.0, TOES_OUT), "Right": (-HALF_WIDTH, 0.0, -TOES_OUT)}
    legs = feet(steps, start, STYLE)
    curves = poses(timeline, UPRIGHT)
    ahead = radians(yaw)
    curves["zmp"] = weight_path(steps, legs, STYLE, (0.6, (0.0, 0.045)),
                                (end + 0.45, (x + 0.045 * sin(ahead), z + 0.045 * cos(ahead))))
    return Motion(end + 1.0, channels(curves), legs)
