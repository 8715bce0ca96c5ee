#include "stunt/routine/time_scale.h"

#include <algorithm>
#include <cmath>

#include "stunt/core/rotation.h"

namespace stunt {

double hit_weight(double x) { return std::abs(x) >= 1 ? 0 : 0.5 * (1 + std::cos(kPi * x)); }

double TimeScale::taken(double own_time) const {
  if (window <= 0) return own_time;
  const auto area = [&](double x) {  // of the weight, from the middle to x
    x = std::clamp(x, -1.0, 1.0);
    return 0.5 * window * (x + std::sin(kPi * x) / kPi);
  };
  return own_time + (1 / factor - 1) * (area((own_time - hit) / window) - area(-hit / window));
}

double TimeScale::own(double taken_time) const {
  if (window <= 0 || factor == 1) return taken_time;
  // The rate lies between 1 and 1/factor: so does the answer, and it is found by halving with Newton's steps inside.
  const double most = std::max(1.0, factor), least = std::min(1.0, factor);
  double low = std::min(taken_time * least, taken_time * most),
         high = std::max(taken_time * least, taken_time * most);
  double x = std::clamp(taken_time, low, high);
  for (int i = 0; i < 40 && high - low > 1e-12; ++i) {
    const double error = taken(x) - taken_time;
    if (std::abs(error) < 1e-13) break;
    (error > 0 ? high : low) = x;
    const double next = x - error * speed(x);
    x = next > low && next < high ? next : 0.5 * (low + high);
  }
  return x;
}

double TimeScale::speed(double own_time) const {
  if (window <= 0) return 1;
  return 1 / (1 + (1 / factor - 1) * hit_weight((own_time - hit) / window));
}

}  // namespace stunt
