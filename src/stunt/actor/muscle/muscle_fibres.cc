#include "stunt/actor/muscle/muscle_fibres.h"

#include "stunt/actor/muscle/muscle_curves.h"

namespace stunt {
namespace {

constexpr int kMostNewtonSteps = 20;  // three or four are usual
constexpr double kSolved = 1e-6;      // F_max

// The balance of forces of one muscle as a function of its fibres' speed w.
struct Balance {
  double contractile;    // a f_L + f_PEE
  double strain, reach;  // of the tendon now, and what it loses at full lengthening speed
  double fibre, way;     // length now, and what it gains

  double value(double w) const {
    using namespace muscle_curves;
    return contractile * force_velocity(w) + kDamping * w - tendon(strain - reach * w) -
           buffer(fibre + way * w);
  }
  double slope(double w) const {
    using namespace muscle_curves;
    return contractile * force_velocity_slope(w) + kDamping +
           2 * std::max(strain - reach * w, 0.0) * reach / (kReference * kReference) +
           2 * std::max(kShortest - fibre - way * w, 0.0) * way / (0.25 * kWidth * kWidth);
  }
};

// Newton's method inside a bracket. The force-velocity curve has a kink at rest, so that is looked at first: on either side
// of it the balance is smooth.
double solve(const Balance& balance, double guess) {
  double low = -1, high = 0;
  if (balance.value(0) < 0) {
    low = 0;
    high = std::max({balance.strain / balance.reach, (muscle_curves::kShortest - balance.fibre) / balance.way,
                     0.0}) +
           0.01;
  }
  double w = std::clamp(guess, low, high);
  for (int i = 0; i < kMostNewtonSteps; ++i) {
    const double value = balance.value(w);
    if (std::abs(value) < kSolved) break;
    (value < 0 ? low : high) = w;
    const double next = w - value / balance.slope(w);
    w = next > low && next < high ? next : 0.5 * (low + high);
  }
  return w;
}

}  // namespace

MuscleFibres::MuscleFibres(std::span<const Muscle> muscles, double activation_rate)
    : activation_rate_(activation_rate) {
  const auto n = static_cast<Eigen::Index>(muscles.size());
  for (VecX* all : {&max_force_, &fibre_length_, &max_speed_, &slack_, &mass_}) all->resize(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Muscle& muscle = muscles[static_cast<std::size_t>(i)];
    max_force_[i] = muscle.max_force;
    fibre_length_[i] = muscle.fibre_length;
    max_speed_[i] = muscle.max_speed;
    slack_[i] = muscle.tendon_slack;
    mass_[i] = muscle_mass(muscle);
  }
}

MuscleState MuscleFibres::at_rest(const VecX& length, double activation) const {
  using namespace muscle_curves;
  MuscleState state;
  state.activation = VecX::Constant(size(), std::max(activation, kLeastActivation));
  state.fibre = state.speed = state.force = VecX::Zero(size());
  for (int i = 0; i < size(); ++i) {
    // A tendon pulls less the longer the fibres are. What they pull may rise and fall again: bisection finds one balance.
    double low = 0.1, high = std::max(length[i] / fibre_length_[i], 0.2);
    const auto excess = [&](double fibre) {
      return tendon((length[i] - fibre * fibre_length_[i] - slack_[i]) / slack_[i]) + buffer(fibre) -
             state.activation[i] * force_length(fibre) - parallel(fibre);
    };
    for (int k = 0; k < 60; ++k) {
      const double middle = 0.5 * (low + high);
      (excess(middle) > 0 ? low : high) = middle;
    }
    state.fibre[i] = low;
    state.force[i] = max_force_[i] * tendon((length[i] - low * fibre_length_[i] - slack_[i]) / slack_[i]);
  }
  return state;
}

void MuscleFibres::step(const VecX& excitation, const VecX& length, double timestep,
                        MuscleState& state) const {
  using namespace muscle_curves;
  const double follow = 1 - std::exp(-activation_rate_ * timestep);
  for (int i = 0; i < size(); ++i) {
    double& a = state.activation[i];
    a += follow * (std::clamp(excitation[i], 0.0, 1.0) - a);
    a = std::max(a, kLeastActivation);
    const double fibre = state.fibre[i], way = timestep * max_speed_[i];
    const double reach = way * fibre_length_[i] / slack_[i];
    const double strain = (length[i] - fibre * fibre_length_[i] - slack_[i]) / slack_[i];
    const double speed =
        solve({a * force_length(fibre) + parallel(fibre), strain, reach, fibre, way}, state.speed[i]);
    state.speed[i] = speed;
    state.fibre[i] = fibre + way * speed;
    state.force[i] = max_force_[i] * tendon(strain - reach * speed);
  }
}

}  // namespace stunt
