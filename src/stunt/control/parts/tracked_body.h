// A body and the reference it follows, side by side at one moment: what the parts that place feet look at.
#pragma once

#include "stunt/actor/dynamics.h"
#include "stunt/control/controller.h"

namespace stunt {

struct TrackedBody {
  const Observation& now;
  ReferenceSample& target;   // what is asked for next; a part that moves a foot changes its leg here
  ActorDynamics& ours;       // at `now`
  ActorDynamics& reference;  // at `target` before any foot was moved
  Vec3 com_error;            // m, of the centre of mass: reference minus ours
  Vec3 com_rate;             // m/s, the same of its velocity
  Vec3 com_acceleration;     // m/s^2, of the reference
  double rate;               // Hz, how often a target is made
};

}  // namespace stunt
