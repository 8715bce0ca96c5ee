"""The figure: a 1.75 m, 70 kg adult. Lengths after Drillis and Contini, masses, centres and radii of gyration after
Winter, Biomechanics and Motor Control of Human Movement, table 4.1."""
from rotation import add, mul, rotate

MASS = 70.0     # kg
GRAVITY = 9.81  # m/s^2

THIGH, SHANK = 0.425, 0.4225            # m
UPPER_ARM, FOREARM, HAND = 0.3255, 0.2555, 0.17
ANKLE_HEIGHT = 0.08
BALL = (0.0, -0.055, 0.135)             # ball joint from the ankle
HEEL = (0.0, -0.08, -0.06)              # hindmost point of the sole from the ankle
TOE_TIP = (0.0, -0.005, 0.065)          # end of the toes from the ball joint
HIP = (0.09, -0.05, 0.0)                # left hip from the pelvis

_LEFT = [("Shoulder", "Spine1", (0.03, 0.19, 0.0)), ("Arm", "Shoulder", (0.155, 0.01, 0.0)),
         ("ForeArm", "Arm", (UPPER_ARM, 0.0, 0.0)), ("Hand", "ForeArm", (FOREARM, 0.0, 0.0))]
_LEFT_LEG = [("UpLeg", "Hips", HIP), ("Leg", "UpLeg", (0.0, -THIGH, 0.0)), ("Foot", "Leg", (0.0, -SHANK, 0.0)),
             ("ToeBase", "Foot", BALL)]


def _sided(chain, side):
    sign = 1 if side == "Left" else -1
    trunk = ("Hips", "Spine1")
    return [(side + name, parent if parent in trunk else side + parent, (sign * x, y, z))
            for name, parent, (x, y, z) in chain]


# (name, parent, offset from the parent in the rest pose, a T-pose facing Z)
JOINTS = ([("Hips", None, (0.0, 0.0, 0.0)), ("Spine", "Hips", (0.0, 0.08, 0.0)), ("Spine1", "Spine", (0.0, 0.17, 0.0)),
           ("Neck", "Spine1", (0.0, 0.25, 0.0)), ("Head", "Neck", (0.0, 0.10, 0.01))]
          + _sided(_LEFT, "Left") + _sided(_LEFT, "Right") + _sided(_LEFT_LEG, "Left") + _sided(_LEFT_LEG, "Right"))
END_SITES = {"Head": (0.0, 0.1725, 0.0), "LeftHand": (HAND, 0.0, 0.0), "RightHand": (-HAND, 0.0, 0.0),
             "LeftToeBase": TOE_TIP, "RightToeBase": TOE_TIP}
INDEX = {name: i for i, (name, _, _) in enumerate(JOINTS)}
PARENT = [INDEX[parent] if parent else -1 for _, parent, _ in JOINTS]
OFFSET = [offset for _, _, offset in JOINTS]


def _rod(joint, fraction, centre, along):
    """Two equal masses that have the segment's mass, centre and transverse moment of inertia."""
    mass = MASS * fraction / 2
    return [(INDEX[joint], mass, add(centre, along)), (INDEX[joint], mass, add(centre, tuple(-c for c in along)))]


def _masses():
    points = _rod("Hips", 0.071, (0, 0, 0), (0, 0.04, 0)) + _rod("Hips", 0.071, (0, 0, 0), (0.10, 0, 0))
    points += _rod("Spine", 0.139, (0, 0.08, 0), (0, 0.05, 0))
    points += _rod("Spine1", 0.108, (0, 0.11, 0), (0, 0.09, 0)) + _rod("Spine1", 0.108, (0, 0.11, 0), (0.13, 0, 0))
    points += _rod("Head", 0.081, (0, 0.05, 0), (0, 0.10, 0))
    for side, sign in (("Left", 1), ("Right", -1)):
        for joint, fraction, length, centre, gyration in (
                ("Arm", 0.028, UPPER_ARM, 0.436, 0.322), ("ForeArm", 0.016, FOREARM, 0.430, 0.303),
                ("Hand", 0.006, HAND, 0.506, 0.297)):
            points += _rod(side + joint, fraction, (sign * centre * length, 0, 0), (gyration * length, 0, 0))
        for joint, fraction, length, centre, gyration in (
                ("UpLeg", 0.100, THIGH, 0.433, 0.323), ("Leg", 0.0465, SHANK, 0.433, 0.302)):
            points += _rod(side + joint, fraction, (0, -centre * length, 0), (0, gyration * length, 0))
        points += _rod(side + "Foot", 0.0145, (0, -0.04, 0.05), (0, 0, 0.07))
    return points


MASSES = _masses()  # (joint, kg, place in the joint's axes)

# The sole's corners: (joint, place in the joint's axes).
SOLES = {side: [(INDEX[side + "Foot"], (x, HEEL[1], HEEL[2])) for x in (-0.03, 0.03)]
         + [(INDEX[side + "ToeBase"], (x, -0.025, 0.0)) for x in (-0.045, 0.045)]
         + [(INDEX[side + "ToeBase"], (x, -0.025, 0.055)) for x in (-0.035, 0.035)]
         for side in ("Left", "Right")}


def forward(root, local):
    """World places and rotations of all joints: root place, local rotations in the order of JOINTS."""
    places, turns = [root], [local[0]]
    for i in range(1, len(JOINTS)):
        p = PARENT[i]
        places.append(add(places[p], rotate(turns[p], OFFSET[i])))
        turns.append(mul(turns[p], local[i]))
    return places, turns
