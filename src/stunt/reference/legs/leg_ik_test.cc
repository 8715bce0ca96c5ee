#include "stunt/reference/legs/leg_ik.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sample_actor.h"

namespace stunt {
namespace {

Vec3 random_vector(Random& random, double size) {
  return Vec3::NullaryExpr([&] { return random.uniform(-size, size); });
}

std::string numbers(const Vec3& v) { return fmt::format("{:.12g} {:.12g} {:.12g}", v.x(), v.y(), v.z()); }
std::string numbers(const Quat& q) {
  return fmt::format("{:.12g} {:.12g} {:.12g} {:.12g}", q.w(), q.x(), q.y(), q.z());
}

// A pelvis with two legs whose bones, rest rotations and hinge axes are random.
ActorPtr random_legs(Random& random, const std::string& hip_joints, bool ball_ankle) {
  std::string legs;
  for (const char* side : {"left", "right"}) {
    const Quat turn = exp_map(random_vector(random, 2));
    std::string ankle = "<joint type='ball'/>";
    if (!ball_ankle) {
      ankle.clear();
      for (int axis = 0; axis < 3; ++axis) {
        ankle += fmt::format("<joint type='hinge' axis='{}'/>", numbers(Vec3(turn * Vec3::Unit(axis))));
      }
    }
    // Shins nearly as long as thighs reach nearly everywhere.
    const double thigh = random.uniform(0.35, 0.5), shank = thigh * random.uniform(0.9, 1.1);
    legs += fmt::format(R"(
      <body name="{0}_thigh" pos="{1}" quat="{2}">
        {9}<geom size="0.05" mass="5"/>
        <body name="{0}_shank" pos="{3}" quat="{4}">
          <joint type="hinge" axis="{5}"/><geom size="0.05" mass="3"/>
          <body name="{0}_foot" pos="{6}" quat="{7}">
            {8}<geom type="box" pos="0.06 0 -0.04" size="0.12 0.045 0.02" mass="1"/>
          </body>
        </body>
      </body>)",
                        side, numbers(random_vector(random, 0.2)), numbers(exp_map(random_vector(random, 2))),
                        numbers(Vec3(thigh * random_vector(random, 1).normalized())),
                        numbers(exp_map(random_vector(random, 2))),
                        numbers(Vec3(random_vector(random, 1).normalized())),
                        numbers(Vec3(shank * random_vector(random, 1).normalized())),
                        numbers(exp_map(random_vector(random, 2))), ankle, hip_joints);
  }
  return Actor::from_xml("<mujoco><worldbody><body name='pelvis'><freejoint/><geom size='0.1' mass='10'/>" +
                             legs + "</body></worldbody></mujoco>",
                         "legs", "legs.xml");
}

// The pose that a foot has with random joint angles can be reached: closed form and forward kinematics are each
// other's inverse.
class RandomLegs {
 public:
  RandomLegs(Random& random, const ActorPtr& actor, double away)
      : dynamics(actor), leg(*find_leg(*actor, true)), q(actor->rest_q()) {
    const VecX from = VecX::NullaryExpr(actor->nv(), [&] { return random.uniform(-2, 2); });
    integrate(*actor, actor->rest_q(), from, 1, q);
    VecX there = q;
    VecX change = VecX::Zero(actor->nv());
    for (const int dof : leg.dofs) change[dof] = random.uniform(-away, away);
    integrate(*actor, q, change, 1, there);
    dynamics.set_state(there, VecX::Zero(actor->nv()));
    target = foot_pose(dynamics, leg);
  }
  FootPose now() {
    dynamics.set_state(q, VecX::Zero(dynamics.actor().nv()));
    return foot_pose(dynamics, leg);
  }
  double hip_to_target() {
    dynamics.set_state(q, VecX::Zero(dynamics.actor().nv()));
    return (target.position - dynamics.body_position(leg.thigh)).norm();
  }

  ActorDynamics dynamics;
  Leg leg;
  VecX q;
  FootPose target;
};

TEST(PlaceFoot, ForwardKinematicsGivesTheFootBack) {
  Random random(7);
  int placed = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const ActorPtr actor = random_legs(random, "<joint type='ball'/>", trial % 2);
    if (!find_leg(*actor, true)) continue;
    RandomLegs legs(random, actor, 1);
    const VecX before = legs.q;
    if (legs.hip_to_target() < 0.32 * legs.leg.length) continue;  // folded further than it is let
    legs.dynamics.set_state(legs.q, VecX::Zero(actor->nv()));
    const Vec3 hip = legs.dynamics.body_position(legs.leg.thigh);
    const Quat pelvis = legs.dynamics.body_rotation(0);
    ASSERT_TRUE(
        place_foot(*actor, legs.leg, hip, pelvis, legs.target.position, legs.target.rotation, legs.q));
    const FootPose now = legs.now();
    EXPECT_LT((now.position - legs.target.position).norm(), 1e-7) << trial;
    EXPECT_LT(angle_between(now.rotation, legs.target.rotation), 1e-6) << trial;
    // All but that leg is as it was.
    VecX change;
    difference(*actor, before, legs.q, change);
    for (const int dof : legs.leg.dofs) change[dof] = 0;
    EXPECT_LT(change.norm(), 1e-12);
    ++placed;
  }
  EXPECT_GT(placed, 100);
}

TEST(PlaceFoot, RefusesLegsItDoesNotKnowAndLeavesThemAsTheyAre) {
  Random random(8);
  const ActorPtr actor =
      random_legs(random, "<joint type='hinge' axis='1 0 0'/><joint type='hinge' axis='0 1 0'/>", true);
  RandomLegs legs(random, actor, 1);
  const VecX before = legs.q;
  EXPECT_FALSE(place_foot(*actor, legs.leg, Vec3::Zero(), Quat::Identity(), legs.target.position,
                          legs.target.rotation, legs.q));
  EXPECT_EQ(legs.q, before);
}

TEST(PutFoot, SearchesWhereThereIsNoClosedForm) {
  Random random(9);
  const std::string hinges =
      "<joint type='hinge' axis='1 0 0'/><joint type='hinge' axis='0 1 0'/><joint type='hinge' axis='0 0 "
      "1'/>";
  for (int trial = 0; trial < 20; ++trial) {
    const ActorPtr actor = random_legs(random, hinges, true);
    RandomLegs legs(random, actor, 0.2);
    put_foot(legs.dynamics, legs.leg, legs.target, legs.q);
    const FootPose now = legs.now();
    EXPECT_LT((now.position - legs.target.position).norm(), 1e-3) << trial;
    EXPECT_LT(angle_between(now.rotation, legs.target.rotation), 1e-2) << trial;
  }
}

TEST(PutFoot, StopsAtJointLimitsOrGoesOn) {
  const ActorPtr actor = sample_actor();
  const Leg leg = *find_leg(*actor, true);
  ActorDynamics dynamics(actor);
  const VecX at_rest = VecX::Zero(actor->nv());
  VecX straight = actor->rest_q();
  straight[actor->joints()[actor->bodies()[leg.shank].first_joint].q_address] = 0.6;
  dynamics.set_state(straight, at_rest);
  // Toes up by 80 degrees, where the ankle lets them 50 from the shank.
  FootPose target = foot_pose(dynamics, leg);
  target.rotation = axis_angle(Vec3::UnitY(), radians(-80));
  const ActorJoint& ankle = actor->joints()[actor->bodies()[leg.foot].first_joint];
  for (const AtLimits at_limits : {AtLimits::stop, AtLimits::go_on}) {
    VecX q = straight;
    put_foot(dynamics, leg, target, q, at_limits);
    dynamics.set_state(q, at_rest);
    const FootPose now = foot_pose(dynamics, leg);
    EXPECT_LT((now.position - target.position).norm(), 1e-4);
    if (at_limits == AtLimits::stop) {
      EXPECT_NEAR(q[ankle.q_address], ankle.lower, 1e-12);
    } else {
      EXPECT_LT(q[ankle.q_address], ankle.lower - 0.1);
      EXPECT_LT(angle_between(now.rotation, target.rotation), 1e-3);
    }
  }
}

}  // namespace
}  // namespace stunt
