// Points on the ground: convex hulls, what lies inside them, and the nearest point of one. Lengths in m.
#pragma once

#include <Eigen/Core>

#include <span>
#include <vector>

namespace stunt {

using Vec2 = Eigen::Vector2d;

// The z component of the cross product: positive where b is to the left of a.
inline double cross(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }

// The corners of the convex hull, counter-clockwise, without those that lie on a line between two others
// (Andrew's monotone chain, 1979). One corner for points that are all the same, two for points on a line.
std::vector<Vec2> convex_hull(std::vector<Vec2> points);

// The point of the hull of `points` that is nearest to p: p itself where it is inside. `points` must not be
// empty. Cubic in the number of points, so for the few of two soles; allocates nothing.
Vec2 nearest_in_hull(std::span<const Vec2> points, const Vec2& p);

// A convex region: all x with normal.x <= limit for every side. Empty where there are no sides.
class ConvexRegion {
 public:
  struct Side {
    Vec2 normal;   // unit, outwards
    double limit;  // m
  };

  ConvexRegion() = default;
  // The hull of the points, each side moved inwards by `margin` (m), or by `most` (below 0.5) of the hull's
  // width across that side, whichever is less: so something remains of a narrow rectangle too (of a
  // triangle narrower than three margins nothing does). Points on a line give a piece of that line; no points
  // give an empty region.
  static ConvexRegion shrunk_hull(const std::vector<Vec2>& points, double margin, double most);

  bool empty() const { return sides_.empty(); }
  const std::vector<Side>& sides() const { return sides_; }
  // p itself where it is inside, otherwise a point of the region near p: by projecting onto one side after the
  // other, so beside a corner it need not be the nearest one, and beside a sharp corner it may stay up to a
  // millimetre outside.
  Vec2 project(Vec2 p) const;

 private:
  std::vector<Side> sides_;
};

}  // namespace stunt
