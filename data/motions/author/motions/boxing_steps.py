"""One pair of steps in the boxer's guard, from rest to rest: in, out, to either side and on the spot; the nearer foot
first."""
from curve import bump, poses
from gait import Step, Style, feet, weight_path
from motion import Motion, channels
from stance import GUARD

LEFT, RIGHT, CENTRE = (0.10, 0.17, -8.0), (-0.12, -0.21, -38.0), (0.0, 0.03)  # as stance.feet has them
FIRST, SWING, NEXT, SETTLE = 0.6, 0.30, 0.56, 0.5  # s
STYLE = Style(pitch_off=12, pitch_on=0, rolls=0.12, flattens=0.05, weight_on=0.04, weight_off=0.065, settles=0.05,
              swing_pitch=[(0.5, 10)], lift=lambda s: 0.06 * bump(s))
WAYS = {"in": ("Left", 0.0, 0.17), "out": ("Right", 0.0, -0.17), "left": ("Left", 0.14, 0.0),
        "right": ("Right", -0.14, 0.0), "spot": ("Left", 0.0, 0.0)}  # first foot, and where both go: x, z (m)


def step(first, x, z):
    steps, timeline = [], [(0, {}), (0.1, {})]
    for n, side in enumerate((first, "Right" if first == "Left" else "Left")):
        home, t_off = LEFT if side == "Left" else RIGHT, FIRST + n * NEXT
        steps.append(Step(side, t_off, t_off + SWING, home[0] + x, home[1] + z, home[2]))
        timeline.append((t_off + SWING / 2, {"height": 0.868 if n else 0.862}))
    end = steps[-1].t_on + SETTLE
    legs = feet(steps, {"Left": LEFT, "Right": RIGHT}, STYLE)
    curves = poses(timeline + [(end, {})], GUARD)
    curves["zmp"] = weight_path(steps, legs, STYLE, (0.08, CENTRE), (end - 0.1, (CENTRE[0] + x, CENTRE[1] + z)))
    return Motion(end, channels(curves), legs)


MOTIONS = {f"boxing_step_{name}": (lambda way=way: step(*way)) for name, way in WAYS.items()}
