// One number for each degree of freedom of a human body, left and right alike: 17 of them, as in figure 6.3 of Geijtenbeek
// 2013. A character with other joints finds its own by the part of the body that they move.
#pragma once

#include <array>
#include <string>

#include "stunt/actor/actor.h"
#include "stunt/core/settings.h"

namespace stunt {

// Roll is about the body's X axis (forwards), pitch about Y (to the left), yaw about Z.
enum class JointGain {
  spine_roll,
  spine_pitch,
  spine_yaw,
  neck_roll,
  neck_pitch,
  neck_yaw,
  shoulder_roll,
  shoulder_pitch,
  shoulder_yaw,
  elbow,
  wrist,
  hip_roll,
  hip_pitch,
  hip_yaw,
  knee,
  ankle_roll,
  ankle_pitch,
};
constexpr int kJointGains = static_cast<int>(JointGain::ankle_pitch) + 1;

struct JointGains {
  explicit JointGains(double all) { values.fill(all); }
  double& operator[](JointGain gain) { return values[static_cast<std::size_t>(gain)]; }
  std::array<double, kJointGains> values;
};
void describe(Fields& fields, JointGains& gains, const About& about);

// Per index of v: which of the gains; -1 on the root.
std::vector<int> joint_gains_of(const Actor& actor);

// The gains of every index of v; 0 on the root.
VecX spread(const JointGains& gains, const std::vector<int>& which);

}  // namespace stunt
