// Curves from 0 to 1, each under one name.
#pragma once

#include <algorithm>
#include <cmath>

namespace stunt {

// 3 x^2 - 2 x^3 for x from 0 to 1: velocity zero at both ends. 0 before, 1 after.
inline double smooth_step(double x) {
  x = std::clamp(x, 0.0, 1.0);
  return x * x * (3 - 2 * x);
}

// 6 x^5 - 15 x^4 + 10 x^3 for x from 0 to 1: velocity and acceleration zero at both ends. 0 before, 1 after.
inline double quintic_ease(double x) {
  x = std::clamp(x, 0.0, 1.0);
  return x * x * x * (10 + x * (6 * x - 15));
}

// The share of the way to its goal that a first-order lag makes in `dt` (s): y += approach(dt, T) (goal - y)
// is the exact solution of y' = (goal - y) / T while the goal stands still, whatever the size of dt.
inline double approach(double dt, double time_constant) { return 1 - std::exp(-dt / time_constant); }

}  // namespace stunt
