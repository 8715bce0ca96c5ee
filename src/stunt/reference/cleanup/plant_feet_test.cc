#include "stunt/reference/cleanup/plant_feet.h"

#include <gtest/gtest.h>

#include <cmath>

#include "places.h"
#include "stunt/actor/fit/fit.h"
#include "stunt/motion/load.h"
#include "stunt/reference/cleanup/clean_up.h"
#include "stunt/reference/cleanup/smooth_correction.h"

namespace stunt {
namespace {

// The dense normal equations, as the header states them.
TEST(SmoothCorrection, SolvesItsLeastSquaresProblem) {
  const int n = 40;
  const double rate = 120, stiffness = std::pow(0.05 * rate, 6);
  CorrectionTargets targets(n);
  for (int i = 10; i < 20; ++i) targets.set(i, 0.01 * std::sin(0.7 * i));
  targets.set(30, -0.02, false);
  const std::vector<double> curve = SmoothCorrection(n, rate).through(targets);

  MatX A = MatX::Zero(n, n);
  VecX b(n);
  for (int i = 0; i < n; ++i) {
    A(i, i) = targets.weight[i];
    b[i] = targets.weight[i] * targets.value[i];
  }
  for (int i = 0; i + 3 < n; ++i) {
    VecX row = VecX::Zero(n);
    row.segment<4>(i) << -1, 3, -3, 1;
    A += stiffness * row * row.transpose();
  }
  const VecX dense = A.ldlt().solve(b);
  for (int i = 0; i < n; ++i) EXPECT_NEAR(curve[i], dense[i], 1e-7) << i;
  for (int i = 10; i < 20; ++i) EXPECT_NEAR(curve[i], targets.value[i], 1e-5) << i;
}

// A foot that slides, floats and sinks is put right by planting, and what was right stays.
TEST(PlantFeet, StandingFeetStandStill) {
  const Clip clip = load_clip("stand");
  const FittedActor fitted = fit_actor(clip);
  const auto motion = clean_up(fitted, clip).reference;
  std::vector<VecX> q;
  ContactTable contacts;
  for (int i = 0; i < motion->size(); ++i) {
    q.push_back(motion->q(i));
    contacts.push_back(motion->contacts(i));
    q.back()[0] += 0.01 * std::sin(0.05 * i);  // 6 cm/s
    q.back()[2] += 0.006 * std::sin(0.03 * i);
  }
  const FootErrors before = foot_errors(fitted.actor, q, contacts, motion->rate());
  plant_feet(fitted.actor, q, contacts, motion->rate());
  const FootErrors after = foot_errors(fitted.actor, q, contacts, motion->rate());
  EXPECT_GT(before.skate, 0.02);
  EXPECT_LT(after.skate, 0.005);
  EXPECT_LT(after.penetration, 0.002);
  EXPECT_LT(after.floating, 0.002);
}

TEST(PlantFeet, CapturedFeetMeetTheLimits) {
  const std::filesystem::path mocap = in_source("../shared/mocap/cmu");
  if (!std::filesystem::exists(mocap)) GTEST_SKIP() << "no motion capture files in " << mocap;
  for (const char* file : {"walk_16_32", "run_09_06", "boxing_13_18", "turn90_16_18"}) {
    const Clip clip = load_clip((mocap / file).string() + ".bvh");
    const CleanMotion clean = clean_up(fit_actor(clip), clip);
    EXPECT_LT(clean.after.skate, 0.011) << file;
    EXPECT_LT(clean.after.penetration, 0.005) << file;
    EXPECT_LT(clean.after.floating, 0.005) << file;
    EXPECT_LT(clean.mean_change_deg, 3) << file;
  }
}

// A walk in which everything is 1.5 cm too low: what stands is on the floor again, and the swinging foot does not
// scrape over it.
TEST(PlantFeet, SwingingFeetClearTheFloor) {
  const Clip clip = load_clip("walk");
  const FittedActor fitted = fit_actor(clip);
  const auto motion = clean_up(fitted, clip).reference;
  std::vector<VecX> q;
  ContactTable contacts;
  for (int i = 0; i < motion->size(); ++i) {
    q.push_back(motion->q(i));
    contacts.push_back(motion->contacts(i));
    q.back()[2] -= 0.015;
  }
  plant_feet(fitted.actor, q, contacts, motion->rate());
  const PointPaths points = contact_point_paths(*fitted.actor, q);
  constexpr int kAround = 18;  // frames: while it comes and goes it may be lower
  const int n = static_cast<int>(points.size());
  int swinging = 0;
  for (int i = 0; i < n; ++i) {
    for (std::size_t p = 0; p < points[i].size(); ++p) {
      EXPECT_GT(points[i][p].z(), -0.009) << i;
      bool far = i >= kAround && i + kAround < n;
      for (int k = i - kAround; far && k <= i + kAround; ++k) far = contacts[k][p] == 0;
      if (!far || (points[i + 2][p] - points[i - 2][p]).head<2>().norm() * motion->rate() / 4 < 1.5) continue;
      EXPECT_GT(points[i][p].z(), 0.01) << i;
      ++swinging;
    }
  }
  EXPECT_GT(swinging, 20);
}

}  // namespace
}  // namespace stunt
