"""The boxer's stance, left foot forward, hands up; wrists and elbow directions are from the pelvis, m."""
from feet import planted

GUARD = {"height": 0.90, "pelvis": (8, -28, 0), "spine": (8, -8, 0), "head": (-8, 32, 0), "zmp": (0.0, 0.03),
         "left_hand": (0.13, 0.42, 0.37), "left_elbow": (0.5, -1.0, -0.1),
         "right_hand": (-0.06, 0.44, 0.22), "right_elbow": (-0.6, -1.0, 0.0)}


def feet():
    return {"Left": planted(0.10, 0.17, -8.0), "Right": planted(-0.12, -0.21, -38.0)}
