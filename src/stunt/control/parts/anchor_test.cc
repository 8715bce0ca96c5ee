#include "stunt/control/parts/anchor.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/sample_actor.h"

namespace stunt {
namespace {

// Both bodies stand in the rest pose, ours away from the reference.
class AnchorTest : public testing::Test {
 protected:
  void stand(const Vec3& away) {
    VecX q = actor->rest_q();
    reference.set_state(q, VecX::Zero(actor->nv()));
    q.head<3>() += away;
    ours.set_state(q, VecX::Zero(actor->nv()));
    touches.clear();
    for (const ContactPoint& point : actor->contact_points()) {
      touches.push_back({point.body, ours.point(point.body, point.position), Vec3::UnitZ(), Vec3::Zero(),
                         Vec3::Zero(), true, 0});
    }
  }
  void follow(const AnchorSettings& settings) {
    anchor.follow(ours, reference, touches, expected, feet, settings, kDt);
  }

  static constexpr double kDt = 0.004;  // s
  ActorPtr actor = sample_actor();
  ActorDynamics ours{actor}, reference{actor};
  std::vector<Foot> feet = find_feet(*actor);
  std::vector<std::uint8_t> expected = std::vector<std::uint8_t>(actor->contact_points().size(), 1);
  std::vector<ActorContact> touches;
  Anchor anchor;
};

TEST_F(AnchorTest, FollowsTheStandingFeetWithItsTimeConstant) {
  const Vec3 away(0.03, -0.02, 0.01);
  stand(away);
  for (int i = 1; i <= 30; ++i) {
    follow({.time = 0.1, .speed = 10});
    EXPECT_LT((anchor.offset() - away * (1 - std::exp(-i * kDt / 0.1))).norm(), 1e-12) << i;
  }
}

TEST_F(AnchorTest, IsNeverFasterThanItMay) {
  stand({0, 1, 0});
  for (int i = 1; i <= 30; ++i) {
    follow({.time = 0.1, .speed = 0.5});
    EXPECT_LT((anchor.offset() - Vec3(0, i * 0.5 * kDt, 0)).norm(), 1e-12) << i;
  }
}

TEST_F(AnchorTest, StaysWhereNothingStandsInBothBodies) {
  stand({0.1, 0, 0});
  const auto felt = touches;
  touches.clear();
  follow({.time = 0.1, .speed = 10});
  EXPECT_EQ(anchor.offset().norm(), 0);
  touches = felt;
  std::fill(expected.begin(), expected.end(), std::uint8_t{0});
  follow({.time = 0.1, .speed = 10});
  EXPECT_EQ(anchor.offset().norm(), 0);
}

TEST_F(AnchorTest, AFootThatCaughtAFallSaysNothingAboutTheHeight) {
  anchor = Anchor({0, 0, 0.05});
  stand({0.2, 0, 0.3});
  ASSERT_EQ(feet.size(), 2u);
  for (Foot& foot : feet) foot.caught = true;
  for (int i = 0; i < 500; ++i) follow({.time = 0.1, .speed = 10});
  EXPECT_LT((anchor.offset() - Vec3(0.2, 0, 0.05)).norm(), 1e-8);
  // With one such foot the other counts for half.
  feet[0].caught = false;
  anchor = Anchor({0, 0, 0.1});
  follow({.time = 0.1, .speed = 10});
  EXPECT_NEAR(anchor.offset().z(), 0.1 + (1 - std::exp(-kDt / 0.1)) * 0.5 * (0.3 - 0.1), 1e-12);
}

TEST_F(AnchorTest, RidesWithTheGround) {
  for (int i = 0; i < 250; ++i) anchor.ride({0.3, 0.1, 0}, kDt);
  EXPECT_LT((anchor.offset() - Vec3(0.3, 0.1, 0)).norm(), 1e-12);
}

}  // namespace
}  // namespace stunt
