"""On hands and knees, from rest to rest: one limb after the other goes 16 cm ahead, hand, opposite knee, other hand, other
knee, three times round; the trunk sways over the three that rest."""
from math import cos, pi

from all_fours import AllFours, Limb
from curve import Keys

STRIDE, SWING, BEAT = 0.16, 0.85, 0.65  # m; s that a limb moves; s from limb to limb
BEGIN, ROUNDS, SWAY = 0.9, 3, 0.060    # s, 1, m
ORDER = (("Right", "palm"), ("Left", "knee"), ("Left", "palm"), ("Right", "knee"))


def begins(round_, place):
    return BEGIN + (4 * round_ + place) * BEAT


def moves(place):
    """Of the limb at this place in the order. The first two lead: their first and last move are half as long."""
    by = [STRIDE / 2] + [STRIDE] * (ROUNDS - 1) + [STRIDE / 2] if place < 2 else [STRIDE] * ROUNDS
    return [(begins(k, place), begins(k, place) + SWING, length) for k, length in enumerate(by)]


def motion():
    limbs = {}
    for place, (side, kind) in enumerate(ORDER):
        sign = 1 if side == "Left" else -1
        limbs[side, kind] = Limb(0.19 * sign, 0.44, moves(place), 0.05) if kind == "palm" else \
            Limb(0.10 * sign, 0.0, moves(place), 0.017)
    end = begins(ROUNDS, 2)
    amount = Keys([(0.1, 0.0), (BEGIN, SWAY), (end, SWAY), (end + 0.8, 0.0)])
    return AllFours(end + 1.1, limbs, lambda t: amount(t) * cos(pi * (t - BEGIN) / (2 * BEAT)))
