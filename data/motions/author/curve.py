"""Curves through keys, twice continuously differentiable, that never overshoot a key."""
from bisect import bisect_right


def ease(s, ramp=0.5):
    """0 to 1 as s goes from 0 to 1, at rest at both ends; the speed is constant outside the two ramps."""
    if s <= 0:
        return 0.0
    if s >= 1:
        return 1.0
    if s > 0.5:
        return 1.0 - ease(1.0 - s, ramp)
    speed = 1.0 / (1.0 - ramp)
    if s < ramp:  # speed = smootherstep(s / ramp), integrated
        u = s / ramp
        return speed * ramp * (u ** 6 - 3 * u ** 5 + 2.5 * u ** 4)
    return speed * (s - ramp / 2)


def bump(s):
    """0, 1, 0 as s goes 0, 1/2, 1; speed and acceleration vanish at both ends."""
    return 64 * (s * (1 - s)) ** 3 if 0 < s < 1 else 0.0


def _slope(before, after, width_before, width_after):
    """Fritsch-Butland: zero at a turning point or beside a hold, else the weighted harmonic mean."""
    if before * after <= 0:
        return 0.0
    w1, w2 = 2 * width_after + width_before, width_after + 2 * width_before
    return (w1 + w2) / (w1 / before + w2 / after)


class Keys:
    """Quintic pieces between (time, value) keys; a value is a number or a tuple. Constant outside the keys."""

    def __init__(self, keys):
        keys = sorted(keys, key=lambda key: key[0])
        self.times = [t for t, _ in keys]
        self.scalar = not isinstance(keys[0][1], tuple)
        rows = [(v,) if self.scalar else v for _, v in keys]
        columns = list(zip(*rows))
        self.columns = [(values, self._slopes(values)) for values in columns]

    def _slopes(self, values):
        t, n = self.times, len(values)
        widths = [t[i + 1] - t[i] for i in range(n - 1)]
        rates = [(values[i + 1] - values[i]) / widths[i] for i in range(n - 1)]
        inner = [_slope(rates[i - 1], rates[i], widths[i - 1], widths[i]) for i in range(1, n - 1)]
        return [0.0] + inner + [0.0]

    def __call__(self, t):
        i = bisect_right(self.times, t) - 1
        if i < 0 or i >= len(self.times) - 1:
            row = tuple(values[0 if i < 0 else -1] for values, _ in self.columns)
        else:
            width = self.times[i + 1] - self.times[i]
            u = (t - self.times[i]) / width
            u3, u4, u5 = u ** 3, u ** 4, u ** 5
            step = 10 * u3 - 15 * u4 + 6 * u5  # quintic Hermite with zero second derivative at both keys
            start, end = u - 6 * u3 + 8 * u4 - 3 * u5, -4 * u3 + 7 * u4 - 3 * u5
            row = tuple(v[i] + (v[i + 1] - v[i]) * step + width * (m[i] * start + m[i + 1] * end)
                        for v, m in self.columns)
        return row[0] if self.scalar else row


def poses(timeline, rest):
    """timeline: [(t, {channel: value})]. Each channel gets its own Keys; one absent from a key keeps its last value."""
    state, keys = dict(rest), {name: [] for name in rest}
    for t, pose in timeline:
        unknown = set(pose) - set(rest)
        if unknown:
            raise ValueError(f"unknown channels {sorted(unknown)}; known: {sorted(rest)}")
        state.update(pose)
        for name in rest:
            keys[name].append((t, state[name]))
    return {name: Keys(points) for name, points in keys.items()}
