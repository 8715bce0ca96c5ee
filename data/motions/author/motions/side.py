"""The left leg stands, the right swings fast out to the side, then the other way round; from standing to standing."""
from curve import bump, poses
from gait import Step, Style, feet, weight_path
from motion import UPRIGHT, Motion, channels
from swing import Swung, swing

HALF_WIDTH, TOES_OUT, CENTRE = 0.085, 4.0, (0.0, 0.05)
EVERY, SWING, FIRST, COUNT, END = 2.75, 1.5, 1.35, 2, 6.57
STYLE = Style(pitch_off=4, pitch_on=0, rolls=0.15, flattens=0.05, weight_on=0.05, weight_off=0.05, settles=0.05,
              swing_pitch=[(0.3, 12), (0.7, 12)], lift=lambda s: 0.07 * bump(s) ** 0.34)


def out(sign):
    """Share of the swing, how far the ankle is to the side, up and forwards (m)."""
    return [(0.25, (0.0, 0.03, 0.0)), (0.52, (sign * 0.42, 0.13, 0.0)), (0.80, (0.0, 0.03, 0.0))]


def leaning(side):
    sign = 1 if side == "Left" else -1
    return {"height": 0.945, "pelvis": (2, 0, 8 * sign), "spine": (0, 0, -1 * sign), "head": (0, 0, -5 * sign),
            "left": (4, 26, 0, 20), "right": (4, 26, 0, 20)}


def motion():
    steps, timeline = [], [(0, {}), (0.4, {})]
    for n in range(COUNT):
        side, sign = ("Right", -1) if n % 2 == 0 else ("Left", 1)
        t_off = FIRST + n * EVERY
        steps.append(Step(side, t_off, t_off + SWING, sign * HALF_WIDTH, 0.0, sign * TOES_OUT))
        timeline += [(t_off + 0.22 * SWING, UPRIGHT), (t_off + 0.52 * SWING, leaning(side)), (t_off + SWING, UPRIGHT)]
    end = steps[-1].t_on
    timeline += [(end + 0.6, UPRIGHT), (END, {})]
    start = {"Left": (HALF_WIDTH, 0.0, TOES_OUT), "Right": (-HALF_WIDTH, 0.0, -TOES_OUT)}
    legs = feet(steps, start, STYLE)
    curves = poses(timeline, UPRIGHT)
    curves["zmp"] = weight_path(steps, legs, STYLE, (0.5, CENTRE), (end + 0.6, CENTRE))
    swung = {"Left": Swung(legs["Left"], swing(steps, "Left", out(1))),
             "Right": Swung(legs["Right"], swing(steps, "Right", out(-1)))}
    return Motion(END, channels(curves), swung, fps=60)
