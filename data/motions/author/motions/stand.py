"""Quiet standing: the weight goes over to the left foot, to the right, and back."""
from curve import poses
from feet import standing
from motion import UPRIGHT, Motion, channels

LEFT = {"zmp": (0.062, 0.045), "height": 0.960, "pelvis": (2, 3, -2.5), "spine": (0, -3, 3.5), "head": (2, 6, -1),
        "left": (0, 7, 0, 13), "right": (4, 9, 0, 17)}
RIGHT = {"zmp": (-0.062, 0.045), "height": 0.960, "pelvis": (2, -3, 2.5), "spine": (0, 3, -3.5), "head": (2, -8, 1),
         "left": (4, 9, 0, 17), "right": (0, 7, 0, 13)}


def motion():
    timeline = [(0, {}), (0.4, {}), (1.6, LEFT), (2.2, LEFT), (4.0, RIGHT), (4.6, RIGHT), (5.7, UPRIGHT), (6.2, {})]
    return Motion(6.2, channels(poses(timeline, UPRIGHT)), standing())
