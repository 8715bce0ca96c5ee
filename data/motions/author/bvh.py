"""Writes BVH: centimetres, root channels Xposition Yposition Zposition Zrotation Yrotation Xrotation."""
from body import END_SITES, JOINTS, PARENT
from rotation import euler_zyx


def _vector(offset):
    return " ".join(f"{100 * c:.4f}" for c in offset)


def _joint(index, depth, lines, order):
    name, _, offset = JOINTS[index]
    pad = "  " * depth
    position = "" if index else "Xposition Yposition Zposition "
    lines += [f"{pad}{'JOINT' if index else 'ROOT'} {name}", f"{pad}{{", f"{pad}  OFFSET {_vector(offset)}",
              f"{pad}  CHANNELS {3 if index else 6} {position}Zrotation Yrotation Xrotation"]
    order.append(index)
    for child in range(len(JOINTS)):
        if PARENT[child] == index:
            _joint(child, depth + 1, lines, order)
    if name in END_SITES:
        lines += [f"{pad}  End Site", f"{pad}  {{", f"{pad}    OFFSET {_vector(END_SITES[name])}", f"{pad}  }}"]
    lines.append(f"{pad}}}")


def text(frames, dt):
    """The file's text. frames: (root place in m, local rotations in the order of JOINTS)."""
    lines, order = ["HIERARCHY"], []
    _joint(0, 0, lines, order)
    lines += ["MOTION", f"Frames: {len(frames)}", f"Frame Time: {dt:.8f}"]
    near = [(0.0, 0.0, 0.0)] * len(JOINTS)
    for root, local in frames:
        near = [euler_zyx(q, last) for q, last in zip(local, near)]
        numbers = [100 * c for c in root] + [angle for index in order for angle in near[index]]
        lines.append(" ".join(_number(v) for v in numbers))
    return "\n".join(lines) + "\n"


def _number(value):
    number = f"{value:.4f}".rstrip("0").rstrip(".")
    return "0" if number == "-0" else number
