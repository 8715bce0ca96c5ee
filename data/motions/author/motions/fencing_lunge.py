"""Arm out, front foot far ahead, rear leg straight: a lunge from the fencer's guard, and back on guard."""
from curve import Keys, bump, poses
from fencing import BACK, CENTRE, FRONT, GUARD
from gait import Step, Style, feet
from motion import Motion, channels

REACH = 0.36                 # m, how far the front foot goes
OUT, DOWN = 0.95, 1.27       # s, the front foot leaves the floor and is down ahead
AGAIN, HOME, END = 2.15, 2.57, 3.6
STYLE = Style(pitch_off=4, pitch_on=0, rolls=0.08, flattens=0.05, weight_on=0.0, weight_off=0.0, settles=0.05,
              swing_pitch=[(0.5, -8)], lift=lambda s: 0.05 * bump(s))
RETURN = Style(pitch_off=-8, pitch_on=0, rolls=0.08, flattens=0.05, weight_on=0.0, weight_off=0.0, settles=0.05,
               swing_pitch=[(0.5, -6)], lift=lambda s: 0.05 * bump(s))
ARM = {"right_hand": (-0.11, 0.46, 0.72), "right_elbow": (-0.6, -1.0, 0.0), "right_wrist": (0.0, -14.0)}
LUNGE = {"height": 0.70, "pelvis": (12, 50, 0), "spine": (12, 6, 0), "head": (-14, -54, 0),
         "left_hand": (0.32, 0.20, -0.46), "left_elbow": (0.7, -0.3, -0.8), "right_hand": (-0.09, 0.42, 0.86), "right_wrist": (0.0, 0.0)}


def motion():
    front = FRONT[1] + REACH
    steps = [Step("Right", OUT, DOWN, FRONT[0], front, FRONT[2]), Step("Right", AGAIN, HOME, *FRONT, RETURN)]
    legs = feet(steps, {"Left": BACK, "Right": FRONT}, STYLE)
    timeline = [(0, {}), (0.45, {}), (0.85, ARM | {"height": 0.83}), (DOWN + 0.06, LUNGE), (DOWN + 0.40, LUNGE),
                (HOME + 0.30, GUARD), (END, {})]
    curves = poses(timeline, GUARD)
    rear, ahead = (BACK[0] + 0.02, BACK[1] + 0.02), (FRONT[0], front + 0.02)
    curves["zmp"] = Keys([(0.4, CENTRE), (OUT - 0.10, (0.03, -0.19)), (OUT, rear), (DOWN - 0.03, rear),
                          (DOWN + 0.16, ahead), (DOWN + 0.38, (0.0, 0.30)), (AGAIN - 0.30, (-0.03, 0.45)), (AGAIN - 0.14, ahead),
                          (AGAIN, rear), (HOME - 0.03, rear), (HOME + 0.4, CENTRE)])
    return Motion(END, channels(curves), legs)
