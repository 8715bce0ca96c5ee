#include "stunt/optimize/offset_path.h"

#include <cmath>

#include "stunt/optimize/practice_room.h"

namespace stunt {
namespace {

constexpr double kGrain = 1e-4;  // m, rad: offsets are multiples of it

// Rounded, and without the smallest.
double coarse(double x) { return std::abs(x) < kSmallestOffset ? 0 : rounded_offset(x); }

// Which of the named offsets number i belongs to.
int kind_of(std::size_t i) { return i < 3 ? 0 : i < 6 ? 1 : i < 8 ? 2 : i < 10 ? 3 : i < 11 ? 4 : 5; }

}  // namespace

double rounded_offset(double x) { return std::round(x / kGrain) / std::round(1 / kGrain); }

Nudges nudges_of(const OffsetPath& path, int first_knot) {
  Nudges nudges;
  for (std::size_t k = static_cast<std::size_t>(first_knot); k < path.size(); ++k)
    nudges.knots.push_back({knot_time(static_cast<int>(k)), path[k]});
  return nudges;
}

double size_of(const Offsets& offsets) {
  double sum = 0;
  for (std::size_t i = 0; i < Offsets::kSize; ++i) sum += std::pow(offsets.values[i] / kOffsetSpread[i], 2);
  return sum / Offsets::kSize;
}

OffsetPath smoothed(const OffsetPath& path) {
  OffsetPath out = path;
  for (std::size_t k = 1; k + 1 < path.size(); ++k) {
    for (std::size_t i = 0; i < Offsets::kSize; ++i) {
      const double around = path[k - 1].values[i] + path[k + 1].values[i];
      out[k].values[i] = coarse(0.25 * around + 0.5 * path[k].values[i]);
    }
  }
  return out;
}

OffsetPath smaller(const OffsetPath& path) {
  OffsetPath out = path;
  for (Offsets& offsets : out) {
    for (double& x : offsets.values) x = coarse(0.7 * x);
  }
  return out;
}

OffsetPath without(const OffsetPath& path, int kind) {
  OffsetPath out = path;
  for (Offsets& offsets : out) {
    for (std::size_t i = 0; i < Offsets::kSize; ++i) {
      if (kind_of(i) == kind) offsets.values[i] = 0;
    }
  }
  return out;
}

}  // namespace stunt
