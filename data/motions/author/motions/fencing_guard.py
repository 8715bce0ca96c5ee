"""On guard with the blade: the weight breathes between the feet, the hand searches in small circles; loops."""
from curve import poses
from feet import planted
from fencing import BACK, FRONT, GUARD
from motion import Motion, channels

AHEAD = {"height": 0.835, "zmp": (0.0, 0.06), "right_hand": (-0.09, 0.36, 0.52), "right_elbow": (-0.6, -1.0, 0.0)}
LOW = {"height": 0.84, "right_hand": (-0.12, 0.33, 0.51)}
BEHIND = {"height": 0.84, "zmp": (0.015, -0.03), "right_hand": (-0.11, 0.35, 0.48), "right_elbow": (-0.4, -1.0, 0.0)}


def motion():
    timeline = [(0, {}), (0.6, AHEAD), (1.0, LOW), (1.5, BEHIND), (2.0, GUARD), (2.5, AHEAD), (3.1, GUARD), (3.4, {})]
    return Motion(3.4, channels(poses(timeline, GUARD)), {"Left": planted(*BACK), "Right": planted(*FRONT)},
                  softness=0.04, period=(0.0, 0.0, 0.0), repeat=2)
