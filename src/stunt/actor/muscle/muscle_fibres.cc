#include "stunt/actor/muscle/muscle_fibres.h"

#include "stunt/actor/muscle/muscle_curves.h"

namespace stunt {
namespace {

constexpr int kMostNewtonSteps = 20;  // three or four are usual
constexpr double kSolved = 1e-6;      // F_max
constexpr int kLanes = 8;             // muscles at a time

using Lanes = Eigen::Array<double, kLanes, 1>;
using LaneFlags = Eigen::Array<bool, kLanes, 1>;

// The balance of forces of eight muscles as a function of their fibres' speeds w.
struct Balance {
  Lanes contractile;    // a f_L + f_PEE
  Lanes strain, reach;  // of the tendon now, and what it loses at full lengthening speed
  Lanes fibre, way;     // length now, and what it gains
};

// Newton's method inside a bracket. The force-velocity curve has a kink at rest, so that is looked at first: on either side
// of it the balance is smooth, and the curve is (1 + p x) / (1 + q x) of the speed without its sign, x.
Lanes solve(const Balance& balance, const Lanes& guess) {
  using namespace muscle_curves;
  constexpr double kTendon = 1 / (kReference * kReference), kBuffer = 4 / (kWidth * kWidth);
  constexpr double kLengthening = 7.56 * kCurvature;
  const Lanes at_rest = balance.contractile - kTendon * balance.strain.max(0.0).square() -
                        kBuffer * (kShortest - balance.fibre).max(0.0).square();
  const LaneFlags lengthens = at_rest < 0;
  const Lanes sign = lengthens.select(Lanes::Constant(1), -1.0);
  const Lanes p = lengthens.select(Lanes::Constant(kEccentric * kLengthening + kEccentric - 1), -1.0);
  const Lanes q = lengthens.select(Lanes::Constant(kLengthening), kCurvature);
  const Lanes longest =
      (balance.strain / balance.reach).max((kShortest - balance.fibre) / balance.way).max(0.0) + 0.01;
  Lanes low = lengthens.select(Lanes::Zero(), -1.0), high = lengthens.select(longest, 0.0);
  Lanes w = guess.max(low).min(high);
  for (int i = 0; i < kMostNewtonSteps; ++i) {
    const Lanes x = sign * w, inverse = (1 + q * x).inverse();
    const Lanes stretch = (balance.strain - balance.reach * w).max(0.0);
    const Lanes squeeze = (kShortest - balance.fibre - balance.way * w).max(0.0);
    const Lanes value = balance.contractile * (1 + p * x) * inverse + kDamping * w -
                        kTendon * stretch.square() - kBuffer * squeeze.square();
    const LaneFlags open = value.abs() >= kSolved;
    if (!open.any()) break;
    const Lanes slope = balance.contractile * sign * (p - q) * inverse.square() + kDamping +
                        2 * kTendon * stretch * balance.reach + 2 * kBuffer * squeeze * balance.way;
    low = (value < 0).select(w, low);
    high = (value < 0).select(high, w);
    const Lanes next = w - value / slope;
    const Lanes inside = (next > low && next < high).select(next, 0.5 * (low + high));
    w = open.select(inside, w);
  }
  return w;
}

// Eight neighbouring numbers of a vector from `first` on; `beyond` where it has ended.
Lanes load(const VecX& from, int first, double beyond) {
  const int count = static_cast<int>(from.size()) - first;
  if (count >= kLanes) return Eigen::Map<const Lanes>(from.data() + first);
  Lanes lanes = Lanes::Constant(beyond);
  std::copy_n(from.data() + first, count, lanes.data());
  return lanes;
}
void store(const Lanes& lanes, int first, VecX& to) {
  std::copy_n(lanes.data(), std::min<int>(kLanes, static_cast<int>(to.size()) - first), to.data() + first);
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
  for (int i = 0; i < size(); i += kLanes) {
    const Lanes slack = load(slack_, i, 1), fibre_length = load(fibre_length_, i, 1);
    const Lanes fibre = load(state.fibre, i, 1), way = timestep * load(max_speed_, i, 1);
    Lanes a = load(state.activation, i, 0);
    a += follow * (load(excitation, i, 0).max(0.0).min(1.0) - a);
    a = a.max(kLeastActivation);
    const Lanes strain = (load(length, i, 2) - fibre * fibre_length - slack) / slack;
    const Lanes off = (fibre - 1).abs() / kWidth, over = (fibre - 1).max(0.0) / kWidth;
    const Lanes contractile = a * (kFallOff * off.cube()).exp() + over.square();
    const Lanes reach = way * fibre_length / slack;
    const Lanes speed = solve({contractile, strain, reach, fibre, way}, load(state.speed, i, 0));
    store(a, i, state.activation);
    store(speed, i, state.speed);
    store(fibre + way * speed, i, state.fibre);
    store(load(max_force_, i, 1) * ((strain - reach * speed).max(0.0) / kReference).square(), i, state.force);
  }
}

}  // namespace stunt
