"""Vectors are tuples (x, y, z), rotations unit quaternions (w, x, y, z). Metres; Y up, Z forward, X to the left."""
from math import atan2, cos, degrees, hypot, pi, radians, sin, sqrt


def add(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def sub(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def scale(a, s):
    return (a[0] * s, a[1] * s, a[2] * s)


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def norm(a):
    return sqrt(dot(a, a))


def unit(a):
    return scale(a, 1.0 / norm(a))


IDENTITY = (1.0, 0.0, 0.0, 0.0)


def about_x(angle):
    """Angles are in degrees. Positive about X bends the trunk forwards, points the toes, flexes the knee."""
    h = radians(angle) / 2
    return (cos(h), sin(h), 0.0, 0.0)


def about_y(angle):
    """Positive about Y turns to the left."""
    h = radians(angle) / 2
    return (cos(h), 0.0, sin(h), 0.0)


def about_z(angle):
    """Positive about Z leans to the right."""
    h = radians(angle) / 2
    return (cos(h), 0.0, 0.0, sin(h))


def mul(a, b):
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    return (aw * bw - ax * bx - ay * by - az * bz, aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx, aw * bz + ax * by - ay * bx + az * bw)


def inverse(q):
    return (q[0], -q[1], -q[2], -q[3])


def rotate(q, v):
    w, x, y, z = q
    vx, vy, vz = v
    tx, ty, tz = 2 * (y * vz - z * vy), 2 * (z * vx - x * vz), 2 * (x * vy - y * vx)
    return (vx + w * tx + y * tz - z * ty, vy + w * ty + z * tx - x * tz, vz + w * tz + x * ty - y * tx)


def turn(pitch, yaw=0.0, roll=0.0):
    """Yaw, then pitch, then roll about the turned axes (degrees)."""
    return mul(mul(about_y(yaw), about_x(pitch)), about_z(roll))


def mirror(q):
    """The same rotation seen in a mirror that swaps left and right."""
    return (q[0], q[1], -q[2], -q[3])


def from_axes(x, y, z):
    """The rotation that takes the coordinate axes to the orthonormal x, y, z."""
    trace = x[0] + y[1] + z[2]
    candidates = (trace, x[0], y[1], z[2])
    largest = max(range(4), key=lambda i: candidates[i])
    if largest == 0:
        q = (1 + trace, y[2] - z[1], z[0] - x[2], x[1] - y[0])
    elif largest == 1:
        q = (y[2] - z[1], 1 + x[0] - y[1] - z[2], y[0] + x[1], z[0] + x[2])
    elif largest == 2:
        q = (z[0] - x[2], y[0] + x[1], 1 + y[1] - x[0] - z[2], z[1] + y[2])
    else:
        q = (x[1] - y[0], z[0] + x[2], z[1] + y[2], 1 + z[2] - x[0] - y[1])
    length = sqrt(sum(c * c for c in q))
    return tuple(c / length for c in q)


def euler_zyx(q, near):
    """Degrees (z, y, x) with q = Rz Ry Rx; of the equivalent triples the one nearest to `near`."""
    x, y, z = rotate(q, (1, 0, 0)), rotate(q, (0, 1, 0)), rotate(q, (0, 0, 1))
    cos_y = hypot(x[0], x[1])
    ry = atan2(-x[2], cos_y)
    if cos_y > 1e-9:
        rz, rx = atan2(x[1], x[0]), atan2(y[2], z[2])
    else:  # the arm points straight ahead: z and x turn about one axis, so keep z
        rz = radians(near[0])
        s, c = sin(rz), cos(rz)
        rx = atan2(s * z[0] - c * z[1], c * y[1] - s * y[0])
    best = None
    for triple in ((rz, ry, rx), (rz + pi, pi - ry, rx + pi)):
        angles = tuple(a + 360 * round((n - a) / 360) for a, n in zip(map(degrees, triple), near))
        distance = sum((a - n) ** 2 for a, n in zip(angles, near))
        if best is None or distance < best[0] - 1e-9:
            best = (distance, angles)
    return best[1]
