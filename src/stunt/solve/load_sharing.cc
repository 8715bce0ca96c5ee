#include "stunt/solve/load_sharing.h"

#include <cassert>
#include <cmath>

namespace stunt {
namespace {

constexpr int kMostSteps = 60;
constexpr double kTolerance = 1e-9;  // of the largest load
constexpr double kArmijo = 1e-4;

}  // namespace

LoadSharing::LoadSharing(int loads, double overload, double reserve)
    : overload_(overload),
      reserve_cost_(reserve * reserve),
      first_{0},
      multiplier_(Eigen::VectorXd::Zero(loads)),
      trial_(loads),
      step_(loads),
      gradient_(loads),
      reserve_(Eigen::VectorXd::Zero(loads)),
      hessian_(loads, loads),
      factor_(loads) {}

void LoadSharing::set_pullers(std::vector<int> first, std::vector<Entry> entries) {
  assert(first.back() == static_cast<int>(entries.size()));
  first_ = std::move(first);
  entries_ = std::move(entries);
  share_.setZero(size());
  slope_.setZero(size());
}

// psi; leaves shares, their slopes and the gradient of psi.
double LoadSharing::evaluate(const Eigen::VectorXd& multiplier, const Eigen::VectorXd& loads) {
  double psi = reserve_cost_ / 4 * multiplier.squaredNorm() - loads.dot(multiplier);
  gradient_ = reserve_cost_ / 2 * multiplier - loads;
  for (int i = 0; i < size(); ++i) {
    double gain = 0;
    for (int k = first_[i]; k < first_[i + 1]; ++k) gain += entries_[k].value * multiplier[entries_[k].load];
    share_[i] = slope_[i] = 0;
    if (!(gain >= 0)) continue;  // at 0, where the search begins, everybody may pull
    const bool over = gain > 2;
    const double a = over ? (gain + 2 * overload_) / (2 + 2 * overload_) : gain / 2;
    share_[i] = a;
    slope_[i] = over ? 1 / (2 + 2 * overload_) : 0.5;
    psi += gain * a - a * a - (over ? overload_ * (a - 1) * (a - 1) : 0);
    for (int k = first_[i]; k < first_[i + 1]; ++k) gradient_[entries_[k].load] += a * entries_[k].value;
  }
  return psi;
}

int LoadSharing::solve(const Eigen::VectorXd& loads) {
  assert(loads.size() == multiplier_.size());
  const double tolerance = kTolerance * (1 + loads.cwiseAbs().maxCoeff());
  double psi = evaluate(multiplier_, loads);
  int steps = 0;
  bool done = gradient_.cwiseAbs().maxCoeff() <= tolerance;
  while (!done && steps < kMostSteps) {
    ++steps;
    hessian_.setZero();
    hessian_.diagonal().setConstant(reserve_cost_ / 2);
    for (int i = 0; i < size(); ++i) {
      if (slope_[i] == 0) continue;
      for (int k = first_[i]; k < first_[i + 1]; ++k) {
        const double value = slope_[i] * entries_[k].value;
        for (int l = first_[i]; l < first_[i + 1]; ++l)
          hessian_(entries_[l].load, entries_[k].load) += value * entries_[l].value;
      }
    }
    factor_.compute(hessian_);
    step_ = factor_.solve(gradient_);
    const double expected = gradient_.dot(step_);
    if (!(expected > 0)) break;
    double length = 1, next = 0;
    for (;; length /= 2) {
      trial_ = multiplier_ - length * step_;
      next = evaluate(trial_, loads);
      // Near the end psi no longer tells: its differences are rounding.
      if (next <= psi - kArmijo * length * expected || length < 1e-6 ||
          gradient_.cwiseAbs().maxCoeff() <= tolerance)
        break;
    }
    multiplier_.swap(trial_);
    psi = next;
    done = gradient_.cwiseAbs().maxCoeff() <= tolerance;
  }
  reserve_ = reserve_cost_ / 2 * multiplier_;
  return done ? steps : -steps;
}

}  // namespace stunt
