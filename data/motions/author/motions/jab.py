"""Two jabs with the left hand from the boxer's guard."""
from curve import poses
from motion import Motion, channels
from stance import GUARD, feet

OUT = {"left_hand": (0.06, 0.45, 0.75), "left_elbow": (0.8, -1.0, 0.0), "pelvis": (9, -34, 0), "spine": (9, -16, 0),
       "head": (-8, 44, 0), "zmp": (0.01, 0.06)}


def motion():
    timeline = [(0, {}), (0.6, {}), (0.92, OUT), (0.98, OUT), (1.4, GUARD), (2.0, {}), (2.32, OUT), (2.38, OUT),
                (2.8, GUARD), (3.6, {})]
    return Motion(3.6, channels(poses(timeline, GUARD)), feet(), softness=0.04)
