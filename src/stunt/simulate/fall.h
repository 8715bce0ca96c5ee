// When is a character down? The two rules of a fall, watched while the simulation runs.
#pragma once

#include <optional>

#include "stunt/simulate/recording.h"
#include "stunt/world/engine.h"

namespace stunt {

// A fall is one of
//  - the pelvis is lower than 0.6 times its height in the reference at that time, for 0.2 s;
//  - a body other than feet, toes or hands touches a support for 0.1 s, while the same body in the reference is more
//    than 0.10 m above the ground, or above the top of what it touches: whoever sits in the motion may sit. What the scene gives hands to hold on to (`grip`) is no such support: whoever hangs on
//    a bar may brush against it.
// Heights are over the ground under the pelvis, so that a slope is not a fall.
class FallWatch {
 public:
  FallWatch(const ActorSlot& slot, const GroundSpec& ground);

  // Once per sample, with the character's own q and its reference's. Without a reference (null) it is judged against
  // the pose it was first seen in. Returns the fall when it is certain, once.
  std::optional<Fall> update(double t, const double* q, const double* reference_q, Engine& engine);

  // What it remembers between samples.
  struct State {
    VecX first_q;
    double low_since = -1;
    std::vector<double> touching_since;  // per body; -1: not touching
    bool fallen = false;
  };
  State save() const { return state_; }
  void restore(const State& state) { state_ = state; }

 private:
  Vec3 root(const double* q);  // m, where the root body is

  ActorSlot slot_;
  GroundSpec ground_;
  DataPtr reference_;  // kinematics of the reference pose
  State state_;
  std::vector<double> surface_;  // m, per body: the highest top that it touches, over the ground; -1: none
};

// The lowest point of a body's colliding shapes above z = 0, with `data` holding its kinematics (m).
double lowest_point(const mjModel& model, const mjData& data, int model_body);

}  // namespace stunt
