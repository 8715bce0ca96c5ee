#include "stunt/reference/cleanup/body_height.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "places.h"
#include "stunt/actor/fit/fit.h"
#include "stunt/motion/load.h"
#include "stunt/reference/cleanup/clean_up.h"

namespace stunt {
namespace {

constexpr double kRate = 120;  // Hz

// The conditions of the optimum, by finite differences of the cost: where the path is below its limit nothing is gained
// by moving it, and where it is held it would rather be higher.
TEST(SmoothBelow, IsTheBestPathUnderItsLimit) {
  const int n = 240;
  std::vector<double> most(n, 1.0);
  for (int i = 80; i < 95; ++i) most[i] = -0.02 + 1e-4 * (i - 87) * (i - 87);
  for (int i = 150; i < 160; ++i) most[i] = -0.01;
  most[200] = 0.001;
  std::vector<double> path = smooth_below(most, kRate);
  const auto cost = [&](const std::vector<double>& d) {
    double sum = 0;
    for (int i = 0; i < n; ++i) {
      const int k = std::clamp(i, 1, n - 2);
      const double second = (d[k + 1] - 2 * d[k] + d[k - 1]) * kRate * kRate;
      sum += d[i] * d[i] + std::pow(0.15, 4) * second * second;
    }
    return sum;
  };
  int held = 0;
  for (int i = 0; i < n; ++i) {
    EXPECT_LT(path[i], most[i] + 2e-4) << i;
    std::vector<double> up = path, down = path;
    up[i] += 1e-6;
    down[i] -= 1e-6;
    const double slope = (cost(up) - cost(down)) / 2e-6;
    if (path[i] < most[i]) {
      EXPECT_NEAR(slope, 0, 1e-3) << i;
    } else {
      EXPECT_LT(slope, 0) << i;
      ++held;
    }
  }
  EXPECT_GT(held, 1);
}

TEST(SmoothBelow, StaysAtZeroWhereNothingLimitsIt) {
  for (const double d : smooth_below(std::vector<double>(50, 0.01), kRate)) EXPECT_EQ(d, 0);
  EXPECT_EQ(smooth_below({-1.0, -1.0}, kRate).size(), 2u);
}

// Planting feet leaves the ground's vertical push as it was captured.
TEST(BodyHeight, PlantedWalksKeepTheirVerticalMotion) {
  const std::filesystem::path mocap = in_source("../shared/mocap/cmu");
  if (!std::filesystem::exists(mocap)) GTEST_SKIP() << "no motion capture files in " << mocap;
  for (const char* file : {"walk_16_32", "walk_07_01", "turn90_16_18"}) {
    const Clip clip = load_clip((mocap / file).string() + ".bvh");
    const FittedActor fitted = fit_actor(clip);
    const auto push = [&](bool feet) {
      CleanupSettings settings;
      settings.feet = feet;
      const auto reference = clean_up(fitted, clip, settings).reference;
      std::vector<VecX> q;
      for (int i = 0; i < reference->size(); ++i) q.push_back(reference->q(i));
      const std::vector<double> height = com_heights(fitted.actor, q);
      std::vector<double> weights;  // the push, in body weights
      for (std::size_t i = 12; i + 12 < height.size(); ++i) {
        weights.push_back(1 + (height[i + 1] - 2 * height[i] + height[i - 1]) * kRate * kRate / 9.81);
      }
      return weights;
    };
    const std::vector<double> captured = push(false), planted = push(true);
    ASSERT_EQ(captured.size(), planted.size()) << file;
    double sum = 0;
    for (std::size_t i = 0; i < captured.size(); ++i) sum += std::pow(planted[i] - captured[i], 2);
    EXPECT_LT(std::sqrt(sum / static_cast<double>(captured.size())), 0.06) << file;
  }
}

}  // namespace
}  // namespace stunt
