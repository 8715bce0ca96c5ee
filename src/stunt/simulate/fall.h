// When is a character down? The two rules of a fall, watched while the simulation runs.
#pragma once

#include <optional>

#include "stunt/simulate/recording.h"
#include "stunt/world/engine.h"

namespace stunt {

// A fall is one of
//  - the pelvis is lower than 0.6 times its height in the reference at that time, for 0.2 s;
//  - a body other than feet, toes or hands touches a support for 0.1 s, while the same body in the reference is more
//    than 0.10 m above the ground.
// Heights are over the ground under the pelvis, so that a slope is not a fall.
class FallWatch {
 public:
  FallWatch(const ActorSlot& slot, const GroundSpec& ground);

  // Once per sample. Returns the fall when it is certain, once.
  std::optional<Fall> update(double t, const double* q, const VecX& reference_q, Engine& engine);

 private:
  ActorSlot slot_;
  GroundSpec ground_;
  DataPtr reference_;  // kinematics of the reference pose
  double low_since_ = -1;
  std::vector<double> touching_since_;  // per body; -1: not touching
  std::vector<std::uint8_t> touches_;
  bool fallen_ = false;
};

// Height of the ground plane at a place (m).
double ground_height(const GroundSpec& ground, double x, double y);

// The lowest point of a body's colliding shapes above z = 0, with `data` holding its kinematics (m).
double lowest_point(const mjModel& model, const mjData& data, int model_body);

}  // namespace stunt
