// The rules of `tracked` that look at one pose after the other (verdict.h), to be asked sample by sample: by the verdict
// on a recording, and by a rehearsal while it runs.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "stunt/actor/dynamics.h"
#include "stunt/core/geometry2d.h"
#include "stunt/world/scene/environment.h"

namespace stunt {

// Flights of the motion that are longer must be flown for this share.
constexpr double kFlight = 0.1, kFlown = 0.5;  // s, 1
// At the end it must not be falling: within so long, the capture point is nowhere further outside the support than so much
// more than the motion's own.
constexpr double kEnd = 0.2, kEndCapture = 0.3;  // s, m

// What the rules look at, of one pose.
struct Figure {
  Vec3 root;
  Quat root_rotation;        // from the rest pose
  Vec3 trunk;                // unit, from the pelvis to the neck or chest
  std::vector<Vec3> joints;  // m, relative to the root
  std::vector<Vec3> limbs;   // hands, feet, head, likewise
  double lowest;             // m, of the bodies' centres over the ground

  void read(ActorDynamics& dynamics, const GroundSpec& ground);  // at the state of `dynamics`
};

// Copyable: a copy is a saved state.
class PoseRules {
 public:
  struct Broken {
    double since;  // s
    std::string reason;
  };
  // At every sample, t in s. The rule that has now been broken for too long, and for longest.
  std::optional<Broken> check(double t, const Figure& own, const Figure& wanted, const GroundSpec& ground);

 private:
  std::array<double, 5> since_ = {-1, -1, -1, -1, -1};  // s, per rule; -1: kept
};

// How far the capture point is outside the support (m), at the state of `dynamics`. Empty in flight.
std::optional<double> capture_distance(ActorDynamics& dynamics, const std::vector<Vec2>& support,
                                       const GroundSpec& ground);

}  // namespace stunt
