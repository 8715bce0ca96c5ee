"""Both forearms come up in front of the head, the body sinks and goes back a little; twice."""
from curve import poses
from motion import Motion, channels
from stance import GUARD, feet

COVERED = {"height": 0.86, "pelvis": (10, -24, 0), "spine": (14, -4, 0), "head": (8, 26, 0), "zmp": (-0.01, 0.0),
           "left_hand": (0.10, 0.60, 0.27), "left_elbow": (0.25, -1.0, 0.5),
           "right_hand": (-0.08, 0.60, 0.24), "right_elbow": (-0.25, -1.0, 0.5)}


def motion():
    timeline = [(0, {}), (0.6, {}), (0.95, COVERED), (1.5, COVERED), (2.0, GUARD), (2.4, {}), (2.75, COVERED),
                (3.4, COVERED), (4.0, GUARD), (4.6, {})]
    return Motion(4.6, channels(poses(timeline, GUARD)), feet(), softness=0.04)
