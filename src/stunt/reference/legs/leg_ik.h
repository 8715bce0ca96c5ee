// A leg's joint angles in closed form: thigh (ball), knee (hinge), foot orientation given.
#pragma once

#include "stunt/reference/legs/leg.h"

namespace stunt {

// Changes the leg's joints in q so that the foot's origin is at `foot_position` (as far as the leg reaches) and the foot
// is turned to `foot_rotation`. The thigh swings the shortest way from where it is. `hip` and `pelvis` are the world
// position of the hip joint and the world rotation of the body the thigh hangs on. Works for legs of ball hip, hinge
// knee and ankles of hinges; returns false (q unchanged) for others.
bool place_foot(const Actor& actor, const Leg& leg, const Vec3& hip, const Quat& pelvis,
                const Vec3& foot_position, const Quat& foot_rotation, VecX& q);

}  // namespace stunt
