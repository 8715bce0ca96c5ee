#include "stunt/routine/time_scale.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stunt {
namespace {

// The closed form against stepping the clock through the motion.
TEST(TimeScale, IsTheIntegralOfItsSpeed) {
  for (const double factor : {0.5, 0.7, 1.0, 1.3, 2.5}) {
    const TimeScale scale{.hit = 0.5, .window = 0.3, .factor = factor};
    double own = 0;
    const double dt = 1e-5;
    for (int i = 0; i < 150000; ++i) {
      const double middle = own + 0.5 * dt * scale.speed(own);
      own += dt * scale.speed(middle);
      if (i % 10000 == 0) {
        EXPECT_NEAR(scale.own((i + 1) * dt), own, 1e-8) << factor;
        EXPECT_NEAR(scale.taken(own), (i + 1) * dt, 1e-8) << factor;
      }
    }
    EXPECT_NEAR(scale.speed(0.5), factor, 1e-12);
    EXPECT_DOUBLE_EQ(scale.speed(0.1), 1);
    EXPECT_DOUBLE_EQ(scale.speed(0.9), 1);
  }
}

TEST(TimeScale, KeepsTheClockWithoutAWindow) {
  const TimeScale none{};
  EXPECT_EQ(none.own(1.7), 1.7);
  EXPECT_EQ(none.taken(1.7), 1.7);
  const TimeScale late{.hit = 0.1, .window = 0.4, .factor = 2};  // the window begins before the motion does
  EXPECT_EQ(late.taken(0), 0);
  EXPECT_NEAR(late.own(late.taken(0.3)), 0.3, 1e-10);
}

}  // namespace
}  // namespace stunt
