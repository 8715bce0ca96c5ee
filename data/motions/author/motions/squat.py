"""Two slow squats, heels down, arms held forward as a counterweight."""
from curve import poses
from feet import standing
from motion import UPRIGHT, Motion, channels

DOWN = {"height": 0.60, "pelvis": (30, 0, 0), "spine": (14, 0, 0), "head": (-24, 0, 0),
        "left": (62, 6, 0, 12), "right": (62, 6, 0, 12)}


def motion():
    timeline = [(0, {}), (0.5, {}), (1.7, DOWN), (1.9, DOWN), (3.1, UPRIGHT), (3.3, UPRIGHT), (4.5, DOWN), (4.7, DOWN),
                (5.8, UPRIGHT), (6.3, {})]
    return Motion(6.3, channels(poses(timeline, UPRIGHT)), standing())
