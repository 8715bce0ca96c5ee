#include "stunt/assess/realism/ground_reaction.h"

#include <gtest/gtest.h>

#include <random>

#include "stunt/core/error.h"

namespace stunt {
namespace {

// Two soles of 10 by 25 cm, turned a little, the right one ahead.
std::vector<SupportPoint> two_soles() {
  std::vector<SupportPoint> out;
  const auto sole = [&](Side side, const Vec3& middle, double yaw) {
    for (const double x : {-0.125, 0.125}) {
      for (const double y : {-0.05, 0.05})
        out.push_back({side == Side::left ? 3 : 5, side, middle + yaw_rotation(yaw) * Vec3(x, y, 0)});
    }
  };
  sole(Side::left, {0.1, 0.12, 0}, 0.2);
  sole(Side::right, {0.5, -0.11, 0}, -0.15);
  return out;
}

Wrench sum_of(const std::vector<PointLoad>& loads, const Vec3& normal) {
  Wrench sum{Vec3::Zero(), Vec3::Zero()};
  for (const PointLoad& load : loads) {
    sum.force += load.force;
    sum.torque += load.point.cross(load.force) + load.twist * normal;
  }
  return sum;
}

// A force that acts at a point of the ground, with a twist.
Wrench pushed_at(const Vec3& point, const Vec3& force, double twist) {
  return {force, point.cross(force) + twist * Vec3::UnitZ()};
}

TEST(GroundReaction, GivesAllOfAForceThatMeetsTheHull) {
  const std::vector<SupportPoint> soles = two_soles();
  std::mt19937 random(1);
  std::uniform_real_distribution<double> part(0, 1);
  for (int i = 0; i < 200; ++i) {
    Vec3 at = Vec3::Zero();
    double sum = 0;
    for (const SupportPoint& corner : soles) {
      const double w = std::pow(part(random), 4);
      at += w * corner.position;
      sum += w;
    }
    const Wrench wanted = pushed_at(at / sum, {80 * part(random), -50, 700}, 12);
    const GroundReaction given = ground_reaction(wanted, soles, {});
    EXPECT_LT((given.total.force - wanted.force).norm(), 1e-9);
    EXPECT_LT((given.total.torque - wanted.torque).norm(), 1e-9);
    const Wrench loads = sum_of(given.loads, Vec3::UnitZ());
    EXPECT_LT((loads.force - wanted.force).norm(), 1e-9);
    EXPECT_LT((loads.torque - wanted.torque).norm(), 1e-6);
    for (const PointLoad& load : given.loads) EXPECT_GE(load.force.z(), 0);
  }
}

// Whoever stands in one sole loads that sole alone, in both ways to share.
TEST(GroundReaction, AForceInOneSoleIsCarriedByIt) {
  for (const Split split : {Split::hull, Split::paper}) {
    const GroundReaction given =
        ground_reaction(pushed_at({0.5, -0.11, 0}, {0, 0, 700}, 0), two_soles(), {}, split);
    for (const PointLoad& load : given.loads) {
      if (load.force.norm() > 1e-9) {
        EXPECT_EQ(load.side, Side::right);
      }
    }
    EXPECT_LT((given.centre - Vec3(0.5, -0.11, 0)).norm(), 1e-9);
  }
}

TEST(GroundReaction, NeitherPullsNorSlidesNorPushesBesideTheFeet) {
  const std::vector<SupportPoint> soles = two_soles();
  EXPECT_TRUE(ground_reaction(pushed_at({0.3, 0, 0}, {0, 0, -1}, 0), soles, {}).loads.empty());
  EXPECT_TRUE(ground_reaction(pushed_at({0.3, 0, 0}, {0, 0, 700}, 0), {}, {}).loads.empty());
  const Ground icy{.friction = 0.1};
  const GroundReaction slides = ground_reaction(pushed_at({0.3, 0, 0}, {300, 400, 700}, 0), soles, icy);
  EXPECT_NEAR(slides.total.force.head<2>().norm(), 70, 1e-9);
  EXPECT_NEAR(slides.total.force.y() / slides.total.force.x(), 4.0 / 3, 1e-9);
  const GroundReaction beside = ground_reaction(pushed_at({1.5, 0, 0}, {0, 0, 700}, 0), soles, {});
  EXPECT_NEAR(beside.wanted_centre.x(), 1.5, 1e-9);
  EXPECT_LT(beside.centre.x(), 0.7);
}

// The printed split misses a centre of pressure that lies in the hull but not on the line between the feet's nearest
// points: the reason for the other one.
TEST(GroundReaction, PaperSplitMissesSomeCentres) {
  const Wrench wanted = pushed_at({0.3, 0.1, 0}, {0, 0, 700}, 0);
  const auto miss = [&](Split split) {
    return (ground_reaction(wanted, two_soles(), {}, split).centre - Vec3(0.3, 0.1, 0)).norm();
  };
  EXPECT_LT(miss(Split::hull), 1e-9);
  EXPECT_GT(miss(Split::paper), 0.005);
}

// Turning everything together, ground and all, turns the answer.
TEST(GroundReaction, ASlopeIsATurnedGround) {
  const Vec3 origin(0.4, -0.2, 1.3);
  const Quat turn = exp_map({0.2, -0.15, 0});
  std::vector<SupportPoint> level = two_soles(), tilted = level;
  for (SupportPoint& point : tilted) point.position = origin + turn * point.position;
  const Wrench wanted = pushed_at({0.35, 0.03, 0}, {600, 10, 700}, 9);
  const Vec3 force = turn * wanted.force;
  const Wrench turned{force, turn * wanted.torque + origin.cross(force)};
  const Vec3 normal = turn * Vec3::UnitZ();
  const GroundReaction a = ground_reaction(wanted, level, {.friction = 0.5});
  const GroundReaction b =
      ground_reaction(turned, tilted, {.point = origin, .normal = normal, .friction = 0.5});
  EXPECT_LT((turn * a.total.force - b.total.force).norm(), 1e-9);
  EXPECT_LT((origin + turn * a.centre - b.centre).norm(), 1e-9);
  const Wrench loads = sum_of(b.loads, normal);
  EXPECT_LT((loads.force - b.total.force).norm(), 1e-9);
}

// Delaunay: nothing lies inside the circle through the three corners that share the load.
TEST(GroundReaction, SharesAreThoseOfTheDelaunayTriangle) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> place(-1, 1);
  for (int round = 0; round < 100; ++round) {
    std::vector<Vec2> points(7);
    for (Vec2& point : points) point = {place(random), place(random)};
    const Vec2 p = (points[0] + points[1] + points[2] + points[3]) / 4;
    const std::vector<double> shares = nearest_shares(points, p);
    Vec2 mean = Vec2::Zero();
    std::vector<Vec2> corners;
    for (std::size_t i = 0; i < points.size(); ++i) {
      EXPECT_GE(shares[i], 0);
      mean += shares[i] * points[i];
      if (shares[i] > 0) corners.push_back(points[i]);
    }
    EXPECT_LT((mean - p).norm(), 1e-9);
    ASSERT_EQ(corners.size(), 3u);
    Eigen::Matrix2d A;
    A << (corners[1] - corners[0]).transpose(), (corners[2] - corners[0]).transpose();
    const Vec2 b(0.5 * (corners[1].squaredNorm() - corners[0].squaredNorm()),
                 0.5 * (corners[2].squaredNorm() - corners[0].squaredNorm()));
    const Vec2 centre = A.inverse() * b;
    for (const Vec2& point : points) EXPECT_GE((point - centre).norm(), (corners[0] - centre).norm() - 1e-6);
  }
}

TEST(GroundReaction, ALineOrAPointCarriesToo) {
  const std::vector<Vec2> line = {{0, 0}, {1, 0}, {0.5, 0}};
  const std::vector<double> shares = nearest_shares(line, {0.75, 0});
  EXPECT_NEAR(shares[1], 0.5, 1e-9);
  EXPECT_NEAR(shares[2], 0.5, 1e-9);
  const std::vector<Vec2> one = {{0.3, 0.2}};
  EXPECT_EQ(nearest_shares(one, {0.3, 0.2})[0], 1);
}

TEST(GroundReaction, AnUnknownSplitIsRefused) { EXPECT_THROW(split_from_name("half"), InputError); }

}  // namespace
}  // namespace stunt
