#include "stunt/control/parts/recovery.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "stunt/simulate/run_scene.h"

namespace stunt {
namespace {

// Against a search over random mixtures of the points, which fill their hull.
TEST(Recovery, NearestPointOfTheHull) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(-1, 1);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<Vec2> points(1 + trial % 6);
    for (Vec2& p : points) p = {number(random), number(random)};
    const Vec2 p(2 * number(random), 2 * number(random));
    const Vec2 found = nearest_in_hull(points, p);
    double best = 1e9, reached = 1e9;
    for (int i = 0; i < 3000; ++i) {
      VecX share = VecX::Zero(static_cast<int>(points.size()));
      for (double& s : share) s = std::pow(std::abs(number(random)), 8) + 1e-12;
      share /= share.sum();
      Vec2 mixture = Vec2::Zero();
      for (std::size_t k = 0; k < points.size(); ++k) mixture += share[static_cast<int>(k)] * points[k];
      best = std::min(best, (mixture - p).norm());
      reached = std::min(reached, (mixture - found).norm());
    }
    EXPECT_LE((found - p).norm(), best + 1e-9);
    EXPECT_LT(reached, 0.2);  // it belongs to the hull
  }
}

TEST(Recovery, StepsWithTheRightFootToTheRightPlace) {
  const StandingFoot feet[2] = {{{0, 0.1}, {0, 0.1}, true, false}, {{-0.1, -0.1}, {0, -0.1}, false, false}};
  const Vec2 forward(1, 0);
  EXPECT_EQ(plan_recovery(feet, {0, 0.3}, {0, 0.15}, forward, 3, 0.3).foot, 0);  // falls to the left
  EXPECT_EQ(plan_recovery(feet, {0, -0.3}, {0, -0.15}, forward, 3, 0.3).foot, 1);
  const RecoveryPlan ahead = plan_recovery(feet, {0.2, 0}, {0.15, 0}, forward, 3, 0.3);
  EXPECT_EQ(ahead.foot, 1);  // the one behind
  EXPECT_NEAR(ahead.place.x(), 0.15 + 0.05 * std::exp(0.9) + 0.03, 1e-9);
  EXPECT_LE(ahead.place.y(), 0.0);  // feet do not cross
}

TEST(Recovery, APushThatTheFeetCannotHoldIsCaughtByAStep) {
  for (const bool recovery : {true, false}) {
    const Scene scene =
        read_scene(std::string("actors: [{motion: stand, controller: {type: mcsim, recovery: ") +
                       (recovery ? "true" : "false") + "}}]\npushes: [{force: [200, 0, 0], start: 2}]\n",
                   "test");
    Simulation simulation(scene, make_cast(scene).members);
    EXPECT_EQ(simulation.run({}).actors[0].fall.has_value(), !recovery);
  }
}

}  // namespace
}  // namespace stunt
