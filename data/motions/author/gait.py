"""Stepping: footsteps in, feet and the path of the zero-moment point out."""
from body import BALL
from curve import Keys
from feet import Foot, Plant

TOES = BALL[2] + 0.026  # m ahead of the ankle: the middle of what is left on the floor when the heel is up
FOREVER = 1e6


class Step:
    """One foot leaves the floor at t_off and comes down at t_on with its ankle at (x, z), toes turned left by yaw.
    style: how it is put down, where that differs from the gait's."""

    def __init__(self, side, t_off, t_on, x, z, yaw, style=None):
        self.side, self.t_off, self.t_on, self.x, self.z, self.yaw = side, t_off, t_on, x, z, yaw
        self.style = style


class Style:
    """How a foot rolls (degrees, heel up positive) and where on the foot the weight is (m ahead of the ankle).
    pitch_off: at toe-off; pitch_on: at touch-down;
    rolls: s before toe-off that the heel rises; flattens: s after touch-down that the foot lies flat;
    weight_on, weight_off: where the weight arrives on the foot, and where it stays before it leaves it;
    settles: s before the other foot comes down that the weight has got there;
    swing_pitch: [(share of the swing, degrees)]; lift: share of the swing -> m; ramp: see Foot."""

    def __init__(self, *, pitch_off, pitch_on, rolls, flattens, weight_on, weight_off, settles, swing_pitch, lift,
                 ramp=0.4):
        self.pitch_off, self.pitch_on, self.rolls, self.flattens = pitch_off, pitch_on, rolls, flattens
        self.weight_on, self.weight_off, self.settles = weight_on, weight_off, settles
        self.swing_pitch, self.lift, self.ramp = swing_pitch, lift, ramp


def feet(steps, start, style):
    """start: {side: (x, z, yaw)} before the first step."""
    result = {}
    for side, (x, z, yaw) in start.items():
        plants, pitch = [Plant(-FOREVER, FOREVER, x, z, yaw)], [(-FOREVER, 0.0)]
        for step in (s for s in steps if s.side == side):
            duration = step.t_on - step.t_off
            down = step.style or style
            plants[-1].t_off = step.t_off
            plants.append(Plant(step.t_on, FOREVER, step.x, step.z, step.yaw, down.lift))
            pitch += [(step.t_off - style.rolls, 0.0), (step.t_off, style.pitch_off)]
            pitch += [(step.t_off + share * duration, value) for share, value in down.swing_pitch]
            pitch += [(step.t_on, down.pitch_on), (step.t_on + down.flattens, 0.0)]
        pitch.append((FOREVER, 0.0))
        result[side] = Foot(plants, Keys(pitch), style.lift, style.ramp)
    return result


def weight_path(steps, feet_by_side, style, rest_before=None, rest_after=None):
    """Keys of the zero-moment point: along the standing foot while the other swings, across while both stand.
    rest_before, rest_after: (time, (x, z)) where the weight rests before the first and after the last step."""
    keys = [rest_before] if rest_before else []
    for step in steps:
        standing = feet_by_side["Right" if step.side == "Left" else "Left"]
        plant = next(p for p in standing.plants if p.t_on <= step.t_off and step.t_on <= p.t_off)
        keys += [(step.t_off, plant.at(style.weight_on)), (step.t_on - style.settles, plant.at(style.weight_off)),
                 (step.t_on, plant.at(style.weight_off + 0.004))]
    return Keys(keys + ([rest_after] if rest_after else []))
