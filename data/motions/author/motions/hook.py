"""A left hook from the boxer's guard: the elbow comes up and the fist travels across."""
from curve import poses
from motion import Motion, channels
from stance import GUARD, feet

LOAD = {"pelvis": (9, -22, 0), "spine": (9, 4, 0), "head": (-8, 16, 0), "left_hand": (0.26, 0.38, 0.30),
        "left_elbow": (0.9, -0.8, -0.3), "zmp": (0.02, 0.05), "height": 0.89}
WIDE = {"pelvis": (8, -32, 0), "spine": (8, -10, 0), "head": (-8, 34, 0), "left_hand": (0.24, 0.44, 0.43),
        "left_elbow": (1.0, -0.25, -0.1), "zmp": (0.0, 0.03)}
THROUGH = {"pelvis": (8, -44, 0), "spine": (8, -26, 0), "head": (-8, 60, 0), "left_hand": (-0.04, 0.46, 0.42),
           "left_elbow": (1.0, -0.15, 0.3), "zmp": (-0.02, 0.01)}


def motion():
    timeline = [(0, {}), (0.6, {}), (0.9, LOAD), (1.13, WIDE), (1.38, THROUGH), (1.45, THROUGH), (2.0, GUARD),
                (2.6, {}), (2.9, LOAD), (3.13, WIDE), (3.38, THROUGH), (3.45, THROUGH), (4.0, GUARD), (4.7, {})]
    return Motion(4.7, channels(poses(timeline, GUARD)), feet(), softness=0.04)
