#include "stunt/routine/weight_shift.h"

#include <algorithm>
#include <cmath>

namespace stunt {

Vec2 WeightShift::operator()(double t) const {
  Vec2 under = t < at.front() ? by.front() : by.back();  // d(t)
  Vec2 lead = Vec2::Zero();
  Vec2 before = Vec2::Zero();  // slope
  for (std::size_t k = 0; k < kKnots; ++k) {
    Vec2 after = Vec2::Zero();
    if (k + 1 < kKnots) {
      after = (by[k + 1] - by[k]) / std::max(1e-3, at[k + 1] - at[k]);
      if (t >= at[k] && t < at[k + 1]) under = by[k] + (t - at[k]) * after;
    }
    lead += std::exp(-rate * std::abs(t - at[k])) / (2 * rate) * (after - before);
    before = after;
  }
  return under + lead;
}

}  // namespace stunt
