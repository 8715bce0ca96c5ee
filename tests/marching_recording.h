// A made-up recording for tests of pictures and pages: a hand-made humanoid marches, held up by springs on
// its root, among a slope, a platform, a seesaw and a ball. The physics is MuJoCo's, so contacts and torques
// are real.
#pragma once

#include "stunt/simulate/recording.h"

namespace stunt {

struct MarchingOptions {
  std::string name = "march";
  double duration = 3;  // s
  int characters = 1;
  double let_go = 1e9;     // s, when the springs are cut and the character falls
  double stiffness = 400;  // Nm/rad of the joints: softer tracks worse
  double slope_deg = 0;
};

Recording marching_recording(const MarchingOptions& options = {});

}  // namespace stunt
