// How near a standing body is to losing its balance.
//
// Like an inverted pendulum it falls with the rate w = sqrt(g / height). The capture point c + v / w is where
// it must stand to come to rest (Pratt et al. 2006): inside the support, the hull of the soles, the ankles
// can bring it back; outside it runs away as exp(w t), and a foot must be put there.
#pragma once

#include <vector>

#include "stunt/core/geometry2d.h"
#include "stunt/reference/legs/leg.h"

namespace stunt {

// 1/s; gravity in m/s^2, height in m of the centre of mass over the ground. Bounded for bodies that lie or
// float.
double pendulum_rate(double gravity, double height);

// m, horizontal; `velocity` (m/s) is relative to the ground.
Vec2 capture_point(const Vec3& com, const Vec3& velocity, double rate);

// The hull of some soles, seen from above.
class Support {
 public:
  void reserve(std::size_t points) { points_.reserve(points); }
  void clear() { points_.clear(); }
  // The whole sole, at the state of `body`, whatever part of it touches: a body that tips over its toes
  // touches the ground with these alone.
  void add_sole(const Leg& leg, ActorDynamics& body);

  bool empty() const { return points_.empty(); }
  // Not of an empty support:
  Vec2 nearest(const Vec2& point) const { return nearest_in_hull(points_, point); }
  double distance(const Vec2& point) const { return (nearest(point) - point).norm(); }  // m, 0 inside

 private:
  std::vector<Vec2> points_;  // m
};

}  // namespace stunt
