"""Table tennis with the right hand: the ready stance, and twelve swings from it and back, the ball met at 0.6 s."""
from curve import poses
from feet import planted
from motion import Motion, channels

READY = {"height": 0.865, "pelvis": (20, -6, 0), "spine": (14, -2, 0), "head": (-24, 6, 0), "zmp": (0.0, 0.045),
         "left_hand": (0.26, 0.20, 0.36), "left_elbow": (0.7, -1.0, -0.2), "left_wrist": (0.0, 0.0),
         "right_hand": (-0.24, 0.17, 0.38), "right_elbow": (-0.6, -1.0, -0.4), "right_wrist": (12.0, 0.0)}
HEIGHTS = {"low": -0.04, "middle": 0.12, "high": 0.30}  # m, of the wrist above the pelvis when it meets the ball
BEND = {"low": 8, "middle": 0, "high": -5}              # degrees, how much further the trunk leans
PELVIS = {"low": 0.83, "middle": 0.865, "high": 0.89}   # m
# Elbow direction and wrist that turn the racket's face to the net there, by height and reach (near, wide).
FOREHAND_ARM = {"low": (((0.3, -0.7, 0.0), (20, -5)), ((0.3, -1.0, 0.0), (20, -5))),
                "middle": (((0.3, -0.7, 0.0), (30, -15)), ((0.0, -0.7, 0.0), (30, -5))),
                "high": (((0.0, -0.7, 0.0), (38, -20)), ((-0.5, -0.4, 0.3), (38, -15)))}
BACKHAND_ARM = {"low": (((-1.0, -0.7, -0.3), (-28, -5)), ((-1.0, -0.4, -0.3), (-20, -5))),
                "middle": (((-1.0, -0.7, -0.6), (-36, -15)), ((-1.0, -0.4, -0.6), (-30, -15))),
                "high": (((-1.0, -1.0, -1.0), (-38, -20)), ((-1.0, -1.0, -1.0), (-38, -20)))}
LOADED, THROUGH, BACK, END = 0.40, 0.80, 1.35, 1.6      # s; the ball is met half-way between the first two


def feet():
    return {"Left": planted(0.23, 0.04, 12.0), "Right": planted(-0.23, -0.05, -16.0)}


def forehand(level, wide):
    y, bend = HEIGHTS[level], BEND[level]
    aside, lean = (0.17, 5) if wide else (0.0, 0)
    (a, b, c), (extension, deviation) = FOREHAND_ARM[level][wide]
    load = {"pelvis": (18 + bend, -36, lean), "spine": (12 + bend / 2, -18, lean), "head": (-20, 48, -lean),
            "right_hand": (-0.46 - aside, y - 0.05, 0.0), "right_elbow": (a + 0.25, b, c - 0.5),
            "right_wrist": (extension + 8, deviation), "left_hand": (0.14, 0.26, 0.42), "zmp": (-0.10 - 0.4 * aside, 0.02)}
    meet = {"pelvis": (19 + bend, -10, lean), "spine": (13 + bend / 2, -3, lean), "head": (-22, 13, -lean),
            "right_hand": (-0.36 - aside, y, 0.32), "right_elbow": (a, b, c),
            "right_wrist": (extension, deviation), "left_hand": (0.26, 0.22, 0.30), "zmp": (0.01 - 0.5 * aside, 0.04)}
    return load, meet


def backhand(level, wide):
    y, bend = HEIGHTS[level], BEND[level]
    aside, lean = (0.14, -4) if wide else (0.0, 0)
    (a, b, c), (extension, deviation) = BACKHAND_ARM[level][wide]
    load = {"pelvis": (20 + bend, 12 + 60 * aside, lean), "spine": (14 + bend / 2, 10 + 40 * aside, lean),
            "head": (-22, -18 - 80 * aside, -lean), "right_hand": (0.07 + aside, y - 0.04, 0.22),
            "right_elbow": (a, b, c + 0.4), "right_wrist": (extension - 16, deviation),
            "left_hand": (0.34, 0.16, 0.22), "zmp": (0.07 + 0.4 * aside, 0.035)}
    meet = {"pelvis": (20 + bend, 0 + 40 * aside, lean), "spine": (14 + bend / 2, 2 + 20 * aside, lean),
            "head": (-23, -2 - 50 * aside, -lean), "right_hand": (-0.08 + aside, y, 0.43),
            "right_elbow": (a, b, c), "right_wrist": (extension, deviation),
            "left_hand": (0.32, 0.18, 0.26), "zmp": (0.01 + 0.5 * aside, 0.045)}
    return load, meet


def ready():
    left = {"height": 0.850, "zmp": (0.05, 0.05), "right_hand": (-0.22, 0.15, 0.38)}
    right = {"height": 0.850, "zmp": (-0.05, 0.05), "right_hand": (-0.25, 0.155, 0.38)}
    timeline = [(0, {}), (0.55, left), (1.1, READY), (1.65, right), (2.2, READY)]
    return Motion(2.2, channels(poses(timeline, READY)), feet(), softness=0.04, period=(0.0, 0.0, 0.0), repeat=2)


def swing(stroke, level, wide):
    """Fastest where it meets the ball: the way through is the way there, mirrored at that point."""
    load, meet = stroke(level, wide)
    through = {name: tuple(2 * b - a for a, b in zip(load[name], meet[name])) for name in load}
    load["height"] = through["height"] = PELVIS[level]
    timeline = [(0, {}), (LOADED, load), (THROUGH, through), (BACK, READY), (END, {})]
    return Motion(END, channels(poses(timeline, READY)), feet(), softness=0.04)


MOTIONS = {"table_tennis_ready": ready}
for _stroke in (forehand, backhand):
    for _level in HEIGHTS:
        for _reach in ("near", "wide"):
            MOTIONS[f"{_stroke.__name__}_{_level}_{_reach}"] = (
                lambda stroke=_stroke, level=_level, wide=_reach == "wide": swing(stroke, level, wide))
