// Do the forces of the linearised world make its motion? m dv/dt - (contact + gravity + push), step by step.
#pragma once

#include "stunt/simulate/scene/scene.h"

namespace stunt {

// What is left over, as a part of the weight.
struct MomentumBalance {
  double linear_worst = 0;               // of the root's six equations in the step's own linearisation
  double true_mean = 0, true_worst = 0;  // of the momentum with true kinematics before and after the step
  double seconds = 0;
};

// Of the scene's first character, until the scene ends or it falls. The scene has no pushes of its own; it is pushed here, for
// ten steps in every second.
MomentumBalance momentum_balance(const Scene& scene);

}  // namespace stunt
