#include "stunt/reference/cleanup/joint_limits.h"

#include <gtest/gtest.h>

#include "stunt/actor/fit/fit.h"
#include "stunt/motion/load.h"
#include "stunt/reference/cleanup/clean_up.h"

namespace stunt {
namespace {

double beyond_limit(const ActorJoint& joint, const VecX& q) {
  if (!joint.limited) return -1;
  if (joint.type == JointType::ball) {
    return log_map(quat_from_wxyz(&q[joint.q_address]).normalized()).norm() - joint.upper;
  }
  if (joint.type != JointType::hinge) return -1;
  return std::max(q[joint.q_address] - joint.upper, joint.lower - q[joint.q_address]);
}

// Joints pushed half a radian beyond their limits come back; nothing else is touched.
TEST(JointLimits, BringJointsBackInside) {
  const Clip clip = load_clip("stand");
  const FittedActor fitted = fit_actor(clip);
  const Actor& actor = *fitted.actor;
  const auto motion = clean_up(fitted, clip).reference;
  for (const ActorJoint& joint : actor.joints()) {
    const bool arm =
        joint.body == actor.body(Role::left_hand) || joint.body == actor.body(Role::right_upper_arm);
    if (!joint.limited || !arm) continue;
    VecX pushed = motion->q(0);
    if (joint.type == JointType::hinge) {
      pushed[joint.q_address] = joint.upper + 0.5;
    } else {
      const double angle = joint.upper + 0.2;
      ASSERT_LT(angle, kPi);
      quat_to_wxyz(axis_angle(Vec3(1, 2, 3).normalized(), angle), &pushed[joint.q_address]);
    }
    std::vector<VecX> q = {motion->q(0), pushed};
    EXPECT_NEAR(keep_within_limits(actor, q, true), joint.type == JointType::hinge ? 0.5 : 0.2, 1e-6);
    EXPECT_EQ(q[0], motion->q(0));
    EXPECT_LT(beyond_limit(joint, q[1]), 0);
    EXPECT_GT(beyond_limit(joint, q[1]), -radians(2));
    VecX other = q[1] - motion->q(0);
    other.segment(joint.q_address, joint.type == JointType::ball ? 4 : 1).setZero();
    EXPECT_EQ(other.norm(), 0);
  }
}

// Whatever is done, from the floor up: a reference asks for nothing that its character cannot do.
TEST(JointLimits, CleanMotionsAreInside) {
  for (const char* name : {"walk_turn", "squat", "jump"}) {
    const Clip clip = load_clip(name);
    const FittedActor fitted = fit_actor(clip);
    const auto motion = clean_up(fitted, clip).reference;
    double worst = -1;
    for (int i = 0; i < motion->size(); ++i) {
      for (const ActorJoint& joint : fitted.actor->joints())
        worst = std::max(worst, beyond_limit(joint, motion->q(i)));
    }
    EXPECT_LT(worst, radians(1)) << name;
  }
}

}  // namespace
}  // namespace stunt
