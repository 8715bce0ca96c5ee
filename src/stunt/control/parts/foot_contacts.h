// Where the feet may push: at points that touch, and at points that the reference has on the ground and that
// are about to touch. They are held still only where the reference holds them too; hard no-slip on every
// touch could not lift off.
//
// Contacts come gradually, or every touch would be a jolt. Each point has a trust s and a grip g, both 0 to
// 1, which follow their goals with the time constant `rise`:
//   reluctance = dearest^(1 - s)   s goes to 1, or to 0 at a foot that should leave; landing early is welcome
//   hold = g                       g goes to 1 where the reference has the point on the ground, else to 0
// A point that may not push has neither.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stunt/actor/dynamics.h"
#include "stunt/control/controller.h"
#include "stunt/control/parts/ground_sense.h"
#include "stunt/control/parts/plan_contact.h"

namespace stunt {

struct FootContactSettings {
  double distance;  // m: a point that the reference has on the ground may push from this height on
  double rise;      // s; 0: at once
  double dearest;   // how much dearer it is to push with a foot that should be leaving
};

class FootContacts {
 public:
  // Of an actor with so many contact points, all of them trusted and held.
  explicit FootContacts(std::size_t points) : trust_(points, 1.0), grip_(points, 1.0) {}

  // `body` is at the state of `felt`. `expected`, `soon`: per contact point of the actor, 1 where the
  // reference has it on the ground now, and shortly. To be called every dt (s). `out` is overwritten, in the
  // order of the points.
  void find(ActorDynamics& body, std::span<const ActorContact> felt, const GroundSense& ground,
            std::span<const std::uint8_t> expected, std::span<const std::uint8_t> soon,
            const FootContactSettings& settings, double dt, std::vector<PlanContact>& out);

 private:
  std::vector<double> trust_, grip_;  // per contact point
};

}  // namespace stunt
