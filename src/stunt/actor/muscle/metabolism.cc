#include "stunt/actor/muscle/metabolism.h"

#include <algorithm>
#include <cmath>

namespace stunt {
namespace {

constexpr double kSlowFibres = 0.5;  // share of slow twitch fibres

// sin(pi/2 x) for x from 0 to 1, to 1e-9: Taylor's series, which the compiler can do for several muscles at a time.
double quarter_sine(double x) {
  const double y = 0.5 * kPi * x, z = y * y;
  return y * (1 + z * (-1 / 6.0 +
                       z * (1 / 120.0 + z * (-1 / 5040.0 + z * (1 / 362880.0 +
                                                                z * (-1 / 39916800.0 + z / 6227020800.0))))));
}

double heat(double x, double slow, double fast) {
  x = std::min(std::max(x, 0.0), 1.0);
  return slow * kSlowFibres * quarter_sine(x) + fast * (1 - kSlowFibres) * (1 - quarter_sine(1 - x));
}

// Share of the maintenance heat at a fibre length (in best lengths).
double maintenance(double fibre) { return fibre <= 1 ? std::max(fibre, 0.5) : std::max(3 - 2 * fibre, 0.0); }

}  // namespace

double metabolic_rate(const MuscleFibres& muscles, const VecX& excitation, const MuscleState& state, int i) {
  const double shortening =
      std::max(0.0, -state.speed[i] * muscles.max_speed()[i] * muscles.fibre_length()[i]);  // m/s
  return muscles.mass()[i] * (heat(excitation[i], 40, 133) +
                              maintenance(state.fibre[i]) * heat(state.activation[i], 74, 111)) +
         1.25 * state.force[i] * shortening;  // work, and a quarter of it as heat
}

double metabolic_rate(const MuscleFibres& muscles, const VecX& excitation, const MuscleState& state) {
  double rate = 0;
  for (int i = 0; i < muscles.size(); ++i) rate += metabolic_rate(muscles, excitation, state, i);
  return rate;
}

}  // namespace stunt
