#include "stunt/control/parts/recovery_step.h"

#include <gtest/gtest.h>

#include <cmath>

#include "stunt/reference/legs/leg_ik.h"
#include "tests/sample_actor.h"

namespace stunt {
namespace {

// A body that stands on level ground, pushed away from a reference that stands still, or that steps at 0.2 s.
class RecoveryStepTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(feet.size(), 2u);
    now.q = actor->rest_q();
    now.v = VecX::Zero(actor->nv());
    ours.set_state(now.q, now.v);
    double lowest = 1e9;
    for (const ContactPoint& point : actor->contact_points())
      lowest = std::min(lowest, ours.point(point.body, point.position).z() - point.radius);
    now.q[2] -= lowest;
    target.q = now.q;
    target.v = target.a = now.v;
    target.contacts.assign(actor->contact_points().size(), 1);
    ahead = target;
    standing = reference_with(1);
    stepping = reference_with(0);
    recovery = RecoverySteps(*actor);
  }
  // From 0.2 s on, with the right foot on the ground or not.
  ReferencePtr reference_with(std::uint8_t right_foot) const {
    std::vector<std::vector<std::uint8_t>> contacts(120, target.contacts);
    for (std::size_t k = 20; k < contacts.size(); ++k) {
      for (std::size_t i = 0; i < contacts[k].size(); ++i)
        if (!actor->contact_points()[i].left) contacts[k][i] = right_foot;
    }
    return std::make_shared<SampledReference>(actor, 100.0, std::vector<VecX>(120, target.q), contacts);
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
            250};
  }
  void feel(bool left, bool right) {
    touches.clear();
    for (const Foot& foot : feet) {
      if (foot.leg.left ? left : right)
        touches.push_back({foot.leg.foot, ours.body_position(foot.leg.foot), Vec3::UnitZ(), Vec3::Zero(),
                           Vec3::Zero(), true, 0});
    }
    now.contacts = touches;
  }
  // The push (m/s, forward) that takes the capture point so far out of the support (m).
  double push_for(double outside) {
    body();
    Support support;
    for (const Foot& foot : feet) support.add_sole(foot.leg, ours);
    const Vec2 edge = support.nearest({10, 0});
    return (edge.x() + outside - ours.com().x()) * pendulum_rate(actor->gravity(), ours.com().z());
  }
  bool follows() const { return recovery.follows(0) && recovery.follows(1); }

  ActorPtr actor = sample_actor();
  ActorDynamics ours{actor}, reference{actor};
  std::vector<Foot> feet = find_feet(*actor);
  std::vector<ActorContact> touches;
  Observation now{0, 0.001, {}, {}, {}, {}};
  ReferenceSample target, ahead, later;
  ReferencePtr standing, stepping;
  RecoverySteps recovery{*actor};
};

TEST_F(RecoveryStepTest, BeginsWhereTheCapturePointHasLeftTheSupport) {
  feel(true, true);
  now.v[0] = push_for(0.035);
  recovery.update(body(), feet, {}, *standing, later);
  EXPECT_TRUE(follows());
  now.v[0] = push_for(0.045);
  recovery.update(body(), feet, {}, *standing, later);
  EXPECT_FALSE(follows());
}

TEST_F(RecoveryStepTest, WaitsForAStepThatComesUnlessItIsLostForSure) {
  feel(true, true);
  now.v[0] = push_for(0.11);
  recovery.update(body(), feet, {}, *stepping, later);
  EXPECT_TRUE(follows());
  now.v[0] = push_for(0.13);
  recovery.update(body(), feet, {}, *stepping, later);
  EXPECT_FALSE(follows());
}

TEST_F(RecoveryStepTest, WhoWalksIntoSomethingWalksOn) {
  feel(true, true);
  touches.push_back({feet[0].leg.shank, Vec3::Zero(), -Vec3::UnitX(), Vec3::Zero(), Vec3::Zero(), false, 3});
  now.contacts = touches;
  now.v[0] = push_for(0.13);
  recovery.update(body(), feet, {}, *stepping, later);
  EXPECT_TRUE(follows());
  feel(true, true);
  now.time = 0.1;
  recovery.update(body(), feet, {}, *stepping, later);
  EXPECT_TRUE(follows()) << "for a while after it too";
  recovery.update(body(), feet, {}, *standing, later);
  EXPECT_FALSE(follows()) << "who stands still steps";
}

// On the left foot, under the body, while the reference is 31 and then 29 cm up.
TEST_F(RecoveryStepTest, LeavesAKickAlone) {
  const std::size_t stands = feet[0].leg.left ? 0 : 1;
  body();
  FootPose under = foot_pose(ours, feet[stands].leg);
  under.position.y() = ours.com().y();
  put_foot(ours, feet[stands].leg, under, now.q);
  target.q = now.q;
  feet[1 - stands].stance = false;
  feel(true, false);
  now.v[0] = push_for(0.13);
  target.q[2] += 0.31;
  recovery.update(body(), feet, {}, *standing, later);
  EXPECT_TRUE(follows());
  target.q[2] -= 0.02;
  recovery.update(body(), feet, {}, *standing, later);
  EXPECT_FALSE(follows()) << "a foot this low may step";
}

TEST_F(RecoveryStepTest, IsGivenUpWhenTheReferenceFlies) {
  feel(true, true);
  now.v[0] = push_for(0.1);
  recovery.update(body(), feet, {}, *standing, later);
  ASSERT_FALSE(follows());
  now.time = 0.05;
  for (Foot& foot : feet) foot.stance = false;
  feel(true, false);
  recovery.update(body(), feet, {}, *standing, later);
  EXPECT_FALSE(follows()) << "a foot is still on the ground";
  feel(false, false);
  recovery.update(body(), feet, {}, *standing, later);
  EXPECT_TRUE(follows());
}

TEST_F(RecoveryStepTest, LeavesAlone) {
  now.v[0] = push_for(0.2);
  recovery.update(body(), feet, {}, *standing, later);
  EXPECT_TRUE(follows()) << "a body in the air";
  feel(true, true);
  target.v = now.v;
  recovery.update(body(), feet, {}, *standing, later);
  EXPECT_TRUE(follows()) << "a motion that leans out by itself";
  GroundSense moving;
  const ActorContact carried{
      feet[0].leg.foot, Vec3::Zero(), Vec3::UnitZ(), Vec3::Zero(), now.v.head<3>(), true, 0};
  for (int i = 0; i < 1000; ++i) moving.feel(*actor, {&carried, 1}, 0.004);
  target.v.setZero();
  recovery.update(body(), feet, moving, *standing, later);
  EXPECT_TRUE(follows()) << "a body that moves with the ground";
  recovery = RecoverySteps(*actor, 0.5);
  recovery.update(body(), feet, {}, *standing, later);
  EXPECT_TRUE(follows()) << "what happens before its time";
}

TEST_F(RecoveryStepTest, StepsIsPlantedAndGoesBackToTheReference) {
  feel(true, true);
  now.v[0] = push_for(0.1);
  now.v[1] = -0.3;  // to the right a little: that foot
  recovery.update(body(), feet, {}, *standing, later);
  const std::size_t foot = recovery.steps(0) ? 0 : 1;
  ASSERT_TRUE(recovery.steps(foot));
  EXPECT_NEAR(recovery.lands_at(foot), 0.25, 1e-12);
  const bool left = feet[foot].leg.left;
  const auto expected = [&] {
    target.contacts.assign(target.contacts.size(), 1);
    ahead.contacts = target.contacts;
    recovery.expect_contacts(*actor, feet, now.time, target, ahead);
    return stands(*actor, feet[foot].leg, target);
  };
  // Up, whatever the reference says, until it comes down.
  now.time = 0.1;
  EXPECT_FALSE(expected());
  now.time = 0.2;
  EXPECT_TRUE(expected());
  // On the way it is in the air; the joint speeds that are asked for give the foot the speed of its places.
  feel(!left, left);
  const ReferenceSample untouched = target;
  ActorDynamics asked(actor);
  Vec3 last = Vec3::Zero();
  for (int i = 0; i < 5; ++i) {
    now.time = 0.1 + 0.004 * i;
    target = untouched;
    const Vec3 place = recovery.put_foot(foot, feet[foot], body(), {});
    EXPECT_NEAR(place.z() - feet[foot].ankle_height, 0.06 * std::sin(kPi * now.time / 0.25), 1e-12);
    asked.set_state(target.q, target.v);
    EXPECT_LT((asked.body_position(feet[foot].leg.foot) - place).norm(), 1e-6);
    if (i > 0) {
      const Vec3 speed = asked.point_velocity(feet[foot].leg.foot, place);
      EXPECT_LT((speed - 250 * (place - last)).norm(), 0.05 * speed.norm());
      EXPECT_GT(speed.x(), 0.5);
    }
    last = place;
  }
  target = untouched;
  // A touch early in the step is the push-off, a late one ends it.
  feel(true, true);
  now.time = 0.1;
  recovery.update(body(), feet, {}, *standing, later);
  EXPECT_TRUE(recovery.steps(foot));
  now.time = 0.2;
  recovery.update(body(), feet, {}, *standing, later);
  EXPECT_TRUE(recovery.planted(foot));
  EXPECT_TRUE(expected());
  const Vec3 place = recovery.put_foot(foot, feet[foot], body(), {});
  EXPECT_EQ((place - ours.body_position(feet[foot].leg.foot)).head<2>().norm(), 0)
      << "it stays where it touched";
  EXPECT_NEAR(place.z(), feet[foot].ankle_height, 1e-12) << "flat, whatever part of it touched";
  // The reference has it on the ground, and then lifts it.
  EXPECT_TRUE(expected());
  feet[foot].stance = false;
  expected();
  EXPECT_TRUE(recovery.follows(foot));
}

}  // namespace
}  // namespace stunt
