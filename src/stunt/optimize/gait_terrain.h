// Ground for a try of a gait: ramps of 1 m along x, each with another slope (Geijtenbeek 2013, section 7.5.2, "Uneven terrain").
#pragma once

#include <cstdint>
#include <vector>

#include "stunt/world/scene/environment.h"

namespace stunt {

class GaitTerrain {
 public:
  // From x = -2 m to beyond `length`; level up to x = 2 m, where a try begins; then slopes between -slope and slope.
  GaitTerrain(double slope_deg, double length, std::uint64_t seed);

  double height(double x) const;  // m
  // The ramps as fixed boxes, 60 m wide: who turns stays on them.
  std::vector<ObjectSpec> ramps(double friction) const;

 private:
  struct Corner {
    double x, z;   // where a ramp begins
    double angle;  // rad, upwards
  };
  std::vector<Corner> corners_;
};

}  // namespace stunt
