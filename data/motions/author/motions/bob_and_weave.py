"""The boxer ducks under a hook and comes up on the other side, to the left and to the right, twice."""
from curve import poses
from motion import Motion, channels
from stance import GUARD, feet

LEFT = {"height": 0.865, "pelvis": (14, -30, -7), "spine": (12, -10, -9), "head": (-16, 36, 8), "zmp": (0.045, 0.09),
        "left_hand": (0.20, 0.42, 0.46), "right_hand": (0.02, 0.44, 0.34)}
LOW = {"height": 0.735, "pelvis": (24, -28, 0), "spine": (20, -8, 0), "head": (-26, 32, 0), "zmp": (0.0, 0.03),
       "left_hand": (0.12, 0.33, 0.60), "right_hand": (-0.06, 0.36, 0.48)}
RIGHT = {"height": 0.865, "pelvis": (14, -26, 7), "spine": (12, -6, 9), "head": (-16, 28, -8), "zmp": (-0.05, -0.03),
         "left_hand": (0.06, 0.42, 0.46), "right_hand": (-0.13, 0.44, 0.34)}


def motion():
    timeline, t = [(0, {}), (0.4, {})], 0.4
    for first, second in ((LEFT, RIGHT), (RIGHT, LEFT)) * 2:
        timeline += [(t + 0.36, first), (t + 0.68, LOW), (t + 1.02, second), (t + 1.42, GUARD)]
        t += 1.42
    return Motion(t + 0.5, channels(poses(timeline + [(t + 0.5, {})], GUARD)), feet(), softness=0.04)
