#include "stunt/reference/cleanup/filter.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stunt {
namespace {

// Every hinge and ball joint of the humanoid swings gently, at 120 Hz.
std::vector<VecX> swinging(const Actor& actor) {
  std::vector<VecX> q(120, actor.rest_q());
  for (std::size_t i = 0; i < q.size(); ++i) {
    const double angle = 0.3 * std::sin(2 * kPi * static_cast<double>(i) / 120);
    for (const ActorJoint& joint : actor.joints()) {
      if (joint.type == JointType::hinge) q[i][joint.q_address] = angle;
      if (joint.type == JointType::ball)
        quat_to_wxyz(exp_map({angle, 0, 0.5 * angle}), &q[i][joint.q_address]);
    }
  }
  return q;
}

const ActorJoint& joint_of(const Actor& actor, JointType type) {
  for (const ActorJoint& joint : actor.joints()) {
    if (joint.type == type) return joint;
  }
  throw std::logic_error("no such joint");
}

TEST(RemoveSpikes, TakesOutShortExcursionsOnly) {
  const ActorPtr actor = Actor::load("humanoid");
  const std::vector<VecX> clean = swinging(*actor);
  const int hinge = joint_of(*actor, JointType::hinge).q_address;
  const int ball = joint_of(*actor, JointType::ball).q_address;
  for (const int length : {1, 2, 3, 4}) {
    std::vector<VecX> q = clean;
    for (int i = 40; i < 40 + length; ++i) {
      q[i][hinge] += 2;
      quat_to_wxyz(exp_map({0.1, 2.5, 0.3}), &q[i][ball]);
    }
    EXPECT_GE(remove_spikes(*actor, q), 2 * length);
    for (std::size_t i = 0; i < q.size(); ++i)
      EXPECT_LT((q[i] - clean[i]).norm(), 0.01) << length << ' ' << i;
  }
}

TEST(RemoveSpikes, LeavesFastMovesAlone) {
  const ActorPtr actor = Actor::load("humanoid");
  std::vector<VecX> q = swinging(*actor);
  const int hinge = joint_of(*actor, JointType::hinge).q_address;
  // A blow: two radians within 100 ms, and back within 150.
  for (int i = 0; i <= 30; ++i) {
    q[50 + i][hinge] += i < 12 ? 1 - std::cos(kPi * i / 12) : 1 + std::cos(kPi * (i - 12) / 18);
  }
  const std::vector<VecX> before = q;
  EXPECT_EQ(remove_spikes(*actor, q), 0);
  for (std::size_t i = 0; i < q.size(); ++i) EXPECT_EQ(q[i], before[i]);
}

}  // namespace
}  // namespace stunt
