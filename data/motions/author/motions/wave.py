"""The right hand is raised and waves."""
from curve import poses
from feet import standing
from motion import UPRIGHT, Motion, channels

LIFTED = {"right": (8, 92, 82, 70), "spine": (-1, -3, -3), "head": (-2, -4, 1), "zmp": (0.01, 0.045)}
OUT = {"right": (8, 94, 85, 48)}
IN = {"right": (8, 92, 82, 92)}


def motion():
    timeline = [(0, {}), (0.5, {}), (1.4, LIFTED), (1.8, OUT), (2.15, IN), (2.5, OUT), (2.85, IN), (3.2, OUT),
                (3.55, IN), (3.9, LIFTED), (4.9, UPRIGHT), (5.4, {})]
    return Motion(5.4, channels(poses(timeline, UPRIGHT)), standing())
