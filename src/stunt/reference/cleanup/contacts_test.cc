#include "stunt/reference/cleanup/contacts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "places.h"
#include "stunt/actor/fit/fit.h"
#include "stunt/core/easing.h"
#include "stunt/core/random.h"
#include "stunt/motion/edit/clip_ik.h"
#include "stunt/motion/load.h"
#include "stunt/reference/cleanup/clean_up.h"

namespace stunt {
namespace {

struct Interval {
  double begin, end;  // s
};
struct Marked {
  const char* clip;
  std::vector<Interval> feet[2];  // left, right
};

bool stands(const SampledReference& reference, int frame, bool left) {
  const auto& points = reference.actor()->contact_points();
  for (std::size_t p = 0; p < points.size(); ++p) {
    if (points[p].left == left && reference.contacts(frame)[p]) return true;
  }
  return false;
}

// Two feet of four points each that walk in large circles over a plane, one standing while the other swings 10 cm
// high; at 120 Hz.
constexpr double kWalkRate = 120;
PointPaths walking(const Floor& floor, double radius, double noise, Random& random) {
  constexpr double kStep = 0.6;  // s
  constexpr int kSteps = 40;
  const auto place = [&](int step) {
    const double angle = 0.35 * step;
    return Eigen::Vector2d(1 + radius * std::cos(angle), -2 + radius * std::sin(angle));
  };
  PointPaths points;
  for (int i = 0; i < kSteps * kStep * kWalkRate; ++i) {
    const int step = static_cast<int>(i / (kStep * kWalkRate));
    const double through = i / (kStep * kWalkRate) - step;
    points.emplace_back();
    for (const bool swings : {false, true}) {
      // The foot that swings goes from two places back to the next one.
      const Eigen::Vector2d from = place(step - 1), to = place(step + 1);
      const Eigen::Vector2d at =
          swings ? Eigen::Vector2d(from + quintic_ease(through) * (to - from)) : place(step);
      const double lift = swings ? 0.1 * std::pow(std::sin(kPi * through), 2) : 0;
      for (const double x : {-0.1, 0.1}) {
        for (const double y : {-0.04, 0.04}) {
          const Eigen::Vector2d corner = at + Eigen::Vector2d(x, y);
          points.back().emplace_back(corner.x(), corner.y(),
                                     floor.at(corner.x(), corner.y()) + lift + noise * random.normal());
        }
      }
    }
    // Points keep their foot, whichever it is that swings.
    if (step % 2) std::rotate(points.back().begin(), points.back().begin() + 4, points.back().end());
  }
  return points;
}

TEST(FindFloor, FindsATiltedFloorUnderNoise) {
  Random random(1);
  for (const Eigen::Vector2d& slope :
       {Eigen::Vector2d(0.03, -0.02), Eigen::Vector2d(-0.05, 0), Eigen::Vector2d(0, 0)}) {
    const Floor truth{0.3, slope};
    bool found = false;
    const Floor floor = find_floor(walking(truth, 2, 0.0005, random), kWalkRate, &found);
    EXPECT_TRUE(found);
    EXPECT_LT((floor.slope - truth.slope).norm(), 0.001) << slope.transpose();
    EXPECT_NEAR(floor.at(1, -2), truth.at(1, -2), 0.003);
    EXPECT_NEAR(floor.slope_deg(), degrees(std::acos(1 / std::sqrt(1 + slope.squaredNorm()))), 0.06);
  }
}

TEST(FindFloor, IsNotMisledByAFootOnAChair) {
  Random random(2);
  const Floor truth{-0.1, {0.02, 0.01}};
  PointPaths points = walking(truth, 2, 0.0005, random);
  for (std::size_t i = 0; i < points.size() / 6; ++i) {  // both feet up, at rest
    for (Vec3& point : points[i]) point = {0.3, 0.4, 0.45};
  }
  const Floor floor = find_floor(points, kWalkRate);
  EXPECT_LT((floor.slope - truth.slope).norm(), 0.004);
  EXPECT_NEAR(floor.at(1, -2), truth.at(1, -2), 0.005);
}

TEST(FindFloor, BelievesNoTiltInSmallSteps) {
  Random random(3);
  bool found = false;
  const Floor floor = find_floor(walking({0.2, {0.05, 0}}, 0.3, 0.0005, random), kWalkRate, &found);
  EXPECT_TRUE(found);
  EXPECT_EQ(floor.slope.norm(), 0);
}

TEST(FindFloor, IsTheLowestPointWhereNobodyRests) {
  PointPaths points;
  for (int i = 0; i < 60; ++i) points.push_back({Vec3(0.05 * i, 0, 0.7 + 0.01 * i)});
  bool found = true;
  EXPECT_NEAR(find_floor(points, kWalkRate, &found).height, 0.7, 1e-12);
  EXPECT_FALSE(found);
}

TEST(FindFloor, LevellingPutsTheFloorAtZero) {
  const Floor floor{0.4, {0.05, -0.08}};
  Random random(4);
  std::vector<VecX> q;
  for (int i = 0; i < 20; ++i) {
    const double x = random.uniform(-3, 3), y = random.uniform(-3, 3);
    q.push_back(VecX::Zero(7));
    q.back() << x, y, floor.at(x, y), 1, 0, 0, 0;
  }
  const std::vector<VecX> before = q;
  level(floor, q);
  const Vec3 normal = Vec3(-floor.slope.x(), -floor.slope.y(), 1).normalized();
  for (std::size_t i = 0; i < q.size(); ++i) {
    EXPECT_NEAR(q[i][2], 0, 1e-12);
    EXPECT_NEAR((q[i] - q[0]).head<3>().norm(), (before[i] - before[0]).head<3>().norm(), 1e-12);
    EXPECT_LT((quat_from_wxyz(&q[i][3]) * normal - Vec3::UnitZ()).norm(), 1e-12);
  }
}

TEST(Contacts, AreWhereTheFeetOfAMadeMotionStand) {
  Random random(5);
  const PointPaths points = walking({}, 1, 0.0002, random);
  const ContactTable contacts = find_contacts(points, kWalkRate);
  int agree = 0, all = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const int step = static_cast<int>(static_cast<double>(i) / (0.6 * kWalkRate));
    const double through = static_cast<double>(i) / (0.6 * kWalkRate) - step;
    for (std::size_t p = 0; p < 8; ++p) {
      // In the first and last fifth of a swing the foot is on its way up or down.
      const bool standing_foot = (p < 4) == (step % 2 == 0);
      if (!standing_foot && (through < 0.2 || through > 0.8)) continue;
      agree += (contacts[i][p] != 0) == standing_foot;
      ++all;
    }
  }
  EXPECT_GT(agree, 0.99 * all);
}

// The built-in stand, in which each foot is lifted once, at times known from the edit that does it.
TEST(Contacts, EndWhenAFootIsLiftedAndBeginWhenItIsPutDown) {
  constexpr double kRamp = 0.2;
  const Interval lifted[2] = {{0.6, 1.3}, {1.7, 2.4}};  // left, right
  Clip clip = load_clip("stand");
  ASSERT_GT(clip.duration(), 2.8);
  for (const bool left : {true, false}) {
    const Interval& when = lifted[left ? 0 : 1];
    clip = with_target(clip, {.part = left ? Role::left_foot : Role::right_foot,
                              .offset = {0.05, 0, 0.12},
                              .position = {},
                              .start = when.begin,
                              .end = when.end,
                              .ramp = kRamp});
  }
  const auto reference = clean_up(fit_actor(clip), clip).reference;
  for (int i = 0; i < reference->size(); ++i) {
    const double t = i / reference->rate();
    for (const bool left : {true, false}) {
      const Interval& when = lifted[left ? 0 : 1];
      const bool in_the_air = t > when.begin + 0.6 * kRamp && t < when.end - 0.6 * kRamp;
      const bool on_the_ground = t < when.begin || t > when.end;
      if (!in_the_air && !on_the_ground) continue;  // on its way
      EXPECT_EQ(stands(*reference, i, left), on_the_ground) << t << (left ? " left" : " right");
    }
  }
}

// Marked by eye on the curves of height and speed of the captured ankle and ball, as the files have them: a
// foot stands from where it comes to rest until the ball leaves.
const Marked kMarked[] = {
    {"walk_35_31",
     {{{0.19, 0.88}, {1.42, 2.08}, {2.59, 3.25}}, {{0, 0.28}, {0.80, 1.50}, {1.99, 2.68}, {3.16, 3.6}}}},
    {"run_09_06", {{{0, 0.05}, {0.63, 0.79}}, {{0.26, 0.42}, {0.985, 1.14}}}},
    {"jump_16_02", {{{0, 1.86}, {2.36, 4}}, {{0, 1.86}, {2.35, 4}}}},
    {"kick_144_06",
     {{{0, 1.12}, {1.30, 11}}, {{0, 1.42}, {2.60, 4.88}, {6.22, 7.12}, {8.35, 9.15}, {10.42, 11}}}}};

TEST(Contacts, AgreeWithWhatAnEyeSees) {
  const std::filesystem::path mocap = in_source("../shared/mocap/cmu");
  if (!std::filesystem::exists(mocap)) GTEST_SKIP() << "no motion capture files in " << mocap;
  for (const Marked& marked : kMarked) {
    const Clip clip = load_clip((mocap / marked.clip).string() + ".bvh");
    const auto reference = clean_up(fit_actor(clip), clip).reference;
    int agree = 0, all = 0;
    for (int i = 0; i < reference->size(); ++i) {
      const double t = i / reference->rate();
      for (const bool left : {true, false}) {
        bool seen = false;
        for (const Interval& mark : marked.feet[left ? 0 : 1])
          seen = seen || (t >= mark.begin && t <= mark.end);
        agree += stands(*reference, i, left) == seen;
        ++all;
      }
    }
    EXPECT_GE(agree, 0.95 * all) << marked.clip;
  }
}

}  // namespace
}  // namespace stunt
