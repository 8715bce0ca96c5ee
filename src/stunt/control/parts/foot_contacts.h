// Where the feet may push: at points that touch. They are held still only where the reference holds them too;
// hard no-slip on every touch could not lift off. A point that the reference has on the ground and that is
// near it but does not touch yet must not push: torques for a force that is not there would slam the foot
// down. It is led down instead, slower the nearer it comes.
//
// Contacts come gradually, or every touch would be a jolt. Each point has a price p and a grip g, which
// follow their goals with the time constant `rise`:
//   reluctance = p (its logarithm follows)   hold = g
//                                             p                        g
//   touches, and so in the reference          1                        1
//   touches, the reference lands it soon      1: early is welcome      0
//   touches, should be leaving                dearest                  0
//   expected, below `distance`, in the air    so dear that it pushes   landing_hold, with velocity
//                                             nothing                  -(landing_speed + landing_rate height) n
// Other points are none; one that becomes a contact starts with p = dearest and g = 0.
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
  double distance;       // m: a point that the reference has on the ground is led down from this height on
  double touch;          // m: and counts as touching from this height on
  double rise;           // s; 0: at once
  double dearest;        // how much dearer it is to push with a foot that should be leaving
  double landing_hold;   // 0 to 1: how much of the no-slip cost leads a point down
  double landing_rate;   // 1/s, descent per height
  double landing_speed;  // m/s, descent at the ground
};

class FootContacts {
 public:
  // Of an actor with so many contact points, all of which push freely and are held.
  explicit FootContacts(std::size_t points) : log_price_(points, 0.0), grip_(points, 1.0) {}

  // `body` is at the state of `felt`. `expected`, `soon`: per contact point of the actor, 1 where the
  // reference has it on the ground now, and shortly. To be called every dt (s). `out` is overwritten, in the
  // order of the points.
  void find(ActorDynamics& body, std::span<const ActorContact> felt, const GroundSense& ground,
            std::span<const std::uint8_t> expected, std::span<const std::uint8_t> soon,
            const FootContactSettings& settings, double dt, std::vector<PlanContact>& out);

 private:
  std::vector<double> log_price_, grip_;  // per contact point
};

}  // namespace stunt
