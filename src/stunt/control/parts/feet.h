// The feet of a body on two legs, as the parts of a controller share them.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "stunt/control/controller.h"
#include "stunt/reference/legs/leg.h"

namespace stunt {

struct Foot {
  Leg leg;
  double ankle_height = 0;  // m, of the foot's joint over its sole
  // At this moment:
  bool stance = true;       // the reference has it on the ground
  bool lands_soon = false;  // the reference will have it there within the time it is asked to look ahead
  double lands_in =
      std::numeric_limits<double>::infinity();  // s, until then, where it is known (footfalls.h)
  Vec3 nudge = Vec3::Zero();                    // m, world axes: how much further it is to step (nudges.h)
  bool caught = false;  // it stands where it caught a fall (recovery_step.h), not where the reference has it
};

// Left, then right: those that the actor has.
std::vector<Foot> find_feet(const Actor& actor);

// The reference has a point of this foot on the ground.
bool stands(const Actor& actor, const Leg& leg, const ReferenceSample& sample);

// The foot or its toes touch something to stand on.
bool touches(const Leg& leg, std::span<const ActorContact> contacts);

}  // namespace stunt
