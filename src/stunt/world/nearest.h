// How far a point is from a shape of the scene, in closed form.
#pragma once

#include <mujoco/mujoco.h>

#include "stunt/core/rotation.h"

namespace stunt {

struct Nearest {
  double distance;  // m, of the point from the surface; negative inside
  Vec3 normal;      // unit, outwards, there
};

// The nearest place on the surface of geom `g` at `position`, `rotation`, in world axes. Ellipsoids count as the capsule
// along their longest axis, meshes as the box that holds them.
Nearest nearest_on(const mjModel& m, int g, const Vec3& position, const Quat& rotation, const Vec3& point);

}  // namespace stunt
