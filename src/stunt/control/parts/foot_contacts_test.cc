#include "stunt/control/parts/foot_contacts.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/sample_actor.h"

namespace stunt {
namespace {

constexpr FootContactSettings kTrust{.distance = 0.02,
                                     .touch = 0.003,
                                     .rise = 0.02,
                                     .dearest = 300,
                                     .landing_hold = 0.1,
                                     .landing_rate = 15,
                                     .landing_speed = 0.1};

// The sample character so high that all points of its feet are this far above level ground (m).
class FootContactsTest : public testing::Test {
 protected:
  void raise_to(double height) {
    VecX q = actor->rest_q();
    body.set_state(q, VecX::Zero(actor->nv()));
    const ContactPoint& point = actor->contact_points()[0];
    q[2] += height + point.radius - body.point(point.body, point.position).z();
    body.set_state(q, VecX::Zero(actor->nv()));
  }
  // A touch at each contact point.
  std::vector<ActorContact> touching() {
    std::vector<ActorContact> felt;
    for (const ContactPoint& point : actor->contact_points()) {
      felt.push_back({point.body, body.point(point.body, point.position) - point.radius * Vec3::UnitZ(),
                      Vec3::UnitZ(), Vec3::Zero(), Vec3(0.1, 0, 0), true, 0});
    }
    return felt;
  }
  const std::vector<PlanContact>& find(const std::vector<ActorContact>& felt, bool expected, bool soon) {
    const std::vector<std::uint8_t> now(points, expected), later(points, soon);
    contacts.find(body, felt, GroundSense(), now, later, kTrust, kDt, out);
    return out;
  }

  static constexpr double kDt = 0.004;  // s
  ActorPtr actor = sample_actor();
  std::size_t points = actor->contact_points().size();
  ActorDynamics body{actor};
  FootContacts contacts{points};
  std::vector<PlanContact> out;
};

TEST_F(FootContactsTest, APointIsAContactWhereItTouchesOrIsExpectedAndNear) {
  raise_to(0.019);
  EXPECT_EQ(find({}, true, true).size(), points);
  EXPECT_EQ(find({}, false, true).size(), 0u);
  raise_to(0.021);
  EXPECT_EQ(find({}, true, true).size(), 0u);
  EXPECT_EQ(find(touching(), false, false).size(), points) << "what touches may always push";
  EXPECT_EQ(out[0].velocity, Vec3(0.1, 0, 0));
  // Somebody else's touch, and one that gives nothing to stand on, are not its own.
  auto felt = touching();
  for (ActorContact& touch : felt) touch.support = false;
  EXPECT_EQ(find(felt, true, true).size(), 0u);
  felt = touching();
  for (ActorContact& touch : felt) touch.point.x() += 0.5;
  EXPECT_EQ(find(felt, true, true).size(), 0u);
}

TEST_F(FootContactsTest, ANewContactIsTrustedAndHeldWithTheTimeConstant) {
  raise_to(0.5);
  find({}, true, true);
  raise_to(0);
  for (int i = 1; i <= 12; ++i) {
    const double missing = std::exp(-i * kDt / kTrust.rise);
    ASSERT_EQ(find(touching(), true, true).size(), points);
    EXPECT_NEAR(out[0].hold, 1 - missing, 1e-12);
    EXPECT_NEAR(out[0].reluctance, std::pow(300, missing), 1e-9);
  }
}

TEST_F(FootContactsTest, OneThatDoesNotTouchYetPushesNothingAndIsLedDown) {
  raise_to(0.5);
  find({}, true, true);
  raise_to(0.01);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(find({}, true, true).size(), points);
  EXPECT_GT(out[0].reluctance, 9e5);
  EXPECT_NEAR(out[0].hold, 0.1, 1e-6);
  EXPECT_LT((out[0].velocity - Vec3(0, 0, -0.1 - 15 * 0.01)).norm(), 1e-9);
  EXPECT_GT(out[0].damping, 1);
  // Three millimetres count as touching; from then on it is a contact like any other.
  raise_to(0.0029);
  for (int i = 0; i < 100; ++i) find({}, true, true);
  EXPECT_NEAR(out[0].reluctance, 1, 1e-6);
  EXPECT_NEAR(out[0].hold, 1, 1e-6);
  EXPECT_EQ(out[0].velocity.norm(), 0);
  EXPECT_EQ(out[0].damping, 1);
}

TEST_F(FootContactsTest, AMovingGroundIsWhereItLands) {
  raise_to(0);
  GroundSense ground;
  for (int i = 0; i < 1000; ++i) ground.feel(*actor, touching(), kDt);
  raise_to(0.01);
  const std::vector<std::uint8_t> down(points, 1);
  contacts.find(body, {}, ground, down, down, kTrust, kDt, out);
  EXPECT_LT((out[0].velocity - Vec3(0.1, 0, -0.25)).norm(), 1e-6);
}

TEST_F(FootContactsTest, AFootThatShouldLeavePushesAtAPriceAndIsLetGo) {
  raise_to(0);
  for (int i = 1; i <= 12; ++i) {
    const double left = std::exp(-i * kDt / kTrust.rise);
    find(touching(), false, false);
    EXPECT_NEAR(out[0].hold, left, 1e-12);
    EXPECT_NEAR(out[0].reluctance, std::pow(300, 1 - left), 1e-9);
  }
}

TEST_F(FootContactsTest, AFootThatLandsEarlyIsTrustedButNotHeld) {
  raise_to(0);
  for (int i = 1; i <= 12; ++i) find(touching(), false, true);
  EXPECT_EQ(out[0].reluctance, 1);
  EXPECT_NEAR(out[0].hold, std::exp(-12 * kDt / kTrust.rise), 1e-12);
}

}  // namespace
}  // namespace stunt
