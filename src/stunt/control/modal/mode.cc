#include "stunt/control/modal/mode.h"

#include <cmath>

namespace stunt {

ModeResponse Mode::response(double t) const {
  // With s = d/2 and w^2 = k - s^2:  a = exp(-s t) S,  a' = exp(-s t) (C - s S),
  // S = sin(w t)/w, C = cos(w t); hyperbolic where w^2 < 0; series in w^2 t^2 where that is small.
  const double s = 0.5 * damping, w2 = stiffness - s * s, x = w2 * t * t;
  double a, c;
  if (std::abs(x) < 1e-3) {
    a = t * (1 - x / 6 * (1 - x / 20 * (1 - x / 42)));
    c = 1 - x / 2 * (1 - x / 12 * (1 - x / 30));
  } else if (w2 > 0) {
    const double w = std::sqrt(w2);
    a = std::sin(w * t) / w;
    c = std::cos(w * t);
  } else {
    // exp(-s t) is multiplied in here: the hyperbolic functions alone overflow for strongly damped modes.
    const double w = std::sqrt(-w2), slow = std::exp((w - s) * t), fast = std::exp(-(w + s) * t);
    a = (slow - fast) / (2 * w);
    c = (slow + fast) / 2;
    return {a, c - s * a, stiffness > 0 ? (1 - c - s * a) / stiffness : (t - a) / damping};
  }
  const double fade = std::exp(-s * t);
  a *= fade;
  c *= fade;
  // e = (1 - a' - d a) / k = (1 - C - s a) / k, which cancels where little has happened yet.
  const double small = stiffness * t * t + damping * t;
  if (small > 1e-2) return {a, c - s * a, stiffness > 0 ? (1 - c - s * a) / stiffness : (t - a) / damping};
  // e'' = 1 - d e' - k e: Taylor, to the sixth power of t.
  double derivative[7] = {0, 0, 1, 0, 0, 0, 0};
  double e = 0, power = t;
  for (int n = 2; n <= 6; ++n) {
    if (n > 2) derivative[n] = -damping * derivative[n - 1] - stiffness * derivative[n - 2];
    power *= t / n;
    e += derivative[n] * power;
  }
  return {a, c - s * a, e};
}

ModeResponse Mode::after(const ModeResponse& at, const ModeResponse& step) const {
  return {(1 - stiffness * step.e) * at.a + step.a * at.a_dot,
          -stiffness * step.a * at.a + step.a_dot * at.a_dot,
          (1 - stiffness * step.e) * at.e + step.a * at.a + step.e};
}

}  // namespace stunt
