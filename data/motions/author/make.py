"""Makes data/motions/*.bvh.

    python3 make.py                 write all motions and print how well each is balanced
    python3 make.py walk jump       only these
    python3 make.py --check         write nothing; exit 1 when a file differs from what would be written
"""
import argparse
import importlib
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

import bvh
from balance import margin, touching
from body import GRAVITY, MASS
from motion import Motion, solve

FOLDER = Path(__file__).resolve().parent.parent
SOURCES = sorted(path.stem for path in (Path(__file__).resolve().parent / "motions").glob("*.py"))
LAST_DIGITS = 3e-4  # in a file's units: what another machine's sine may change


def frames_of(motion, solution):
    """The frames to write: all, or `repeat` periods and the frame that closes the loop."""
    if not motion.period:
        return solution.frames
    dx, dy, dz = motion.period
    frames = []
    for n in range(motion.repeat):
        frames += [((x + n * dx, y + n * dy, z + n * dz), local) for (x, y, z), local in solution.frames]
    (x, y, z), local = solution.frames[0]
    n = motion.repeat
    return frames + [((x + n * dx, y + n * dy, z + n * dz), local)]


def nearly_flying(contacts, i, frames=8):
    """Within a few frames of flight: the weight must leave the floor before the feet do."""
    return any(not contacts[k % len(contacts)] for k in range(i - frames, i + frames + 1))


def examine(motion, solution):
    """The figures that say whether a body could do this."""
    m, contacts = solution.momentum, [touching(world) for world in solution.world]
    margins, slide, accelerations, spin = [], 0.0, [], []
    for i, corners in enumerate(contacts):
        flight = not corners
        if not flight and m.force_y[i] > 0.2 * MASS * GRAVITY:
            seat = motion.seat.corners() if motion.seat and motion.seat.on(i * motion.dt) > 0.01 else []
            margins.append(margin(m.zmp[i], [(p[0], p[2]) for p in corners.values()] + seat))
        if flight:
            spin.append(m.spin[i][0])
        elif not nearly_flying(contacts, i):
            accelerations.append(m.com_acceleration[i][1])
        for key in corners.keys() & (contacts[i - 1].keys() if i else set()):
            a, b = corners[key], contacts[i - 1][key]
            slide = max(slide, ((a[0] - b[0]) ** 2 + (a[2] - b[2]) ** 2) ** 0.5)
    jerk = max(abs(b - a) / motion.dt for p, q in zip(m.com_acceleration, m.com_acceleration[1:])
               for a, b in zip(p, q))
    return {"seconds": (len(frames_of(motion, solution)) - 1) * motion.dt, "margin": 100 * min(margins),
            "slide": 1000 * slide, "lowest": min(accelerations) / GRAVITY, "extension": max(solution.extension),
            "jerk": jerk, "spin": max(spin, default=0.0) - min(spin, default=0.0)}


def motions():
    """{name: function that makes it}: a source has one `motion` of its own name, or a family of them, `MOTIONS`."""
    found = {}
    for source in SOURCES:
        module = importlib.import_module("motions." + source)
        found |= module.MOTIONS if hasattr(module, "MOTIONS") else {source: module.motion}
    return found


def make(name):
    motion = motions()[name]()
    if not isinstance(motion, Motion):  # hangs, crawls or rolls: it comes with its frames
        return bvh.text(motion.frames, motion.dt), motion.figures()
    solution = solve(motion)
    return bvh.text(frames_of(motion, solution), motion.dt), examine(motion, solution)


def differs(old, new):
    """Whether two files differ in more than the last digits."""
    a, b = old.split(), new.split()
    if len(a) != len(b):
        return True
    for u, v in zip(a, b):
        if u != v:
            try:
                if abs(float(u) - float(v)) > LAST_DIGITS:
                    return True
            except ValueError:
                return True
    return False


def main():
    known = sorted(motions())
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="motion", help=", ".join(known))
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    names = arguments.names or known
    unknown = set(names) - set(known)
    if unknown:
        parser.error(f"no motion {', '.join(sorted(unknown))}; known: {', '.join(known)}")
    stale = []
    print("motion                 s   margin cm  slide mm  lowest g  leg  jerk m/s3  flight spin")
    with ProcessPoolExecutor() as pool:
        for name, (text, f) in zip(names, pool.map(make, names)):
            print(f"{name:20} {f['seconds']:4.1f} {f['margin']:10.1f} {f['slide']:9.3f} {f['lowest']:9.2f} "
                  f"{f['extension']:6.3f} {f['jerk']:8.0f} {f['spin']:8.2f}")
            path = FOLDER / f"{name}.bvh"
            if not arguments.check:
                path.write_text(text)
            elif not path.exists() or differs(path.read_text(), text):
                stale.append(path.name)
    if stale:
        print(f"not what the sources make: {', '.join(stale)}; run python3 {Path(__file__).name}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
