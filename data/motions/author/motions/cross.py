"""A straight right from the boxer's guard: the hips and shoulders turn into it, the weight goes to the front foot."""
from curve import poses
from motion import Motion, channels
from stance import GUARD, feet

LOAD = {"pelvis": (8, -31, 0), "spine": (8, -11, 0), "head": (-8, 36, 0), "zmp": (-0.01, 0.0)}
OUT = {"right_hand": (0.02, 0.44, 0.73), "right_elbow": (-0.8, -1.0, 0.0), "left_hand": (0.13, 0.45, 0.22),
       "pelvis": (11, -2, 0), "spine": (10, 24, 0), "head": (-9, -20, 0), "zmp": (0.02, 0.08), "height": 0.89}


def motion():
    timeline = [(0, {}), (0.6, {}), (0.85, LOAD), (1.25, OUT), (1.32, OUT), (1.9, GUARD), (2.4, {}), (2.65, LOAD),
                (3.05, OUT), (3.12, OUT), (3.7, GUARD), (4.4, {})]
    return Motion(4.4, channels(poses(timeline, GUARD)), feet(), softness=0.04)
