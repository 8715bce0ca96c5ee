#include "stunt/control/parts/recovery.h"

#include <gtest/gtest.h>

#include <cmath>

#include "stunt/simulate/run_scene.h"

namespace stunt {
namespace {

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
    EXPECT_EQ(run_scene(scene).actors[0].fall.has_value(), !recovery);
  }
}

}  // namespace
}  // namespace stunt
