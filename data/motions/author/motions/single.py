"""On one leg, the other foot lifted and held, in turns, from standing to standing."""
from curve import poses
from gait import Step, Style, feet, weight_path
from motion import UPRIGHT, Motion, channels

HALF_WIDTH, TOES_OUT, CENTRE = 0.085, 4.0, (0.0, 0.05)
EVERY, SWING, FIRST, COUNT = 2.15, 1.3, 1.3, 4


def held(s):
    """Up, held, down."""
    ramp = min(s, 1 - s) / 0.35
    u = min(max(ramp, 0.0), 1.0)
    return 0.14 * (10 * u ** 3 - 15 * u ** 4 + 6 * u ** 5)


STYLE = Style(pitch_off=4, pitch_on=0, rolls=0.15, flattens=0.05, weight_on=0.05, weight_off=0.05, settles=0.05,
              swing_pitch=[(0.3, 14), (0.7, 14)], lift=held)


def lifted(side):
    sign = 1 if side == "Left" else -1
    return {"height": 0.955, "pelvis": (1, 0, 1.0 * sign), "spine": (1, 0, -1.0 * sign), "head": (0, 0, 0),
            "left": (6, 22, 0, 18), "right": (6, 22, 0, 18)}


def motion():
    steps, timeline = [], [(0, {}), (0.4, {})]
    for n in range(COUNT):
        side, sign = ("Left", 1) if n % 2 == 0 else ("Right", -1)
        t_off = FIRST + n * EVERY
        steps.append(Step(side, t_off, t_off + SWING, sign * HALF_WIDTH, 0.0, sign * TOES_OUT))
        timeline += [(t_off, lifted(side)), (t_off + SWING, lifted(side))]
    end = steps[-1].t_on
    timeline += [(end + 0.55, UPRIGHT), (9.8, {})]
    start = {"Left": (HALF_WIDTH, 0.0, TOES_OUT), "Right": (-HALF_WIDTH, 0.0, -TOES_OUT)}
    legs = feet(steps, start, STYLE)
    curves = poses(timeline, UPRIGHT)
    curves["zmp"] = weight_path(steps, legs, STYLE, (0.5, CENTRE), (end + 0.55, CENTRE))
    return Motion(9.8, channels(curves), legs, fps=60)
