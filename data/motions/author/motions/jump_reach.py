"""A jump on the spot that reaches up: as `jump`, but the arms go up before it and stay there until the landing. For a bar
to be caught in the air."""
from curve import Keys, bump, ease, poses
from feet import Foot, Plant
from gait import TOES
from motion import UPRIGHT, Motion, channels
from motions.jump import DOWN, LAND, TAKE_OFF, com_height

ARMS = {"left": (168, 8, 0, 8), "right": (168, 8, 0, 8)}
RAISED = 0.05  # m, by which arms that are up raise the centre of mass
UP = {"pelvis": (2, 0, 0), "spine": (0, 0, 0), "head": (-14, 0, 0), **ARMS}


def motion():
    timeline = [(0, {}), (0.1, {}), (0.75, ARMS), (1.23, {"pelvis": (8, 0, 0), "spine": (3, 0, 0), "head": (-10, 0, 0), **ARMS}), (1.52, UP), (1.83, UP),
                (2.13, {**DOWN, **ARMS}), (2.3, ARMS), (3.1, UPRIGHT), (3.8, {})]
    curves = poses(timeline, UPRIGHT)
    curves["zmp"] = Keys([(0.5, (0.0, 0.045)), (1.15, (0.0, 0.06)), (1.38, (0.0, TOES)), (1.96, (0.0, TOES)),
                          (2.2, (0.0, 0.07)), (3.0, (0.0, 0.045))])
    pitch = Keys([(1.36, 0), (TAKE_OFF, 44), (TAKE_OFF + 0.07, 56), (LAND - 0.07, 46), (LAND, 34), (LAND + 0.15, 0)])
    feet = {side: Foot([Plant(-1e6, TAKE_OFF, sign * 0.10, 0.0, sign * 7.0),
                        Plant(LAND, 1e6, sign * 0.10, 0.0, sign * 7.0)], pitch, lambda s: 0.15 * bump(s))
            for side, sign in (("Left", 1), ("Right", -1))}
    quiet = Keys([(1.12, 0.0), (1.28, 1.0), (2.0, 1.0), (2.15, 0.0)])
    recovered = Keys([(2.15, 1.0), (3.0, 0.0)])
    height = com_height()
    raised = lambda t: height(t) + RAISED * (ease((t - 0.1) / 0.65) - ease((t - 2.3) / 0.8))
    return Motion(3.8, channels(curves), feet, com_height=raised, no_spin=quiet, recover=recovered)
