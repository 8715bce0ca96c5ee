#include "stunt/control/jacobian_transpose/joint_gains.h"

namespace stunt {
namespace {

constexpr const char* kGainNames[kJointGains] = {
    "spine_roll",    "spine_pitch",    "spine_yaw",    "neck_roll",  "neck_pitch", "neck_yaw",
    "shoulder_roll", "shoulder_pitch", "shoulder_yaw", "elbow",      "wrist",      "hip_roll",
    "hip_pitch",     "hip_yaw",        "knee",         "ankle_roll", "ankle_pitch"};

// The first gain of a part and how many axes it tells apart.
struct Part {
  JointGain first;
  int axes;
};

Part part_of(Role role) {
  switch (role) {
    case Role::pelvis:
    case Role::spine:
    case Role::chest:
      return {JointGain::spine_roll, 3};
    case Role::neck:
    case Role::head:
      return {JointGain::neck_roll, 3};
    case Role::left_clavicle:
    case Role::right_clavicle:
    case Role::left_upper_arm:
    case Role::right_upper_arm:
      return {JointGain::shoulder_roll, 3};
    case Role::left_forearm:
    case Role::right_forearm:
      return {JointGain::elbow, 1};
    case Role::left_hand:
    case Role::right_hand:
      return {JointGain::wrist, 1};
    case Role::left_thigh:
    case Role::right_thigh:
      return {JointGain::hip_roll, 3};
    case Role::left_shank:
    case Role::right_shank:
      return {JointGain::knee, 1};
    case Role::left_foot:
    case Role::right_foot:
    case Role::left_toes:
    case Role::right_toes:
      return {JointGain::ankle_roll, 2};
  }
  return {JointGain::spine_roll, 3};
}

// A body without a role of its own goes with the nearest above it that has one.
Part part_of(const Actor& actor, int body) {
  for (; body >= 0; body = actor.bodies()[static_cast<std::size_t>(body)].parent) {
    for (int role = 0; role < kRoleCount; ++role) {
      if (actor.body(static_cast<Role>(role)) == body) return part_of(static_cast<Role>(role));
    }
  }
  return {JointGain::spine_roll, 3};
}

int gain_of(const Part& part, int axis) {
  const int last = part.axes - 1;  // an ankle that also twists does so as it tilts
  return static_cast<int>(part.first) + (axis > last ? 0 : axis);
}

}  // namespace

void describe(Fields& fields, JointGains& gains, const About& about) {
  for (std::size_t i = 0; i < gains.values.size(); ++i) fields(kGainNames[i], gains.values[i], about);
}

std::vector<int> joint_gains_of(const Actor& actor) {
  std::vector<int> which(static_cast<std::size_t>(actor.nv()), -1);
  for (const ActorJoint& joint : actor.joints()) {
    if (joint.type == JointType::free) continue;
    const Part part = part_of(actor, joint.body);
    for (int i = 0; i < joint.dofs; ++i) {
      int axis = i;
      if (joint.dofs == 1) joint.axis.cwiseAbs().maxCoeff(&axis);
      which[static_cast<std::size_t>(joint.v_address + i)] = gain_of(part, axis);
    }
  }
  return which;
}

VecX spread(const JointGains& gains, const std::vector<int>& which) {
  VecX out = VecX::Zero(static_cast<Eigen::Index>(which.size()));
  for (std::size_t i = 0; i < which.size(); ++i) {
    if (which[i] >= 0) out[static_cast<Eigen::Index>(i)] = gains.values[static_cast<std::size_t>(which[i])];
  }
  return out;
}

}  // namespace stunt
