// Which contact points of the feet carry load, found from the motion alone; and the floor they stand on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "stunt/actor/actor.h"

namespace stunt {

struct TimeSpan {
  double begin, end;  // s
  bool holds(double t) const { return t >= begin && t <= end; }
};
inline bool any_holds(const std::vector<TimeSpan>& spans, double t) {
  return std::any_of(spans.begin(), spans.end(), [t](const TimeSpan& span) { return span.holds(t); });
}

// World positions of the actor's contact points over a motion: the lowest point of each sphere. frames x points.
using PointPaths = std::vector<std::vector<Vec3>>;
PointPaths contact_point_paths(const Actor& actor, const std::vector<VecX>& q);

struct Floor {
  double height = 0;            // m, at the origin
  Eigen::Vector2d slope{0, 0};  // dz/dx, dz/dy
  double slope_deg() const;
  double at(double x, double y) const { return height + slope.x() * x + slope.y() * y; }
};

// The floor under the places where feet rest. A tilt is only believed where the steps spread far enough to show it.
// `found` is false where no foot ever rests (then the lowest point of the motion is the floor).
Floor find_floor(const PointPaths& points, double rate_hz, bool* found = nullptr);

// Turns and lowers the whole motion so that the floor is level at z = 0.
void level(const Floor& floor, std::vector<VecX>& q);
// The way back, of one pose.
void unlevel(const Floor& floor, VecX& q);

// Load per frame and contact point (frames x points): low and slow, with hysteresis, gaps and blips under 50 ms closed.
struct ContactSettings {
  double height = 0.025;      // m: nearer to the floor than this starts a contact
  double height_off = 0.035;  // m: further than this ends it
  double speed = 0.6;         // m/s, likewise
  double speed_off = 0.9;
  double shortest = 0.05;  // s, of a contact and of a gap
};
using ContactTable = std::vector<std::vector<std::uint8_t>>;
ContactTable find_contacts(const PointPaths& points, double rate_hz, const ContactSettings& settings = {});

}  // namespace stunt
