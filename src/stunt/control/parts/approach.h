// A first-order lag: x += approach(dt, time_constant) * (target - x) follows the target exactly as the
// continuous filter x' = (target - x) / time_constant does, whatever the step.
#pragma once

#include <cmath>

namespace stunt {

// The share of the way that is gone in dt; both in s, time_constant > 0.
inline double approach(double dt, double time_constant) { return 1 - std::exp(-dt / time_constant); }

}  // namespace stunt
