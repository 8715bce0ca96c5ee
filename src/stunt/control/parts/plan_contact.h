// A place where a plan may push against the ground.
#pragma once

#include "stunt/core/rotation.h"

namespace stunt {

struct PlanContact {
  int body;                              // of the actor
  Vec3 point;                            // m, world
  Vec3 normal = Vec3::UnitZ();           // out of the ground
  Vec3 surface_velocity = Vec3::Zero();  // m/s
  double hold = 1;                       // 0 to 1: how much of the no-slip cost applies
  double reluctance = 1;  // scales the cost of pushing here: large where the foot should rather leave
};

}  // namespace stunt
