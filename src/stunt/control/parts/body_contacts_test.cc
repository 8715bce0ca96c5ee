#include "stunt/control/parts/body_contacts.h"

#include <gtest/gtest.h>

#include "tests/sample_actor.h"

namespace stunt {
namespace {

class BodyContactsTest : public testing::Test {
 protected:
  // On its back, the root's origin at this height (m).
  VecX lying(double height) const {
    VecX q = actor->rest_q();
    q[2] = height;
    quat_to_wxyz(axis_angle(Vec3::UnitY(), -kPi / 2) * quat_from_wxyz(&q[3]), &q[3]);
    return q;
  }
  void pose(ActorDynamics& dynamics, const VecX& q) { dynamics.set_state(q, VecX::Zero(actor->nv())); }
  ActorContact touch(int of, const Vec3& spot) {
    return {of, body.point(of, spot), Vec3::UnitZ(), Vec3(0, 0, 100), Vec3(0.1, 0, 0), true, 0};
  }
  std::vector<PlanContact> find(const std::vector<ActorContact>& felt) {
    std::vector<PlanContact> out;
    out.reserve(8);
    add_body_contacts(body, felt, reference, out);
    return out;
  }

  const ActorPtr actor = sample_actor();
  ActorDynamics body{actor}, reference{actor};
};

TEST_F(BodyContactsTest, WhatLiesInTheMotionMayPushWhereItTouches) {
  pose(body, lying(0.12));
  pose(reference, lying(0.15));
  const std::vector<ActorContact> felt = {touch(0, Vec3(-0.1, 0, 0))};
  ASSERT_NEAR(felt[0].point.z(), 0.02, 1e-9);
  const auto contacts = find(felt);
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_EQ(contacts[0].body, 0);
  EXPECT_EQ(contacts[0].point, felt[0].point);
  EXPECT_EQ(contacts[0].velocity, felt[0].surface_velocity);
}

TEST_F(BodyContactsTest, WhatTheMotionHasInTheAirMayNot) {
  pose(body, lying(0.12));
  pose(reference, actor->rest_q());
  EXPECT_TRUE(find({touch(0, Vec3(-0.1, 0, 0))}).empty());
}

TEST_F(BodyContactsTest, WhatSitsInTheMotionMayPushOnASeat) {
  pose(body, lying(0.62));
  pose(reference, lying(0.65));
  EXPECT_EQ(find({touch(0, Vec3(-0.1, 0, 0))}).size(), 1u);
  pose(reference, lying(0.75));
  EXPECT_TRUE(find({touch(0, Vec3(-0.1, 0, 0))}).empty());
}

TEST_F(BodyContactsTest, FeetAndWhatOneCannotStandOnDoNotCount) {
  pose(body, lying(0.12));
  pose(reference, lying(0.12));
  const int foot = actor->body(Role::left_foot);
  ActorContact ball = touch(0, Vec3(-0.1, 0, 0));
  ball.support = false;
  EXPECT_TRUE(find({touch(foot, Vec3::Zero()), ball}).empty());
}

TEST_F(BodyContactsTest, NoMoreThanThereIsRoomFor) {
  pose(body, lying(0.12));
  pose(reference, lying(0.12));
  EXPECT_EQ(find(std::vector<ActorContact>(20, touch(0, Vec3(-0.1, 0, 0)))).size(), 8u);
}

}  // namespace
}  // namespace stunt
