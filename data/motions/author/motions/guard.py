"""The boxer's guard, light on the feet: the weight goes from foot to foot, the hands never rest; loops."""
from curve import poses
from motion import Motion, channels
from stance import GUARD, feet

FRONT = {"height": 0.885, "pelvis": (9, -31, 0), "spine": (9, -10, 0), "head": (-9, 36, 0), "zmp": (0.03, 0.07),
         "left_hand": (0.13, 0.40, 0.39), "right_hand": (-0.06, 0.45, 0.23)}
REAR = {"height": 0.885, "pelvis": (7, -25, 0), "spine": (7, -6, 0), "head": (-7, 28, 0), "zmp": (-0.03, -0.02),
        "left_hand": (0.14, 0.43, 0.36), "right_hand": (-0.05, 0.43, 0.24)}


def motion():
    timeline = [(0, {}), (0.5, FRONT), (0.95, GUARD), (1.45, REAR), (1.95, GUARD), (2.4, FRONT | {"zmp": (0.02, 0.06)}),
                (2.8, GUARD), (3.2, {})]
    return Motion(3.2, channels(poses(timeline, GUARD)), feet(), softness=0.04, period=(0.0, 0.0, 0.0), repeat=2)
