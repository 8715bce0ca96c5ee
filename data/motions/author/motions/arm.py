"""Rapid movements of the arms over still feet: up, out, crossed, punching the air."""
from curve import poses
from feet import standing
from motion import UPRIGHT, Motion, channels

UP = {"left": (165, 12, 0, 10), "right": (165, 12, 0, 10), "spine": (-3, 0, 0)}
OUT = {"left": (0, 88, 0, 10), "right": (0, 88, 0, 10), "spine": (0, 0, 0)}
AHEAD = {"left": (88, 6, 0, 8), "right": (88, 6, 0, 8), "spine": (2, 0, 0)}
BENT = {"left": (40, 12, 0, 125), "right": (40, 12, 0, 125)}
LEFT_UP = {"left": (150, 14, 0, 12), "right": (-20, 10, 0, 20), "spine": (0, 5, -2)}
RIGHT_UP = {"left": (-20, 10, 0, 20), "right": (150, 14, 0, 12), "spine": (0, -5, 2)}
DOWN = {"left": UPRIGHT["left"], "right": UPRIGHT["right"], "spine": (0, 0, 0)}


def motion():
    order = [UP, DOWN, OUT, AHEAD, OUT, DOWN, LEFT_UP, RIGHT_UP, LEFT_UP, RIGHT_UP, DOWN, BENT, AHEAD, BENT, AHEAD, BENT,
             UP, OUT, DOWN]
    timeline = [(0, {}), (0.6, {})] + [(1.1 + 0.5 * n, pose) for n, pose in enumerate(order)]
    timeline += [(10.6, UPRIGHT), (11.0, {})]
    return Motion(11.0, channels(poses(timeline, UPRIGHT)), standing(), fps=60)
