"""The fencer's guard, right foot forward, blade hand ahead, the left arm raised behind."""

FRONT, BACK = (-0.05, 0.21, -3.0), (0.03, -0.23, 78.0)  # right and left foot: x, z, yaw
CENTRE = (0.01, 0.02)
GUARD = {"height": 0.845, "pelvis": (2, 42, 0), "spine": (3, 6, 0), "head": (-2, -46, 0), "zmp": CENTRE,
         "left_hand": (0.24, 0.66, -0.36), "left_elbow": (0.9, 0.1, -0.7),
         "right_hand": (-0.10, 0.34, 0.50), "right_elbow": (-0.5, -1.0, 0.0), "right_wrist": (0.0, -28.0)}
