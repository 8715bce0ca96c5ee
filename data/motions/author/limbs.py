"""Two-bone limbs: where a hip or shoulder, knee or elbow must turn for the ankle or wrist to be somewhere."""
from math import acos, cos, degrees, pi, sin

from body import FOREARM, SHANK, THIGH, UPPER_ARM
from rotation import about_x, about_y, about_z, add, cross, dot, from_axes, mirror, mul, norm, scale, sub, unit

STRAIGHT = 0.9995  # of the limb's length: beyond it a limb cannot reach


def _bend(distance, upper, lower):
    """(angle at the root between the line to the end and the upper bone, bend of the middle joint), radians."""
    d = min(distance, STRAIGHT * (upper + lower))
    at_root = acos((upper * upper + d * d - lower * lower) / (2 * upper * d))
    inside = acos(max(-1.0, min(1.0, (upper * upper + lower * lower - d * d) / (2 * upper * lower))))
    return at_root, pi - inside


def leg(hip, ankle, forward):
    """World rotation of the thigh, knee flexion (degrees), and how much of its length the leg uses. The knee bends
    towards `forward`."""
    line = sub(ankle, hip)
    distance = norm(line)
    down = scale(line, 1.0 / distance)
    hinge = unit(cross(forward, down))
    at_hip, knee = _bend(distance, THIGH, SHANK)
    ahead = cross(down, hinge)
    along = add(scale(down, cos(at_hip)), scale(ahead, sin(at_hip)))
    up = scale(along, -1.0)
    return from_axes(hinge, up, cross(hinge, up)), degrees(knee), distance / (THIGH + SHANK)


def reach(side, shoulder, wrist, elbow):
    """World rotation of the upper arm and local rotation of the forearm; the elbow points towards `elbow`."""
    line = sub(wrist, shoulder)
    distance = norm(line)
    ahead = scale(line, 1.0 / distance)
    out = unit(sub(elbow, scale(ahead, dot(elbow, ahead))))
    at_shoulder, bend = _bend(distance, UPPER_ARM, FOREARM)
    along = add(scale(ahead, cos(at_shoulder)), scale(out, sin(at_shoulder)))
    inwards = sub(scale(ahead, sin(at_shoulder)), scale(out, cos(at_shoulder)))  # where the forearm folds to
    sign = 1 if side == "Left" else -1
    x = scale(along, sign)
    return from_axes(x, cross(inwards, x), inwards), about_y(-sign * degrees(bend))


def hang(side, flexion, abduction, twist, elbow):
    """Local rotations of upper arm and forearm, degrees from hanging at the side, thumb forwards."""
    upper = mul(mul(about_x(-flexion), about_z(abduction - 90)), about_x(-twist))
    fore = about_y(-elbow)
    return (upper, fore) if side == "Left" else (mirror(upper), mirror(fore))


def wrist(side, extension, deviation):
    """Local rotation of a hand, degrees: bent towards its back, and towards its thumb."""
    bent = mul(about_y(-deviation), about_z(extension))
    return bent if side == "Left" else mirror(bent)
