"""Straight punches knocked aside from the boxer's guard: one with the right palm, one with the left; twice."""
from curve import poses
from motion import Motion, channels
from stance import GUARD, feet

RIGHT = {"pelvis": (9, -22, 0), "spine": (9, 2, 3), "head": (-9, 18, -4), "zmp": (-0.01, 0.01),
         "right_hand": (0.08, 0.50, 0.40), "right_elbow": (-0.8, -1.0, 0.1)}
LEFT = {"pelvis": (8, -36, 0), "spine": (8, -18, -3), "head": (-8, 48, 4), "zmp": (0.01, 0.02),
        "left_hand": (-0.06, 0.50, 0.42), "left_elbow": (0.8, -1.0, 0.0)}


def motion():
    timeline, t = [(0, {}), (0.5, {})], 0.5
    for pose in (RIGHT, LEFT, RIGHT, LEFT):
        timeline += [(t + 0.24, pose), (t + 0.34, pose), (t + 0.72, GUARD), (t + 0.95, {})]
        t += 0.95
    return Motion(t + 0.4, channels(poses(timeline + [(t + 0.4, {})], GUARD)), feet(), softness=0.04)
