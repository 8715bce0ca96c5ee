#include "stunt/control/parts/reaction.h"

#include <gtest/gtest.h>

#include "stunt/actor/dynamics.h"
#include "tests/sample_actor.h"

namespace stunt {
namespace {

ActorContact touch(int body, const Vec3& force, bool support = false) {
  return {body, {0.2, -0.1, 1.1}, Vec3::UnitX(), force, Vec3::Zero(), support, /*other=*/7};
}

struct ReactionTest : testing::Test {
  ActorPtr actor = sample_actor();
  Reactions reactions{*actor};
  ReactionSettings settings{.least_force = 20, .full_force = 100, .neck = 0.2, .trunk = 0.3, .arm = 0.1};
  Observation now{0, 0.001, actor->rest_q(), VecX::Zero(actor->nv()), {}, {}};

  void hit(const ActorContact& contact, double time) {
    now.time = time;
    now.contacts = {&contact, 1};
    reactions.feel(*actor, now, settings);
  }
  double trunk(double time) const {  // of the waist
    VecX softness;
    reactions.softness(*actor, time, settings, softness);
    for (const ActorJoint& joint : actor->joints()) {
      if (joint.name == "waist") return softness[joint.v_address];
    }
    return -1;
  }
};

// The four cases as the paper prints them.
TEST_F(ReactionTest, FollowsThePapersSchedule) {
  EXPECT_EQ(trunk(0.9), 1);
  hit(touch(actor->body(Role::chest), {200, 0, 0}), 1);
  const double k_r = settings.trunk, end = 1 + settings.delay + settings.ramp;
  for (double t = 1; t <= 1 + settings.delay; t += 0.01) EXPECT_DOUBLE_EQ(trunk(t), k_r) << t;
  EXPECT_NEAR(trunk(1 + settings.delay + 0.5 * settings.ramp), 0.5 * (1 + k_r), 1e-12) << "half way";
  EXPECT_EQ(trunk(end + 1e-9), 1);
  double largest_change = 0;
  for (double t = 1; t < end; t += 1e-4) {
    EXPECT_GE(trunk(t + 1e-4), trunk(t)) << t;
    largest_change = std::max(largest_change, (trunk(t + 1e-4) - trunk(t)) / 1e-4);
  }
  EXPECT_NEAR(largest_change, (1 - k_r) * kPi / (2 * settings.ramp), 1e-3) << "of a sinusoid";
}

TEST_F(ReactionTest, SoftensTheRegionThatIsHitAndNoOther) {
  hit(touch(actor->body(Role::left_forearm), {200, 0, 0}), 1);
  VecX softness;
  reactions.softness(*actor, 1, settings, softness);
  for (const ActorJoint& joint : actor->joints()) {
    const bool of_arm = joint.name == "shoulder" || joint.name == "elbow";
    EXPECT_DOUBLE_EQ(softness[joint.v_address], of_arm ? settings.arm : 1.0) << joint.name;
  }
  hit(touch(actor->body(Role::right_thigh), {200, 0, 0}), 1.01);
  hit(touch(0, {200, 0, 0}), 1.02);  // the pelvis
  reactions.softness(*actor, 1.02, settings, softness);
  for (const ActorJoint& joint : actor->joints()) {
    const double wanted = joint.type == JointType::free                       ? 1
                          : joint.name == "shoulder" || joint.name == "elbow" ? settings.arm
                          : joint.name.rfind("right_", 0) == 0                ? settings.leg
                          : joint.name == "waist"                             ? settings.trunk
                                                                              : 1;
    EXPECT_DOUBLE_EQ(softness[joint.v_address], wanted) << joint.name;
  }
}

TEST_F(ReactionTest, TheStrengthOfTheBlowDecides) {
  hit(touch(actor->body(Role::chest), {settings.least_force, 0, 0}), 1);
  EXPECT_EQ(trunk(1), 1);
  hit(touch(actor->body(Role::chest), {0, 60, 0}), 1);  // half way from 20 to 100 N
  EXPECT_NEAR(trunk(1), 0.5 * (1 + settings.trunk), 1e-12);
  hit(touch(actor->body(Role::chest), {0, 0, 100}), 1);
  EXPECT_DOUBLE_EQ(trunk(1), settings.trunk);
  hit(touch(actor->body(Role::chest), {0, 30, 0}), 1.05);
  EXPECT_DOUBLE_EQ(trunk(1.05), settings.trunk) << "a tap after a blow makes nobody stiff";
}

// What lasts, as when two arms jam, stays soft; the schedule starts when it ends.
TEST_F(ReactionTest, AContactThatLastsKeepsItsRegionSoft) {
  for (int i = 0; i <= 2000; ++i) hit(touch(actor->body(Role::chest), {200, 0, 0}), 0.001 * i);
  EXPECT_DOUBLE_EQ(trunk(2), settings.trunk);
  EXPECT_DOUBLE_EQ(trunk(2 + settings.delay), settings.trunk);
  EXPECT_GT(trunk(2 + settings.delay + 0.1), settings.trunk);
}

TEST_F(ReactionTest, WhatTheBodyStandsOnOrIsIsNoBlow) {
  hit(touch(actor->body(Role::chest), {500, 0, 0}, /*support=*/true), 1);
  hit(touch(actor->body(Role::left_foot), {500, 0, 0}), 1);
  const ActorContact own[] = {touch(actor->body(Role::left_forearm), {500, 0, 0}),
                              touch(actor->body(Role::chest), {-500, 0, 0})};
  now.contacts = own;
  reactions.feel(*actor, now, settings);
  for (int i = 0; i < kBodyRegions; ++i)
    EXPECT_EQ(reactions.yielding(static_cast<BodyRegion>(i), 1, settings), 0) << i;
  EXPECT_EQ(reactions.take_root_wrench().norm(), 0);
}

// The root's rows of J^T f, which MuJoCo finds from the whole model.
TEST_F(ReactionTest, TheRootsWrenchIsThatOfTheContacts) {
  ActorDynamics dynamics(actor);
  Random random(3);
  Eigen::Matrix<double, 6, 1> wanted = Eigen::Matrix<double, 6, 1>::Zero();
  constexpr int kSteps = 4;
  for (int i = 0; i < kSteps; ++i) {
    random_state(*actor, random, now.q, now.v);
    dynamics.set_state(now.q, now.v);
    const Vec3 force(random.uniform(-500, 500), random.uniform(-500, 500), random.uniform(-500, 500));
    ActorContact contact = touch(actor->body(Role::left_forearm), force);
    contact.point = dynamics.point(contact.body, {0, 0.03, -0.2});
    Jacobian J;
    dynamics.point_jacobian(contact.body, contact.point, J);
    wanted += (J.transpose() * force).head<6>() / kSteps;
    hit(contact, 0.001 * i);
  }
  EXPECT_LT((reactions.take_root_wrench() - wanted).norm(), 1e-9 * wanted.norm());
  EXPECT_EQ(reactions.take_root_wrench().norm(), 0) << "taken once";
}

}  // namespace
}  // namespace stunt
