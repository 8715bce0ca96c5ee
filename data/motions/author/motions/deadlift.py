"""Lifting a barbell from the floor to the thighs and putting it down again, arms straight. While it is in the hands the
body stays further back, so that both together rest over the feet."""
from curve import Keys, poses
from feet import standing
from motion import UPRIGHT, Motion, channels

LOW = {"height": 0.675, "pelvis": (40, 0, 0), "spine": (24, 0, 0), "head": (-34, 0, 0),
       "left": (66, 7, 0, 3), "right": (66, 7, 0, 3)}
HIGH = {"height": 0.955, "pelvis": (3, 0, 0), "spine": (0, 0, 0), "head": (-2, 0, 0), "left": (12, 9, 0, 3),
        "right": (12, 9, 0, 3)}
FREE, LOADED = (0.0, 0.045), (0.0, 0.015)


def motion():
    timeline = [(0, {}), (0.4, {}), (1.6, LOW), (2.0, LOW), (3.6, HIGH), (4.6, HIGH), (6.2, LOW), (6.6, LOW),
                (7.8, UPRIGHT), (8.2, {})]
    curves = poses(timeline, UPRIGHT)
    curves["zmp"] = Keys([(1.6, FREE), (2.2, LOADED), (6.0, LOADED), (6.6, FREE)])
    return Motion(8.2, channels(curves), standing())
