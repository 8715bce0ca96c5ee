// Where a part of the body is wanted for a while: an order to inverse kinematics (clip_ik.h). Lengths in m,
// times in s.
#pragma once

#include <optional>

#include "stunt/core/rotation.h"
#include "stunt/motion/roles.h"

namespace stunt {

// Brings a joint somewhere from `start` to `end`, eased in and out over `ramp` each.
struct ReachTarget {
  Role part = Role::right_hand;  // left_hand, right_hand (wrist), left_foot, right_foot (ankle), head, or
                                 // pelvis (root)
  Vec3 offset = Vec3::Zero();    // from where it is in the clip, world axes
  std::optional<Vec3> position;  // or a fixed place in the world
  double start = 0, end = 0;     // end 0: to the end of the clip
  double ramp = 0.3;
};

}  // namespace stunt
