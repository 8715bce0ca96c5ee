#include "stunt/reference/cleanup/joint_limits.h"

#include <algorithm>

namespace stunt {
namespace {

constexpr double kShortOfLimit = 1e-3;  // rad

bool carries_feet(const Actor& actor, int body, bool ankles) {
  for (const Role role : {Role::left_thigh, Role::right_thigh, Role::left_shank, Role::right_shank}) {
    if (body == actor.body(role)) return true;
  }
  return !ankles && actor.is_foot(body);
}

}  // namespace

double keep_within_limits(const Actor& actor, std::vector<VecX>& q, bool ankles) {
  double beyond = 0;
  for (const ActorJoint& joint : actor.joints()) {
    if (!joint.limited || carries_feet(actor, joint.body, ankles)) continue;
    const double upper = joint.upper - kShortOfLimit, lower = joint.lower + kShortOfLimit;
    if (joint.type == JointType::hinge && lower < upper) {
      for (VecX& pose : q) {
        double& angle = pose[joint.q_address];
        beyond = std::max({beyond, angle - joint.upper, joint.lower - angle});
        angle = std::clamp(angle, lower, upper);
      }
    } else if (joint.type == JointType::ball && upper > 0) {
      for (VecX& pose : q) {
        const Quat turn = quat_from_wxyz(&pose[joint.q_address]).normalized();
        const Vec3 rotation = log_map(turn);
        if (rotation.norm() < upper) continue;
        beyond = std::max(beyond, rotation.norm() - joint.upper);
        quat_to_wxyz(same_hemisphere(exp_map(upper * rotation.normalized()), turn), &pose[joint.q_address]);
      }
    }
  }
  return beyond;
}

}  // namespace stunt
