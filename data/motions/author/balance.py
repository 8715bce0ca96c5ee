"""Balance: the zero-moment point of a motion, and the centre-of-mass path that puts it where it is wanted.

Moment balance about the centre of mass c, with ground force F = m (c'' + g) acting at the zero-moment point p on the
floor, angular momentum L about c, and h the height of c (Kajita et al., Introduction to Humanoid Robotics, ch. 3):
    c_z'' = k (c_z - p_z) - L_x' / (m h),    c_x'' = k (c_x - p_x) + L_z' / (m h),    k = F_y / (m h).
In flight k and L' are zero and the same equations say that the body moves uniformly."""
from math import exp

from body import GRAVITY, MASS, MASSES, SOLES
from rotation import add, rotate

TOUCHING = 0.0004  # m: a corner of the sole this near the floor carries load


def points(frame):
    places, turns = frame
    return [add(places[j], rotate(turns[j], local)) for j, _, local in MASSES]


class Momentum:
    """Centre of mass, its acceleration, rate of angular momentum and zero-moment point at every frame.
    clouds: the mass points of every frame. displacement: of one period (x, y, z), or None for a motion that
    goes on uniformly (it rests, nearly) before its first and after its last frame."""

    def __init__(self, clouds, dt, displacement=None):
        n = len(clouds)
        masses = [m for _, m, _ in MASSES]
        if displacement:
            before = [tuple(a - d for a, d in zip(p, displacement)) for p in clouds[-1]]
            after = [tuple(a + d for a, d in zip(p, displacement)) for p in clouds[0]]
        else:
            before = [tuple(2 * a - b for a, b in zip(p, q)) for p, q in zip(clouds[0], clouds[1])]
            after = [tuple(2 * a - b for a, b in zip(p, q)) for p, q in zip(clouds[-1], clouds[-2])]
        padded = [before] + clouds + [after]
        self.com, self.com_acceleration, self.rate, self.spin, self.force_y, self.zmp = [], [], [], [], [], []
        for i in range(1, n + 1):
            cx = cy = cz = ax = ay = az = 0.0
            moved = []
            for m, p0, p, p1 in zip(masses, padded[i - 1], padded[i], padded[i + 1]):
                x, y, z = p
                bx = (p0[0] - 2 * x + p1[0]) / (dt * dt)
                by = (p0[1] - 2 * y + p1[1]) / (dt * dt)
                bz = (p0[2] - 2 * z + p1[2]) / (dt * dt)
                cx += m * x; cy += m * y; cz += m * z
                ax += m * bx; ay += m * by; az += m * bz
                moved.append((m, x, y, z, bx, by, bz, (p1[0] - p0[0]) / (2 * dt), (p1[1] - p0[1]) / (2 * dt),
                              (p1[2] - p0[2]) / (2 * dt)))
            cx /= MASS; cy /= MASS; cz /= MASS; ax /= MASS; ay /= MASS; az /= MASS
            lx = ly = lz = rx = rz = 0.0
            for m, x, y, z, bx, by, bz, vx, vy, vz in moved:
                x -= cx; y -= cy; z -= cz
                rx += m * (y * (bz - az) - z * (by - ay))
                rz += m * (x * (by - ay) - y * (bx - ax))
                lx += m * (y * vz - z * vy)
                ly += m * (z * vx - x * vz)
                lz += m * (x * vy - y * vx)
            force = MASS * (ay + GRAVITY)
            self.com.append((cx, cy, cz))
            self.com_acceleration.append((ax, ay, az))
            self.rate.append((rx, 0.0, rz))
            self.spin.append((lx, ly, lz))
            self.force_y.append(force)
            heavy = max(force, 0.05 * MASS * GRAVITY)
            self.zmp.append((cx + (rz - MASS * cy * ax) / heavy, cz - (rx + MASS * cy * az) / heavy))


def smooth(values, sigma, periodic):
    """Gaussian filter, sigma in samples; the ends are held, or wrap."""
    if sigma <= 0:
        return values
    reach = int(4 * sigma) + 1
    kernel = [exp(-0.5 * (k / sigma) ** 2) for k in range(-reach, reach + 1)]
    total, n = sum(kernel), len(values)
    pick = (lambda i: values[i % n]) if periodic else (lambda i: values[min(max(i, 0), n - 1)])
    return [sum(w * pick(i + k - reach) for k, w in enumerate(kernel)) / total for i in range(n)]


def _tridiagonal(diagonal, right):
    """Solves x[i-1] + diagonal[i] x[i] + x[i+1] = right[i] with x zero outside."""
    n = len(diagonal)
    c, d = [0.0] * n, [0.0] * n
    for i in range(n):
        pivot = diagonal[i] - (c[i - 1] if i else 0.0)
        c[i] = 1.0 / pivot
        d[i] = (right[i] - (d[i - 1] if i else 0.0)) / pivot
    for i in range(n - 2, -1, -1):
        d[i] -= c[i] * d[i + 1]
    return d


def com_path(stiffness, zmp, push, dt, displacement=None):
    """c with c'' = stiffness (c - zmp) + push along one axis: periodic up to `displacement`, or resting at both
    ends."""
    n = len(zmp)
    diagonal = [-(2 + k * dt * dt) for k in stiffness]
    right = [dt * dt * (s - k * p) for k, p, s in zip(stiffness, zmp, push)]
    if displacement is None:
        first, last = (zmp[i] - push[i] / stiffness[i] for i in (0, -1))
        inner = right[1:-1]
        inner[0] -= first
        inner[-1] -= last
        return [first] + _tridiagonal(diagonal[1:-1], inner) + [last]
    right[0] += displacement
    right[-1] -= displacement
    corner = -diagonal[0]  # cyclic system by Sherman and Morrison
    cut = diagonal[:]
    cut[0] -= corner
    cut[-1] -= 1.0 / corner
    u = [0.0] * n
    u[0], u[-1] = corner, 1.0
    y, z = _tridiagonal(cut, right), _tridiagonal(cut, u)
    share = (y[0] + y[-1] / corner) / (1.0 + z[0] + z[-1] / corner)
    return [a - share * b for a, b in zip(y, z)]


def hull(corners):
    """Convex hull of (x, z) points, counter-clockwise."""
    corners = sorted(set(corners))
    if len(corners) < 3:
        return corners
    def half(sequence):
        chain = []
        for p in sequence:
            while len(chain) > 1 and _side(chain[-2], chain[-1], p) <= 1e-12:
                chain.pop()
            chain.append(p)
        return chain[:-1]
    return half(corners) + half(reversed(corners))


def _side(a, b, p):
    return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])


def margin(point, corners):
    """Distance from the point to the nearest edge of the corners' hull, negative outside (m)."""
    edge = hull(corners)
    if len(edge) < 3:
        return -1.0
    worst = 1e9
    for a, b in zip(edge, edge[1:] + edge[:1]):
        length = ((b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2) ** 0.5
        worst = min(worst, _side(a, b, point) / length)
    return worst


def touching(frame):
    """The corners of the soles that lie on the floor: {(side, number): (x, y, z)}."""
    places, turns = frame
    found = {}
    for side, corners in SOLES.items():
        for number, (joint, local) in enumerate(corners):
            p = add(places[joint], rotate(turns[joint], local))
            if p[1] < TOUCHING:
                found[side, number] = p
    return found
