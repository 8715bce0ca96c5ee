"""Both forearms come up in front of the head, the body sinks and goes back a little; twice."""
from curve import poses
from motion import Motion, channels
from stance import GUARD, feet

COVERED = {"height": 0.86, "pelvis": (10, -24, 0), "spine": (10, -4, 0), "head": (4, 26, 0), "zmp": (-0.01, 0.0),
           "left_hand": (0.10, 0.65, 0.38), "left_elbow": (0.2, -1.0, 0.1),
           "right_hand": (-0.08, 0.65, 0.33), "right_elbow": (-0.2, -1.0, 0.1)}


def motion():
    timeline = [(0, {}), (0.6, {}), (0.95, COVERED), (1.5, COVERED), (2.0, GUARD), (2.4, {}), (2.75, COVERED),
                (3.4, COVERED), (4.0, GUARD), (4.6, {})]
    return Motion(4.6, channels(poses(timeline, GUARD)), feet(), softness=0.04)
