"""Sitting down on a seat 41 cm high, its middle 25 cm behind the ankles, and getting up again; the arms swing forwards as
the trunk leans."""
from curve import Keys, poses
from feet import standing
from motion import UPRIGHT, Motion, Seat, channels

HEIGHT = 0.53  # m, of the pelvis: thighs on the seat
LEAN = {"height": 0.74, "pelvis": (48, 0, 0), "spine": (18, 0, 0), "head": (-30, 0, 0), "left": (72, 6, 0, 12),
        "right": (72, 6, 0, 12)}
TOUCH = {"height": HEIGHT, "pelvis": (52, 0, 0), "spine": (22, 0, 0), "head": (-32, 0, 0), "left": (80, 6, 0, 14),
         "right": (80, 6, 0, 14)}
SEATED = {"height": HEIGHT, "pelvis": (-4, 0, 0), "spine": (8, 0, 0), "head": (-2, 0, 0), "left": (28, 8, 0, 52),
          "right": (28, 8, 0, 52)}


def motion():
    timeline = [(0, {}), (0.5, {}), (1.25, LEAN), (1.9, TOUCH), (2.8, SEATED), (3.5, SEATED), (4.3, TOUCH), (4.95, LEAN),
                (5.8, UPRIGHT), (6.3, {})]
    on = Keys([(1.75, 0.0), (1.95, 1.0), (4.25, 1.0), (4.45, 0.0)])
    curves = poses(timeline, UPRIGHT)
    curves["zmp"] = Keys([(1.7, (0.0, 0.045)), (2.6, (0.0, -0.25)), (3.6, (0.0, -0.25)), (4.5, (0.0, 0.045))])
    return Motion(6.3, channels(curves), standing(), seat=Seat(-0.245, on))
