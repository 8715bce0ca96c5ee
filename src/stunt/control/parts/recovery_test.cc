#include "stunt/control/parts/recovery.h"

#include <gtest/gtest.h>

#include <cmath>

#include "stunt/simulate/run_scene.h"

namespace stunt {
namespace {

// Two feet whose soles reach 0.05 m to each side and 0.1 m forward and back; a little apart, the left one in front.
struct Stance {
  Stance(Vec2 left, Vec2 right, Vec2 capture) : at(std::move(capture)) {
    for (int i = 0; i < 2; ++i) {
      const Vec2 place = i == 0 ? left : right, half(0.1, 0.05);
      feet[i] = {place, Vec2(0, place.y()), at.cwiseMax(place - half).cwiseMin(place + half), i == 0, false};
    }
  }
  RecoveryPlan plan() const { return plan_recovery(feet, at, {1, 0}, 3, 0.25); }
  Vec2 at;
  StandingFoot feet[2];
};

TEST(Recovery, StepsWithTheRightFootToTheRightPlace) {
  const RecoveryPlan ahead = Stance({0.1, 0.1}, {-0.1, -0.1}, {0.25, 0}).plan();
  EXPECT_EQ(ahead.foot, 1);  // the one behind
  // Where the point of an inverted pendulum on the edge of the left foot will be, and 3 cm further.
  const Vec2 way = Vec2(0.25, 0) - Vec2(0.2, 0.05);
  const Vec2 place = Vec2(0.2, 0.05) + way * std::exp(3 * 0.25) + 0.03 * way.normalized();
  EXPECT_NEAR((ahead.place - place).norm(), 0, 1e-9);
  EXPECT_FALSE(ahead.past);
}

TEST(Recovery, AFootThatCarriesTheFallStaysWhereTheOtherIsFarAway) {
  const RecoveryPlan near = Stance({0, 0.07}, {0, -0.07}, {0, 0.17}).plan();
  EXPECT_EQ(near.foot, 0);  // the foot on that side
  EXPECT_FALSE(near.past);
  EXPECT_GT(near.place.y(), 0.4);
  // To lift the left one with the right one half a metre away would make the fall three times as long.
  const RecoveryPlan apart = Stance({0.1, 0.25}, {-0.1, -0.25}, {0, 0.36}).plan();
  EXPECT_EQ(apart.foot, 1);
}

TEST(Recovery, LegsCrossBehindOrInFrontAsTheyStand) {
  const Stance stance({0.1, 0.1}, {-0.1, -0.1}, {0, 0.3});
  const RecoveryPlan behind = plan_recovery(stance.feet, stance.at, {1, 0}, 3, 0.25, 1, true);
  EXPECT_GT(behind.place.y(), 0.15);
  EXPECT_LE(behind.place.x(), 0.1 - 0.22 + 1e-9);
  const RecoveryPlan in_front =
      plan_recovery(Stance({-0.1, 0.1}, {0.1, -0.1}, {0, 0.3}).feet, stance.at, {1, 0}, 3, 0.25, 1, true);
  EXPECT_GE(in_front.place.x(), -0.1 + 0.22 - 1e-9);
}

TEST(Recovery, DoesNotLeaveTheFeetTogether) {
  const Stance stance({0.15, 0.1}, {-0.15, -0.1}, {0.1, -0.12});
  const RecoveryPlan plan = stance.plan();
  EXPECT_GE((plan.place - stance.feet[1 - plan.foot].place).norm(), 0.25 - 1e-9);
}

TEST(Recovery, APushThatTheFeetCannotHoldIsCaughtByAStep) {
  for (const bool recovery : {true, false}) {
    const Scene scene =
        read_scene(std::string("actors: [{motion: stand, controller: {type: mcsim, recovery: ") +
                       (recovery ? "true" : "false") + "}}]\npushes: [{force: [200, 0, 0], start: 2}]\n",
                   "test");
    EXPECT_EQ(run_scene(scene).actors[0].fall.has_value(), !recovery);
  }
}

}  // namespace
}  // namespace stunt
