#include "stunt/control/parts/foot_placement.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/sample_actor.h"

namespace stunt {
namespace {

constexpr FootPlacementSettings kGains{.shift = true,
                                       .lift = true,
                                       .forward_velocity_gain = 0.3,
                                       .forward_position_gain = 0.2,
                                       .sideways_velocity_gain = 0.5,
                                       .sideways_position_gain = 0.4,
                                       .largest = 0.3,
                                       .clearance = 0.03,
                                       .settling = 0.2,
                                       .shift_rate = 70,
                                       .lift_rate = 40,
                                       .joint_speed = 0.7,
                                       .return_time = 0.1,
                                       .apart = 0};

// How far a critically damped motion has come after t (s) from rest.
double glided(double rate, double t) { return 1 - (1 + rate * t) * std::exp(-rate * t); }

// The reference stands on its left foot with bent knees, heading along `yaw`; ours differs from it.
class FootPlacementTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(feet.size(), 2u);
    feet[kSwing].stance = false;
    now.q = actor->rest_q();
    quat_to_wxyz(yaw_rotation(kYaw), &now.q[3]);
    for (const ActorJoint& joint : actor->joints()) {
      if (joint.name.ends_with("_knee")) now.q[joint.q_address] = 0.6;
    }
    now.v = VecX::Zero(actor->nv());
    target.q = now.q;
    target.v = target.a = now.v;
  }
  TrackedBody body() {
    ours.set_state(now.q, now.v);
    reference.set_state(target.q, target.v);
    return {now,
            target,
            ours,
            reference,
            reference.com() - ours.com(),
            reference.com_velocity() - ours.com_velocity(),
            Vec3::Zero(),
            kRate};
  }
  Vec3 turned(double forward, double sideways) const {
    return yaw_rotation(kYaw) * Vec3(forward, sideways, 0);
  }

  static constexpr double kRate = 250, kYaw = 0.7;
  static constexpr int kStance = 0, kSwing = 1;
  ActorPtr actor = sample_actor();
  ActorDynamics ours{actor}, reference{actor};
  std::vector<Foot> feet = find_feet(*actor);
  Observation now{0, 0.001, {}, {}, {}, {}};
  ReferenceSample target;
  FootPlacement placement{*actor};
};

TEST_F(FootPlacementTest, FeetThatStayApartDoNotCross) {
  now.v.head<3>() = turned(0, 1);  // towards the standing left foot
  const TrackedBody moving = body();
  const Vec3 between =
      reference.body_position(feet[kSwing].leg.foot) - reference.body_position(feet[kStance].leg.foot);
  const double theirs = -(yaw_rotation(-kYaw) * between).y();
  const auto distance = [&](double apart) {
    FootPlacementSettings gains = kGains;
    gains.apart = apart;
    FootPlacement fresh{*actor};
    for (int i = 0; i < 100; ++i) fresh.update(moving, feet, gains);
    return theirs - (yaw_rotation(-kYaw) * fresh.shift(kSwing)).y();
  };
  EXPECT_NEAR(distance(0), theirs - 0.3, 1e-6);  // crosses over, by its largest shift
  EXPECT_LT(distance(0), 0);
  EXPECT_NEAR(distance(0.08), 0.08, 1e-6);
  EXPECT_NEAR(distance(theirs + 0.1), theirs, 1e-6);  // never further than the reference has them
}

TEST_F(FootPlacementTest, VelocityShiftsTheSwingFootByItsGainsAlongTheHeading) {
  now.v.head<3>() = turned(0.2, -0.1);  // all bodies move alike: no error of place
  const TrackedBody moving = body();
  for (int i = 1; i <= 20; ++i) {
    placement.update(moving, feet, kGains);
    const Vec3 expected = turned(0.3 * 0.2, 0.5 * -0.1) * glided(70, i / kRate);
    EXPECT_LT((placement.shift(kSwing) - expected).norm(), 1e-12) << i;
    EXPECT_EQ(placement.shift(kStance).norm(), 0);
  }
}

// A body turned by a right angle about its standing foot has its centre of mass somewhere else, at rest.
TEST_F(FootPlacementTest, PlaceCountsRelativeToTheStandingFoot) {
  body();
  const Vec3 arm = reference.com() - reference.body_position(feet[kStance].leg.foot);
  quat_to_wxyz(yaw_rotation(kYaw + kPi / 2), &now.q[3]);
  now.q.head<3>() += Vec3(3, 4, 0);  // how far away it does so is no error
  const Vec3 error = yaw_rotation(-kYaw) * (yaw_rotation(kPi / 2) * arm - arm);
  ASSERT_GT(error.head<2>().norm(), 0.05);
  for (int i = 0; i < 1000; ++i) placement.update(body(), feet, kGains);
  EXPECT_LT((placement.shift(kSwing) - turned(0.2 * error.x(), 0.4 * error.y())).norm(), 1e-9);
}

TEST_F(FootPlacementTest, InFlightThePlaceAtTakeOffGoesOnCounting) {
  quat_to_wxyz(yaw_rotation(kYaw + kPi / 2), &now.q[3]);
  for (int i = 0; i < 1000; ++i) placement.update(body(), feet, kGains);
  const Vec3 at_take_off = placement.shift(kSwing);
  ASSERT_GT(at_take_off.norm(), 0.01);
  feet[kStance].stance = false;
  quat_to_wxyz(yaw_rotation(kYaw + kPi), &now.q[3]);
  for (int i = 0; i < 1000; ++i) placement.update(body(), feet, kGains);
  EXPECT_LT((placement.shift(kSwing) - at_take_off).norm(), 1e-9);
  EXPECT_LT((placement.shift(kStance) - at_take_off).norm(), 1e-9) << "both feet come down";
}

TEST_F(FootPlacementTest, TheShiftHasALimitAndIsGivenUpOnTheGround) {
  now.v.head<3>() = turned(3, 4);
  for (int i = 0; i < 1000; ++i) placement.update(body(), feet, kGains);
  EXPECT_NEAR(placement.shift(kSwing).norm(), 0.3, 1e-9);
  EXPECT_EQ(placement.detour(kSwing), 1);
  EXPECT_EQ(placement.detour(kStance), 0);
  placement.start_from(kStance, Vec3(0.06, 0.08, 0.5));
  EXPECT_NEAR(placement.detour(kStance), 0.5, 1e-12) << "half way to 0.2 m";
  const Vec3 before = placement.shift(kSwing);
  feet[kSwing].stance = true;
  for (int i = 0; i < 25; ++i) placement.update(body(), feet, kGains);
  EXPECT_LT((placement.shift(kSwing) - std::exp(-1.0) * before).norm(), 1e-9);
}

TEST_F(FootPlacementTest, TheSwingFootIsLiftedByTheClearanceAndTheSag) {
  now.q[2] -= 0.05;
  for (int i = 0; i < 15; ++i) placement.update(body(), feet, kGains);
  EXPECT_NEAR(placement.lift(kSwing), 0.08 * glided(40, 15 / kRate), 1e-12);
  EXPECT_EQ(placement.lift(kStance), 0);
  feet[kSwing].lands_soon = true;
  for (int i = 0; i < 1000; ++i) placement.update(body(), feet, kGains);
  EXPECT_NEAR(placement.lift(kSwing), 0, 1e-9);
  now.q[2] += 0.5;  // higher than the reference: no sag
  feet[kSwing].lands_soon = false;
  for (int i = 0; i < 1000; ++i) placement.update(body(), feet, kGains);
  EXPECT_NEAR(placement.lift(kSwing), 0.03, 1e-9);
}

TEST_F(FootPlacementTest, TheLiftIsGoneWhenTheFootIsToLand) {
  for (int i = 0; i < 1000; ++i) placement.update(body(), feet, kGains);
  ASSERT_NEAR(placement.lift(kSwing), 0.03, 1e-9);
  feet[kSwing].lands_in = 0.1;  // half of the time in which it settles
  for (int i = 0; i < 1000; ++i) placement.update(body(), feet, kGains);
  EXPECT_NEAR(placement.lift(kSwing), 0.015, 1e-9);
  feet[kSwing].lands_in = 0;
  for (int i = 0; i < 1000; ++i) placement.update(body(), feet, kGains);
  EXPECT_NEAR(placement.lift(kSwing), 0, 1e-9);
}

TEST_F(FootPlacementTest, EachOfTheTwoCanBeLeftOut) {
  now.v[0] = 0.5;
  FootPlacementSettings neither = kGains;
  neither.shift = neither.lift = false;
  placement.update(body(), feet, neither);
  EXPECT_EQ(placement.shift(kSwing).norm(), 0);
  EXPECT_EQ(placement.lift(kSwing), 0);
}

TEST_F(FootPlacementTest, TheTargetsFootIsWhereItWasMovedTo) {
  now.v.head<3>() = turned(0.2, -0.1);
  for (int i = 0; i < 1000; ++i) placement.update(body(), feet, kGains);
  const Leg& leg = feet[kSwing].leg;
  const TrackedBody moved = body();
  placement.put_foot(kSwing, leg, moved, kGains);
  ActorDynamics after(actor);
  after.set_state(target.q, target.v);
  const Vec3 way = after.body_position(leg.foot) - reference.body_position(leg.foot);
  EXPECT_LT((way - turned(0.06, -0.05) - Vec3(0, 0, 0.03)).norm(), 1e-6);
  // An ankle of two hinges cannot turn about the shank.
  EXPECT_LT(angle_between(after.body_rotation(leg.foot), reference.body_rotation(leg.foot)), 0.02);
  const Leg& other = feet[kStance].leg;
  EXPECT_LT((after.body_position(other.foot) - reference.body_position(other.foot)).norm(), 1e-12);
}

// While the shift moves evenly, so do the joints, and the target's speeds carry the foot along.
TEST_F(FootPlacementTest, TheTargetsFootMovesAsFastAsItsPlace) {
  FootPlacementSettings whole = kGains;
  whole.joint_speed = 1;
  const Leg& leg = feet[kSwing].leg;
  const VecX pose = target.q;
  ActorDynamics after(actor);
  Vec3 place = Vec3::Zero(), last = Vec3::Zero();
  for (int i = 0; i < 100; ++i) {
    now.v.head<3>() = turned(0.01 * i, 0);  // ever faster: the shift runs 0.3 x 0.01 m ahead with each plan
    target.q = pose;
    target.v.setZero();
    const TrackedBody moved = body();
    placement.update(moved, feet, whole);
    placement.put_foot(kSwing, leg, moved, whole);
    after.set_state(target.q, target.v);
    last = place;
    place = after.body_position(leg.foot);
    if (i < 60) continue;
    const Vec3 speed = after.point_velocity(leg.foot, place);
    EXPECT_LT((speed - (place - last) * kRate).norm(), 0.1 * (place - last).norm() * kRate) << i;
  }
  EXPECT_GT((place - last).norm() * kRate, 0.5);
}

TEST_F(FootPlacementTest, AFootThatComesBackFromElsewhereGetsNoJolt) {
  now.v.head<3>() = turned(0.5, 0);
  const Leg& leg = feet[kSwing].leg;
  for (int i = 0; i < 1000; ++i) placement.update(body(), feet, kGains);
  placement.leave_foot(kSwing);
  placement.put_foot(kSwing, leg, body(), kGains);
  EXPECT_EQ(target.v.norm(), 0);
}

}  // namespace
}  // namespace stunt
