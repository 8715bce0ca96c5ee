#include "stunt/reference/cleanup/body_height.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

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
  std::vector<double> path = smooth_below(most, kRate, kHeightTime);
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
  for (const double d : smooth_below(std::vector<double>(50, 0.01), kRate, kHeightTime)) EXPECT_EQ(d, 0);
  EXPECT_EQ(smooth_below({-1.0, -1.0}, kRate, kHeightTime).size(), 2u);
}

TEST(SmoothBelow, IsZeroWhereItIsFixed) {
  const int n = 100;
  std::vector<double> most(n, 1.0);
  std::vector<bool> fixed(n, false);
  for (int i = 40; i < 60; ++i) most[i] = -0.01;
  for (int i = 0; i < n; ++i) fixed[i] = i < 30 || i >= 70;
  const std::vector<double> path = smooth_below(most, kRate, 0.03, fixed);
  for (int i = 0; i < n; ++i) {
    if (fixed[i]) {
      EXPECT_NEAR(path[i], 0, 1e-5) << i;
    }
    EXPECT_LT(path[i], most[i] + 1e-4) << i;
  }
}

// A foot that swings out of reach and back, under a hip that stays: cut off at the leg's end, its speed would change by
// metres a second from one frame to the next, and the knee's with it.
TEST(GiveWay, SwingingFeetSlowDownBeforeTheLegEnds) {
  constexpr double kLength = 0.85;
  const int n = 60;
  std::vector<Vec3> hips(n, Vec3(0, 0, 0.9)), feet(n);
  std::vector<bool> stands(n, false);
  for (int i = 0; i < n; ++i) {
    const double time = (i - 30) / kRate;
    feet[i] = hips[i] + Vec3(std::sin(2 * time), 0, -std::cos(2 * time)) * (0.87 - 2 * time * time);
    stands[i] = i < 3 || i >= 57;
  }
  const std::vector<Vec3> given = give_way(hips, feet, stands, kLength, kRate);
  const auto jerk = [&](const std::vector<Vec3>& path,
                        double most) {  // largest change of the leg's speed, m/s
    double worst = 0;
    for (int i = 1; i + 1 < n; ++i) {
      const auto reach = [&](int k) { return std::min(most, (path[k] - hips[k]).norm()); };
      worst = std::max(worst, std::abs(reach(i + 1) - 2 * reach(i) + reach(i - 1)) * kRate);
    }
    return worst;
  };
  EXPECT_LT(jerk(given, 1.0), 0.5 * jerk(feet, 0.997 * kLength));
  for (int i = 0; i < n; ++i) {
    EXPECT_LT((given[i] - hips[i]).norm(), kLength) << i;
    EXPECT_LT((given[i] - feet[i]).norm(), 0.05) << i;
    if (stands[i]) {
      EXPECT_EQ(given[i], feet[i]) << i;
    }
  }
}

// Planting feet leaves the ground's vertical push as it was captured.
TEST(BodyHeight, PlantedWalksKeepTheirVerticalMotion) {
  const std::filesystem::path mocap = STUNT_SOURCE_DIR "/../shared/mocap/cmu";
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
