#include "stunt/routine/weight_shift.h"

#include <gtest/gtest.h>

namespace stunt {
namespace {

// From the middle over one foot, over the other, and to another middle.
WeightShift step() {
  WeightShift shift;
  shift.at = {0, 0.4, 0.8, 0.9, 1.3, 1.8};
  shift.by = {Vec2(0, 0), Vec2(0.1, 0.05), Vec2(0.1, 0.05), Vec2(-0.2, 0), Vec2(-0.2, 0), Vec2(-0.1, 0.1)};
  shift.rate = 3.2;
  return shift;
}

// Where the weight is, by linear interpolation.
Vec2 under(const WeightShift& shift, double t) {
  for (std::size_t k = 0; k + 1 < WeightShift::kKnots; ++k) {
    if (t >= shift.at[k] && t < shift.at[k + 1])
      return shift.by[k] +
             (t - shift.at[k]) / (shift.at[k + 1] - shift.at[k]) * (shift.by[k + 1] - shift.by[k]);
  }
  return t < shift.at[0] ? shift.by.front() : shift.by.back();
}

TEST(WeightShift, IsAPendulumOverTheFootThatStands) {
  const WeightShift shift = step();
  constexpr double h = 1e-4;
  for (double t = -0.95; t < 3; t += 0.0313) {
    const Vec2 acceleration = (shift(t - h) - 2 * shift(t) + shift(t + h)) / (h * h);
    const Vec2 wanted = shift.rate * shift.rate * (shift(t) - under(shift, t));
    EXPECT_LT((acceleration - wanted).norm(), 1e-4) << t;
  }
}

TEST(WeightShift, NeitherJumpsNorJolts) {
  const WeightShift shift = step();
  constexpr double h = 1e-6;
  for (const double t : shift.at) {
    EXPECT_LT((shift(t + h) - shift(t - h)).norm(), 1e-5) << t;
    const Vec2 before = (shift(t - h) - shift(t - 2 * h)) / h, after = (shift(t + 2 * h) - shift(t + h)) / h;
    EXPECT_LT((after - before).norm(), 1e-4) << t;
  }
}

TEST(WeightShift, ComesFromAndEndsInTheMiddle) {
  const WeightShift shift = step();
  EXPECT_LT((shift(-5) - shift.by.front()).norm(), 1e-6);
  EXPECT_LT((shift(8) - shift.by.back()).norm(), 1e-6);
}

}  // namespace
}  // namespace stunt
