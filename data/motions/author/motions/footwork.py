"""The boxer's footwork in guard: a step in and out, one to the left and back, the nearer foot always first; loops."""
from curve import bump, poses
from gait import Step, Style, feet, weight_path
from motion import Motion, channels
from stance import GUARD

LEFT, RIGHT, CENTRE = (0.10, 0.17, -8.0), (-0.12, -0.21, -38.0), (0.0, 0.03)  # as stance.feet has them
IN, ASIDE = 0.17, 0.14                                                        # m
SWING, NEXT, BETWEEN = 0.30, 0.52, 1.0                                        # s
STYLE = Style(pitch_off=12, pitch_on=0, rolls=0.12, flattens=0.05, weight_on=0.04, weight_off=0.065, settles=0.05,
              swing_pitch=[(0.5, 10)], lift=lambda s: 0.045 * bump(s))
# (first foot, x, z) of each pair of steps: where both feet are afterwards, from the stance.
PAIRS = [("Left", 0.0, IN), ("Right", 0.0, 0.0), ("Left", ASIDE, 0.0), ("Right", 0.0, 0.0)]


def motion():
    steps, timeline, t = [], [(0, {}), (0.45, {})], 0.85
    for first, x, z in PAIRS:
        for n, side in enumerate((first, "Right" if first == "Left" else "Left")):
            home = LEFT if side == "Left" else RIGHT
            t_off = t + n * NEXT
            steps.append(Step(side, t_off, t_off + SWING, home[0] + x, home[1] + z, home[2]))
            timeline.append((t_off + SWING / 2, {"height": 0.868 if n else 0.862}))
        timeline.append((t + NEXT + SWING + 0.2, {"height": 0.88}))
        t += NEXT + BETWEEN
    end = steps[-1].t_on
    timeline.append((end + 0.7, {}))
    legs = feet(steps, {"Left": LEFT, "Right": RIGHT}, STYLE)
    curves = poses(timeline, GUARD)
    curves["zmp"] = weight_path(steps, legs, STYLE, (0.4, CENTRE), (end + 0.4, CENTRE))
    return Motion(end + 0.7, channels(curves), legs)
