#include "stunt/routine/aim.h"

#include <gtest/gtest.h>

namespace stunt {
namespace {

Strike right_hand(const ActorPtr& actor) {
  Strike strike;
  strike.body = actor->body(Role::right_hand);
  strike.q = actor->rest_q();
  return strike;
}

// The second route is forward kinematics of the pose that comes out.
TEST(Aim, PutsTheHandWhereItIsAsked) {
  const ActorPtr actor = Actor::load("biped28");
  Aim aim(actor);
  ActorDynamics check(actor);
  const Strike strike = right_hand(actor);
  VecX offset, q;
  const VecX still = VecX::Zero(actor->nv());
  check.set_state(strike.q, still);
  const Vec3 shoulder = check.body_position(actor->body(Role::right_upper_arm));
  for (const Vec3& away : {Vec3(0.3, 0, 0), Vec3(0.2, -0.2, 0.1), Vec3(0.35, 0.1, -0.1)}) {
    const double left = aim.solve(strike, strike.q, shoulder + away, Vec3::Zero(), offset);
    EXPECT_LT(left, 1e-4);
    integrate(*actor, strike.q, offset, 1, q);
    check.set_state(q, still);
    EXPECT_LT((check.point(strike.body, strike.point) - shoulder - away).norm(), 1e-4);
    EXPECT_EQ(offset.head<6>().norm(), 0) << "the root stays";
    for (const Role role : {Role::left_thigh, Role::right_shank, Role::left_upper_arm}) {
      const ActorBody& body = actor->bodies()[static_cast<std::size_t>(actor->body(role))];
      const ActorJoint& joint = actor->joints()[static_cast<std::size_t>(body.first_joint)];
      EXPECT_EQ(offset.segment(joint.v_address, joint.dofs).norm(), 0) << "and what does not carry the hand";
    }
  }
}

TEST(Aim, ReachesAsFarAsItCanAndSaysHowFar) {
  const ActorPtr actor = Actor::load("biped28");
  Aim aim(actor);
  const Strike strike = right_hand(actor);
  VecX offset, q;
  const double left = aim.solve(strike, strike.q, Vec3(3, 0, 1.4), Vec3::Zero(), offset);
  integrate(*actor, strike.q, offset, 1, q);
  ActorDynamics check(actor);
  check.set_state(q, VecX::Zero(actor->nv()));
  const Vec3 hand = check.point(strike.body, strike.point);
  EXPECT_NEAR(left, (Vec3(3, 0, 1.4) - hand).norm(), 1e-9);
  EXPECT_GT(hand.x(), 0.4) << "the arm is stretched towards it";
  EXPECT_TRUE(offset.allFinite());
}

TEST(Aim, TurnsTheFace) {
  const ActorPtr actor = Actor::load("humanoid");
  Aim aim(actor);
  Strike strike = right_hand(actor);
  strike.spec.face = Vec3::UnitX();
  ActorDynamics check(actor);
  check.set_state(strike.q, VecX::Zero(actor->nv()));
  const Vec3 shoulder = check.body_position(actor->body(Role::right_upper_arm));
  const Vec3 target = shoulder + Vec3(0.3, 0, -0.1);
  VecX offset, q;
  const Vec3 now = check.body_rotation(strike.body) * Vec3::UnitX();
  const Vec3 facing = (now + Vec3(0.2, 0.2, 0.1)).normalized();
  EXPECT_LT(aim.solve(strike, strike.q, target, facing, offset), 0.02);
  integrate(*actor, strike.q, offset, 1, q);
  check.set_state(q, VecX::Zero(actor->nv()));
  const Vec3 face = check.body_rotation(strike.body) * Vec3::UnitX();
  aim.solve(strike, strike.q, target, Vec3::Zero(), offset);
  integrate(*actor, strike.q, offset, 1, q);
  check.set_state(q, VecX::Zero(actor->nv()));
  EXPECT_GT(face.dot(facing), (check.body_rotation(strike.body) * Vec3::UnitX()).dot(facing))
      << "nearer than without";
  EXPECT_GT(face.dot(facing), 0.95);
}

}  // namespace
}  // namespace stunt
