// What a hand that holds something is good for: one that holds fast to the scene carries its character, one that holds a
// thing which moves carries that thing.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "stunt/actor/dynamics.h"
#include "stunt/control/controller.h"
#include "stunt/control/parts/plan_contact.h"

namespace stunt {

// Adds the places where the character holds on to the ground, a fixed object, a platform or a seesaw: there a plan may
// push and pull.
void add_grip_contacts(std::span<const ActorContact> felt, std::vector<PlanContact>& out);

// The pull of things that are carried, as felt, smoothed over 30 ms: weight, and what it takes to move them. Copyable.
class HeldLoads {
 public:
  void feel(std::span<const ActorContact> contacts, double dt);
  // Of all of them on the character's coordinates (nv). `room` is for what is computed on the way.
  void generalised_force(ActorDynamics& body, Jacobian& room, VecX& out) const;

 private:
  struct Load {
    int body = -1;                                    // of the actor; -1: none
    Vec3 point = Vec3::Zero(), force = Vec3::Zero();  // m, N: world axes
  };
  std::array<Load, 4> loads_;  // one per hand, and two to spare
};

}  // namespace stunt
