"""Where the feet are. A planted foot stays planted exactly: it lies flat, rolls over the heel (toes up) or over the
ball (heel up); between two plants the ball of the foot travels from rest to rest."""
from bisect import bisect_right

from body import ANKLE_HEIGHT, BALL, HEEL
from curve import bump, ease
from rotation import about_x, about_y, add, mul, rotate, scale, sub


class Plant:
    """A foot on the ground from t_on to t_off: the ankle's place when flat, toes turned out to the left by yaw.
    lift: of the ball on the way there, where that differs from the foot's."""

    def __init__(self, t_on, t_off, x, z, yaw, lift=None):
        self.t_on, self.t_off, self.yaw, self.lift = t_on, t_off, yaw, lift
        self.ankle = (x, ANKLE_HEIGHT, z)

    def at(self, forward, side=0.0):
        """(x, z) of a point of the sole, `forward` of the ankle along the foot."""
        p = add(self.ankle, rotate(about_y(self.yaw), (side, 0.0, forward)))
        return (p[0], p[2])


def roll(plant, pitch):
    """Ankle of a planted foot whose heel is raised (pitch > 0) or whose toes are (pitch < 0), degrees."""
    pivot = BALL if pitch > 0 else HEEL
    facing = about_y(plant.yaw)
    held = add(plant.ankle, rotate(facing, pivot))
    return add(held, rotate(mul(facing, about_x(pitch)), scale(pivot, -1.0)))


class Foot:
    """plants: in order of time. pitch: t -> degrees. lift: share of the swing -> m the ball is raised.
    ramp: share of the swing spent speeding up, and slowing down."""

    def __init__(self, plants, pitch=lambda t: 0.0, lift=lambda s: 0.06 * bump(s), ramp=0.4):
        self.plants, self.pitch, self.lift, self.ramp = plants, pitch, lift, ramp
        self.starts = [plant.t_on for plant in plants]

    def at(self, t):
        """Ankle place, world rotation of the foot, world rotation of the toes."""
        pitch = self.pitch(t)
        i = max(0, bisect_right(self.starts, t) - 1)
        here = self.plants[i]
        if t <= here.t_off or i + 1 == len(self.plants):
            facing = about_y(here.yaw)
            return roll(here, pitch), mul(facing, about_x(pitch)), mul(facing, about_x(min(pitch, 0.0)))
        there = self.plants[i + 1]
        s = (t - here.t_off) / (there.t_on - here.t_off)
        progress = ease(s, self.ramp)
        ball_from = self._ball(here, self.pitch(here.t_off))
        ball_to = self._ball(there, self.pitch(there.t_on))
        ball = add(ball_from, scale(sub(ball_to, ball_from), progress))
        ball = (ball[0], ball[1] + (there.lift or self.lift)(s), ball[2])
        facing = about_y(here.yaw + (there.yaw - here.yaw) * progress)
        foot = mul(facing, about_x(pitch))
        straight = ease(s / 0.45) if s < 0.5 else ease((1 - s) / 0.45)  # toes lie flat at both ends
        toes = mul(facing, about_x(pitch if pitch < 0 else pitch * straight))
        return sub(ball, rotate(foot, BALL)), foot, toes

    @staticmethod
    def _ball(plant, pitch):
        return add(roll(plant, pitch), rotate(mul(about_y(plant.yaw), about_x(pitch)), BALL))


def planted(x, z, yaw):
    """A foot that never moves."""
    return Foot([Plant(-1e9, 1e9, x, z, yaw)])


def standing():
    return {"Left": planted(0.10, 0.0, 7.0), "Right": planted(-0.10, 0.0, -7.0)}
