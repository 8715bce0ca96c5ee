#include "stunt/core/geometry2d.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "malloc_counter.h"
#include "stunt/core/random.h"

namespace stunt {
namespace {

std::vector<Vec2> random_points(Random& random, int count) {
  std::vector<Vec2> points(count);
  for (Vec2& p : points) p = {random.uniform(-1, 1), random.uniform(-1, 1)};
  return points;
}

// By brute force: a pair of points is an edge where all others lie to the left of it.
TEST(ConvexHull, HasTheEdgesThatHaveAllPointsOnTheirLeft) {
  Random random(1);
  for (int trial = 0; trial < 200; ++trial) {
    const std::vector<Vec2> points = random_points(random, 3 + trial % 10);
    const auto index = [&](const Vec2& p) {
      return std::find(points.begin(), points.end(), p) - points.begin();
    };
    std::set<std::pair<long, long>> expected, found;
    for (const Vec2& a : points) {
      for (const Vec2& b : points) {
        const auto left = [&](const Vec2& p) { return p == a || p == b || cross(b - a, p - a) > 0; };
        if (a != b && std::all_of(points.begin(), points.end(), left)) expected.insert({index(a), index(b)});
      }
    }
    const std::vector<Vec2> hull = convex_hull(points);
    for (std::size_t i = 0; i < hull.size(); ++i) {
      found.insert({index(hull[i]), index(hull[(i + 1) % hull.size()])});
    }
    EXPECT_EQ(found, expected);
  }
}

TEST(ConvexHull, OfPointsOnALineIsItsEnds) {
  EXPECT_TRUE(convex_hull({}).empty());
  EXPECT_EQ(convex_hull({{1, 2}, {1, 2}}).size(), 1u);
  const std::vector<Vec2> line = convex_hull({{1, 1}, {3, 3}, {2, 2}, {0, 0}});
  ASSERT_EQ(line.size(), 2u);
  EXPECT_EQ(line[0], Vec2(0, 0));
  EXPECT_EQ(line[1], Vec2(3, 3));
  // The middle of a side is no corner.
  EXPECT_EQ(convex_hull({{0, 0}, {1, 0}, {2, 0}, {2, 2}, {0, 2}, {0, 1}}).size(), 4u);
}

// A point of a convex set is the nearest to p if and only if no point of the set makes an angle below 90 degrees
// with p there.
TEST(NearestInHull, MakesNoSharpAngleWithAnyPoint) {
  Random random(3);
  int inside = 0;
  for (int trial = 0; trial < 500; ++trial) {
    const std::vector<Vec2> points = random_points(random, 1 + trial % 9);
    const Vec2 p(random.uniform(-1.5, 1.5), random.uniform(-1.5, 1.5));
    const Vec2 found = nearest_in_hull(points, p);
    for (const Vec2& x : points) EXPECT_LE((p - found).dot(x - found), 1e-12);
    // It belongs to the hull: no side has it on its right.
    const std::vector<Vec2> hull = convex_hull(points);
    for (std::size_t i = 0; i < hull.size(); ++i) {
      const Vec2& a = hull[i];
      const Vec2& b = hull[(i + 1) % hull.size()];
      EXPECT_GE(cross(b - a, found - a), -1e-12);
    }
    inside += found == p;
  }
  EXPECT_GT(inside, 30);
}

TEST(NearestInHull, AllocatesNothing) {
  if (!mallocs_can_be_counted()) GTEST_SKIP() << "the sanitizer owns malloc";
  Random random(4);
  const std::vector<Vec2> points = random_points(random, 8);
  const long before = malloc_count();
  nearest_in_hull(points, {2, 0});
  EXPECT_EQ(malloc_count(), before);
}

// A rectangle keeps its axes, so the nearest point of a shrunk one is found axis by axis.
TEST(ShrunkHull, OfARectangleIsARectangle) {
  Random random(5);
  for (int trial = 0; trial < 50; ++trial) {
    const double angle = random.uniform(-3, 3), margin = 0.04, most = 0.42;
    const Vec2 along(std::cos(angle), std::sin(angle)), across(-along.y(), along.x());
    const Vec2 middle(random.uniform(-1, 1), random.uniform(-1, 1));
    const double length = random.uniform(0.05, 0.3), width = random.uniform(0.01, 0.15);  // of a sole
    std::vector<Vec2> corners;
    for (const double x : {-0.5, 0.5, 0.1}) {
      for (const double y : {-0.5, 0.5}) corners.push_back(middle + x * length * along + y * width * across);
    }
    const ConvexRegion region = ConvexRegion::shrunk_hull(corners, margin, most);
    ASSERT_FALSE(region.empty());
    const double half_length = 0.5 * length - std::min(margin, most * length);
    const double half_width = 0.5 * width - std::min(margin, most * width);
    for (int i = 0; i < 20; ++i) {
      const Vec2 p = middle + Vec2(random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3));
      const double x = std::clamp((p - middle).dot(along), -half_length, half_length);
      const double y = std::clamp((p - middle).dot(across), -half_width, half_width);
      EXPECT_LT((region.project(p) - (middle + x * along + y * across)).norm(), 2e-6);
    }
  }
}

// Each corner of a hull brings its own sides; what is projected lies inside of all of them, and what is as far
// from all edges as it should be stays.
TEST(ShrunkHull, KeepsItsDistanceFromEveryEdge) {
  Random random(6);
  const double margin = 0.04;
  for (int trial = 0; trial < 100; ++trial) {
    const std::vector<Vec2> points = random_points(random, 5 + trial % 8), hull = convex_hull(points);
    const ConvexRegion region = ConvexRegion::shrunk_hull(points, margin, 0.42);
    const auto nearest_edge = [&](const Vec2& p) {
      double distance = 1e9;
      for (std::size_t i = 0; i < hull.size(); ++i) {
        const Vec2 edge = hull[(i + 1) % hull.size()] - hull[i];
        distance = std::min(distance, cross(edge, p - hull[i]) / edge.norm());
      }
      return distance;
    };
    const Vec2 p(random.uniform(-1.5, 1.5), random.uniform(-1.5, 1.5));
    const Vec2 found = region.project(p);
    EXPECT_GT(nearest_edge(found), margin - 1e-3);
    if (nearest_edge(p) > margin) {
      EXPECT_EQ(found, p);
    }
  }
}

TEST(ShrunkHull, OfAPointOrALine) {
  EXPECT_TRUE(ConvexRegion::shrunk_hull({}, 0.04, 0.42).empty());
  const ConvexRegion point = ConvexRegion::shrunk_hull({{1, 2}}, 0.04, 0.42);
  EXPECT_LT((point.project({5, 5}) - Vec2(1, 2)).norm(), 1e-6);
  const ConvexRegion line = ConvexRegion::shrunk_hull({{0, 0}, {1, 0}}, 0.04, 0.42);
  EXPECT_LT((line.project({3, 1}) - Vec2(0.96, 0)).norm(), 1e-6);
}

}  // namespace
}  // namespace stunt
