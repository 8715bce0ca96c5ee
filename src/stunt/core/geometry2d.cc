#include "stunt/core/geometry2d.h"

#include <algorithm>

namespace stunt {

std::vector<Vec2> convex_hull(std::vector<Vec2> points) {
  if (points.empty()) return {};
  std::sort(points.begin(), points.end(),
            [](const Vec2& a, const Vec2& b) { return a.x() < b.x() || (a.x() == b.x() && a.y() < b.y()); });
  points.erase(std::unique(points.begin(), points.end()), points.end());
  std::vector<Vec2> chain(2 * points.size());
  std::size_t k = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    while (k >= 2 && cross(chain[k - 1] - chain[k - 2], points[i] - chain[k - 2]) <= 0) --k;
    chain[k++] = points[i];
  }
  for (std::size_t i = points.size() - 1, lower = k + 1; i-- > 0;) {
    while (k >= lower && cross(chain[k - 1] - chain[k - 2], points[i] - chain[k - 2]) <= 0) --k;
    chain[k++] = points[i];
  }
  chain.resize(k > 1 ? k - 1 : k);
  return chain;
}

Vec2 nearest_in_hull(std::span<const Vec2> points, const Vec2& p) {
  // p is inside where it lies in a triangle of the points; else the nearest point is on a line between two of
  // them.
  Vec2 best = points[0];
  for (const Vec2& a : points) {
    for (const Vec2& b : points) {
      const Vec2 way = b - a;
      const double length2 = way.squaredNorm();
      const double x = length2 > 0 ? std::clamp((p - a).dot(way) / length2, 0.0, 1.0) : 0;
      const Vec2 at = a + x * way;
      if ((at - p).squaredNorm() < (best - p).squaredNorm()) best = at;
      for (const Vec2& c : points) {
        const double u = cross(b - a, p - a), v = cross(c - b, p - b), w = cross(a - c, p - c);
        if (u > 0 && v > 0 && w > 0) return p;
      }
    }
  }
  return best;
}

ConvexRegion ConvexRegion::shrunk_hull(const std::vector<Vec2>& points, double margin, double most) {
  ConvexRegion region;
  if (points.empty()) return region;
  const auto add_side = [&](const Vec2& normal) {
    double high = -1e9, low = 1e9;
    for (const Vec2& p : points) {
      high = std::max(high, normal.dot(p));
      low = std::min(low, normal.dot(p));
    }
    region.sides_.push_back({normal, high - std::min(margin, most * (high - low))});
  };
  const std::vector<Vec2> corners = convex_hull(points);
  if (corners.size() < 3) {  // a point or a line: its box along the line
    const Vec2 way = corners.size() == 2 ? Vec2((corners[1] - corners[0]).normalized()) : Vec2(1, 0);
    for (const Vec2& n : {way, Vec2(-way), Vec2(-way.y(), way.x()), Vec2(way.y(), -way.x())}) add_side(n);
    return region;
  }
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Vec2 edge = corners[(i + 1) % corners.size()] - corners[i];
    if (edge.norm() > 1e-6) add_side(Vec2(edge.y(), -edge.x()).normalized());
  }
  return region;
}

Vec2 ConvexRegion::project(Vec2 p) const {
  constexpr int kRounds = 20;
  constexpr double kClose = 1e-6;  // m
  for (int round = 0; round < kRounds; ++round) {
    double worst = 0;
    for (const Side& side : sides_) {
      const double over = side.normal.dot(p) - side.limit;
      if (over > 0) p -= over * side.normal;
      worst = std::max(worst, over);
    }
    if (worst < kClose) break;
  }
  return p;
}

}  // namespace stunt
