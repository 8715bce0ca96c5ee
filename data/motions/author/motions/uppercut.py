"""Two right uppercuts from the boxer's guard: the body sinks over the rear leg, the fist drives up from below."""
from curve import poses
from motion import Motion, channels
from stance import GUARD, feet

LOAD = {"height": 0.845, "pelvis": (12, -48, 6), "spine": (12, -16, 6), "head": (-12, 58, -8), "zmp": (-0.03, -0.05),
        "right_hand": (-0.20, 0.20, 0.14), "right_elbow": (-0.5, -1.0, -0.8), "left_hand": (0.12, 0.46, 0.34)}
RISE = {"height": 0.90, "pelvis": (4, -14, 0), "spine": (2, 4, -2), "head": (-6, 16, 0), "zmp": (0.03, 0.08),
        "right_hand": (-0.02, 0.62, 0.40), "right_elbow": (-0.4, -1.0, 0.25), "left_hand": (0.15, 0.46, 0.30)}


def motion():
    timeline = [(0, {}), (0.5, {}), (0.85, LOAD), (1.15, RISE), (1.22, RISE), (1.75, GUARD), (2.2, {}), (2.55, LOAD),
                (2.85, RISE), (2.92, RISE), (3.45, GUARD), (4.1, {})]
    return Motion(4.1, channels(poses(timeline, GUARD)), feet(), softness=0.04)
