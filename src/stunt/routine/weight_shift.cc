#include "stunt/routine/weight_shift.h"

#include <algorithm>
#include <cmath>

namespace stunt {

Vec2 WeightShift::operator()(double t) const {
  Vec2 shift = t < at.front() ? by.front() : by.back();
  Vec2 before = Vec2::Zero();  // slope
  for (std::size_t k = 0; k < kKnots; ++k) {
    Vec2 after = Vec2::Zero();
    if (k + 1 < kKnots) {
      after = (by[k + 1] - by[k]) / std::max(1e-3, at[k + 1] - at[k]);
      if (t >= at[k] && t < at[k + 1]) shift = by[k] + (t - at[k]) * after;
    }
    shift += std::exp(-rate * std::abs(t - at[k])) / (2 * rate) * (after - before);
    before = after;
  }
  return shift;
}

}  // namespace stunt
