#include "stunt/core/easing.h"

#include <gtest/gtest.h>

namespace stunt {
namespace {

// By summing up a velocity (midpoint rule) with a zero of the right order at both ends.
template <class Velocity>
double travelled(double x, Velocity velocity) {
  constexpr int kParts = 2000;
  double sum = 0;
  for (int i = 0; i < kParts; ++i) sum += velocity(x * (i + 0.5) / kParts) * x / kParts;
  return sum;
}

TEST(Easing, IsTheIntegralOfAVelocityThatIsZeroAtBothEnds) {
  for (const double x : {0.0, 0.1, 0.35, 0.5, 0.8, 1.0}) {
    EXPECT_NEAR(smooth_step(x), travelled(x, [](double u) { return 6 * u * (1 - u); }), 1e-6);
    EXPECT_NEAR(quintic_ease(x), travelled(x, [](double u) { return 30 * u * u * (1 - u) * (1 - u); }), 1e-6);
  }
  for (const auto ease : {smooth_step, quintic_ease}) {
    EXPECT_EQ(ease(-3), 0);
    EXPECT_EQ(ease(0), 0);
    EXPECT_EQ(ease(1), 1);
    EXPECT_EQ(ease(3), 1);
  }
}

TEST(Easing, ApproachIsWhatManySmallStepsMake) {
  const double dt = 0.02, time_constant = 0.05;
  double y = 0;
  for (int i = 0; i < 100000; ++i) y += (1 - y) / time_constant * dt / 100000;  // y' = (1 - y) / T
  EXPECT_NEAR(approach(dt, time_constant), y, 1e-6);
  // Two steps are as good as one.
  EXPECT_NEAR((1 - approach(0.01, 0.05)) * (1 - approach(0.03, 0.05)), 1 - approach(0.04, 0.05), 1e-15);
}

}  // namespace
}  // namespace stunt
