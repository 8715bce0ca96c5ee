"""A bow of about 45 degrees, the pelvis going back, arms hanging."""
from curve import poses
from feet import standing
from motion import UPRIGHT, Motion, channels

BOWED = {"height": 0.952, "pelvis": (28, 0, 0), "spine": (28, 0, 0), "head": (12, 0, 0),
         "left": (38, 5, 0, 10), "right": (38, 5, 0, 10)}


def motion():
    timeline = [(0, {}), (0.6, {}), (1.9, BOWED), (2.7, BOWED), (4.1, UPRIGHT), (4.6, {})]
    return Motion(4.6, channels(poses(timeline, UPRIGHT)), standing())
