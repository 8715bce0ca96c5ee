// A place where a plan may push against the ground.
#pragma once

#include "stunt/core/rotation.h"

namespace stunt {

struct PlanContact {
  int body;                      // of the actor
  Vec3 point;                    // m, world
  Vec3 normal = Vec3::UnitZ();   // out of the ground
  Vec3 velocity = Vec3::Zero();  // m/s, that it should have: the ground's, and downwards where it must land
  double hold = 1;               // 0 to 1: how much of the no-slip cost applies
  double damping = 1;            // factor on the damping of the no-slip cost
  double reluctance = 1;         // scales the cost of pushing here: large where the foot should rather leave
  bool held = false;             // a grip: it pulls in any direction, and has no cone
};

}  // namespace stunt
