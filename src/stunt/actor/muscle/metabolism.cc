#include "stunt/actor/muscle/metabolism.h"

#include <algorithm>
#include <cmath>

namespace stunt {
namespace {

constexpr double kSlowFibres = 0.5;  // share of slow twitch fibres

double heat(double x, double slow, double fast) {
  const double angle = 0.5 * kPi * std::clamp(x, 0.0, 1.0);
  return slow * kSlowFibres * std::sin(angle) + fast * (1 - kSlowFibres) * (1 - std::cos(angle));
}

// Share of the maintenance heat at a fibre length (in best lengths).
double maintenance(double fibre) {
  if (fibre <= 1) return std::max(fibre, 0.5);
  return std::max(3 - 2 * fibre, 0.0);
}

}  // namespace

double metabolic_rate(const MuscleFibres& muscles, const VecX& excitation, const MuscleState& state) {
  double rate = 0;
  for (int i = 0; i < muscles.size(); ++i) {
    const double shortening =
        std::max(0.0, -state.speed[i] * muscles.max_speed()[i] * muscles.fibre_length()[i]);  // m/s
    rate += muscles.mass()[i] * (heat(excitation[i], 40, 133) +
                                 maintenance(state.fibre[i]) * heat(state.activation[i], 74, 111)) +
            1.25 * state.force[i] * shortening;  // work, and a quarter of it as heat
  }
  return rate;
}

}  // namespace stunt
