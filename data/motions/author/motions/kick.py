"""The left leg stands, the right swings back and fast forwards, then the other way round; from standing to standing."""
from curve import bump, poses
from gait import Step, Style, feet, weight_path
from motion import UPRIGHT, Motion, channels
from swing import Swung, swing

HALF_WIDTH, TOES_OUT, CENTRE = 0.085, 4.0, (0.0, 0.05)
EVERY, SWING, FIRST, COUNT, END = 2.75, 1.5, 1.35, 2, 6.57
# Share of the swing, how far the ankle is to the side, up and forwards (m): back, through, up, back again.
KICK = [(0.34, (0.0, 0.10, -0.26)), (0.58, (0.0, 0.16, 0.50)), (0.80, (0.0, 0.06, 0.08))]
STYLE = Style(pitch_off=4, pitch_on=0, rolls=0.15, flattens=0.05, weight_on=0.05, weight_off=0.05, settles=0.05,
              swing_pitch=[(0.3, 24), (0.58, 6), (0.8, 8)], lift=lambda s: 0.07 * bump(s) ** 0.34)


def kicking(side, back):
    sign = 1 if side == "Left" else -1
    lean, arm = (10, 26) if back else (-8, -14)
    forward, rear = (arm, 16, 0, 30), (-arm, 16, 0, 30)
    return {"height": 0.945, "pelvis": (lean, 0, 1.5 * sign), "spine": (2, 0, -1.5 * sign), "head": (-lean / 2, 0, 0),
            "left": forward if sign > 0 else rear, "right": rear if sign > 0 else forward}


def motion():
    steps, timeline = [], [(0, {}), (0.4, {})]
    for n in range(COUNT):
        side, sign = ("Right", -1) if n % 2 == 0 else ("Left", 1)
        t_off = FIRST + n * EVERY
        steps.append(Step(side, t_off, t_off + SWING, sign * HALF_WIDTH, 0.0, sign * TOES_OUT))
        timeline += [(t_off + 0.34 * SWING, kicking(side, True)), (t_off + 0.58 * SWING, kicking(side, False)),
                     (t_off + SWING, UPRIGHT)]
    end = steps[-1].t_on
    timeline += [(end + 0.6, UPRIGHT), (END, {})]
    start = {"Left": (HALF_WIDTH, 0.0, TOES_OUT), "Right": (-HALF_WIDTH, 0.0, -TOES_OUT)}
    legs = feet(steps, start, STYLE)
    curves = poses(timeline, UPRIGHT)
    curves["zmp"] = weight_path(steps, legs, STYLE, (0.5, CENTRE), (end + 0.6, CENTRE))
    swung = {side: Swung(foot, swing(steps, side, KICK)) for side, foot in legs.items()}
    return Motion(END, channels(curves), swung, fps=60)
