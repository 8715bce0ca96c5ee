#include "stunt/optimize/gait_terrain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stunt/core/random.h"

namespace stunt {
namespace {

constexpr double kFirstX = -2, kLevelUntil = 2;           // m
constexpr double kThick = 0.4, kWide = 60, kSeam = 0.02;  // m

}  // namespace

GaitTerrain::GaitTerrain(double slope_deg, double length, std::uint64_t seed) {
  Random random(seed);
  for (Corner at{kFirstX, 0, 0}; at.x < length;) {
    at.angle = at.x < kLevelUntil ? 0 : radians(random.uniform(-slope_deg, slope_deg));
    corners_.push_back(at);
    at.x += std::cos(at.angle);
    at.z += std::sin(at.angle);
  }
}

double GaitTerrain::height(double x) const {
  const auto after = std::upper_bound(corners_.begin(), corners_.end(), x,
                                      [](double at, const Corner& corner) { return at < corner.x; });
  const Corner& ramp = after == corners_.begin() ? *after : *(after - 1);
  return ramp.z + (x - ramp.x) * std::tan(ramp.angle);
}

std::vector<ObjectSpec> GaitTerrain::ramps(double friction) const {
  std::vector<ObjectSpec> all;
  for (const Corner& corner : corners_) {
    const Vec3 along(std::cos(corner.angle), 0, std::sin(corner.angle));
    const Vec3 up(-along.z(), 0, along.x());
    ObjectSpec ramp;
    ramp.name = fmt::format("ramp{}", all.size());
    ramp.fixed = true;
    ramp.friction = friction;
    ramp.size = {1 + kSeam, kWide, kThick};
    ramp.rotation_deg = {0, -degrees(corner.angle), 0};
    ramp.position = Vec3(corner.x, 0, corner.z) + 0.5 * along - 0.5 * kThick * up;
    all.push_back(ramp);
  }
  return all;
}

}  // namespace stunt
