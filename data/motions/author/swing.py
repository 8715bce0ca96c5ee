"""A foot in the air that goes out of its way: a kick, a leg raised to the side."""
from curve import Keys
from rotation import add


class Swung:
    """A foot (feet.Foot) whose ankle is moved by offset(t), m: nothing while it is planted."""

    def __init__(self, foot, offset):
        self.foot, self.offset, self.plants = foot, offset, foot.plants

    def at(self, t):
        ankle, foot, toes = self.foot.at(t)
        return add(ankle, self.offset(t)), foot, toes


def swing(steps, side, shape):
    """offset(t) for the swings of one side: shape is [(share of the swing, (x, y, z))], zero at both ends."""
    keys = [(-1e6, (0.0, 0.0, 0.0))]
    for step in (s for s in steps if s.side == side):
        duration = step.t_on - step.t_off
        keys.append((step.t_off, (0.0, 0.0, 0.0)))
        keys += [(step.t_off + share * duration, place) for share, place in shape]
        keys.append((step.t_on, (0.0, 0.0, 0.0)))
    keys.append((1e6, (0.0, 0.0, 0.0)))
    return Keys(keys)
