#include "stunt/solve/box_qp.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace stunt {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kPatience = 3;  // rounds of exchanges without progress before the monotone method takes over
constexpr int kProximalRounds = 100;
constexpr double kProximalShift = 1e-10;  // of the largest diagonal entry of H
constexpr double kRounding = 1e-13;       // of the largest term of the gradient: what may be noise in it
constexpr double kNoise = 1e-15;          // of the cost: no progress
constexpr double kTouch = 1e-9;           // a guess this near to a bound (relative) rests on it
constexpr int kCorrections = 2;           // Newton steps against rounding errors at the end
constexpr double kSufficient = 0.01;      // part of the linear decrease that a projected step must bring

}  // namespace

const QpResult& BoxQpSolver::solve(const QpProblem& problem, const VecX* guess) {
  start_ = std::chrono::steady_clock::now();
  if (problem.equalities() > 0 || problem.rows() > 0) {
    throw std::invalid_argument("BoxQpSolver: found equalities or rows, expected bounds only");
  }
  ++counts_.solves;
  n_ = problem.variables();
  result_.iterations = 0;
  result_.primal_residual = result_.dual_residual = 0.0;
  result_.x.setZero(n_);
  result_.w.setZero(n_);
  result_.status = check_problem(problem, guess);
  if (result_.status == QpStatus::solved && n_ > 0) {
    prepare(problem, guess);
    finish(minimise());
    if (result_.status == QpStatus::numerical) finish(minimise_by_proximal_rounds());
  }
  result_.microseconds =
      std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start_).count();
  return result_;
}

// Copies the problem into padded arrays and decides where to start.
void BoxQpSolver::prepare(const QpProblem& problem, const VecX* guess) {
  padded_ = (n_ + 3) / 4 * 4;
  const auto n = static_cast<std::size_t>(n_), padded = static_cast<std::size_t>(padded_);
  H_.assign(padded * padded, 0.0);
  for (auto* vector : {&g_, &x_, &gradient_, &trial_gradient_, &step_, &trial_}) vector->assign(padded, 0.0);
  for (auto* vector : {&lower_, &upper_, &center_}) vector->assign(n, 0.0);
  is_free_.assign(n, 1);
  refused_.assign(n, 0);
  changed_.resize(n);
  factor_.resize(n_);
  shift_ = 0.0;

  for (int j = 0; j < n_; ++j) {
    const double* from = problem.H.data() + j * problem.H.outerStride();
    for (int i = j; i < n_; ++i) H_[i + j * padded_] = H_[j + i * padded_] = from[i];
  }
  for (int i = 0; i < n_; ++i) {
    g_[i] = problem.g[i];
    lower_[i] = problem.lower.size() > 0 ? problem.lower[i] : -kInfinity;
    upper_[i] = problem.upper.size() > 0 ? problem.upper[i] : kInfinity;
    double x = guess != nullptr ? (*guess)[i] : 0.0;
    if (x <= lower_[i] + kTouch * std::max(1.0, std::abs(lower_[i]))) {
      x = lower_[i];
      is_free_[i] = 0;
    } else if (x >= upper_[i] - kTouch * std::max(1.0, std::abs(upper_[i]))) {
      x = upper_[i];
      is_free_[i] = 0;
    } else if (lower_[i] == upper_[i]) {
      is_free_[i] = 0;
    }
    x_[i] = x;
  }
  refresh_gradient();
  if (guess != nullptr) return;
  for (int i = 0; i < n_; ++i) {  // no guess: free what the gradient pulls inwards
    if (x_[i] == lower_[i] && gradient_[i] < 0.0 && lower_[i] < upper_[i]) is_free_[i] = 1;
    if (x_[i] == upper_[i] && gradient_[i] > 0.0 && lower_[i] < upper_[i]) is_free_[i] = 1;
  }
}

BoxQpSolver::Outcome BoxQpSolver::minimise() {
  const Outcome outcome = exchange_blocks();
  return outcome == Outcome::cycling ? descend() : outcome;
}

// x <- argmin 1/2 x'Hx + g'x + shift/2 |x - center|^2, with center the x before.
BoxQpSolver::Outcome BoxQpSolver::minimise_by_proximal_rounds() {
  ++counts_.proximal;
  double largest = 0.0, largest_g = 0.0;
  for (int i = 0; i < n_; ++i) {
    largest = std::max(largest, H_[i + i * padded_]);
    largest_g = std::max(largest_g, std::abs(g_[i]));
  }
  shift_ = kProximalShift * (largest > 0.0 ? largest : std::max(largest_g, 1e-100));
  for (int i = 0; i < n_; ++i) {
    H_[i + i * padded_] += shift_;
    x_[i] = center_[i] = std::clamp(x_[i], lower_[i], upper_[i]);
    g_[i] -= shift_ * center_[i];
  }
  factor_.clear();
  for (int round = 0; round < kProximalRounds; ++round) {
    refresh_gradient();
    const Outcome outcome = minimise();
    if (outcome != Outcome::optimal) return outcome;
    double moved = 0.0, scale = 0.0;
    for (int i = 0; i < n_; ++i) {
      moved = std::max(moved, std::abs(x_[i] - center_[i]));
      scale = std::max(scale, std::abs(g_[i] + shift_ * center_[i]));
    }
    if (shift_ * moved <= 0.1 * options.tolerance * scale) return Outcome::optimal;
    for (int i = 0; i < n_; ++i) {
      g_[i] -= shift_ * (x_[i] - center_[i]);
      center_[i] = x_[i];
    }
  }
  return Outcome::out_of_iterations;
}

BoxQpSolver::Outcome BoxQpSolver::exchange_blocks() {
  int fewest = n_ + 1, patience = kPatience;
  while (true) {
    if (result_.iterations >= options.max_iterations) return Outcome::out_of_iterations;
    if (out_of_time()) return Outcome::out_of_time;
    if (!factor()) return Outcome::not_definite;
    newton_step();
    add_step(1.0);

    int exchanges = 0, moves = 0;
    for (int i = 0; i < n_; ++i) {
      if (is_free_[i]) {
        if (x_[i] < lower_[i] || x_[i] > upper_[i]) {
          changed_[moves++] = i;
          ++exchanges;
        }
      } else if (inward_pressure(i) > 0.0) {
        is_free_[i] = 1;
        ++exchanges;
      }
    }
    if (exchanges == 0) return Outcome::optimal;
    if (exchanges < fewest) {
      fewest = exchanges;
      patience = kPatience;
    } else if (patience-- == 0) {
      return Outcome::cycling;
    }
    for (int k = 0; k < moves; ++k) {
      const int i = changed_[k];
      const double bound = x_[i] < lower_[i] ? lower_[i] : upper_[i];
      trial_[k] = bound - x_[i];
      x_[i] = bound;
      is_free_[i] = 0;
    }
    add_columns(H_.data(), padded_, padded_, changed_.data(), trial_.data(), moves, gradient_.data());
  }
}

BoxQpSolver::Outcome BoxQpSolver::descend() {
  ++counts_.monotone;
  for (int i = 0; i < n_; ++i) x_[i] = std::clamp(x_[i], lower_[i], upper_[i]);
  refresh_gradient();
  for (int i = 0; i < n_; ++i) {
    const bool rests =
        (x_[i] == lower_[i] && gradient_[i] >= 0.0) || (x_[i] == upper_[i] && gradient_[i] <= 0.0);
    is_free_[i] = !rests && lower_[i] < upper_[i];
  }
  double cost_at_release = kInfinity;
  while (true) {
    if (result_.iterations >= options.max_iterations) return Outcome::out_of_iterations;
    if (out_of_time()) return Outcome::out_of_time;
    if (!factor()) return Outcome::not_definite;
    newton_step();
    if (step_until_bounds()) continue;
    // The minimum of a face: release what presses inwards, all together while that pays.
    const double reached = cost();
    const bool progress = reached < cost_at_release - kNoise * std::abs(reached);
    if (progress) std::fill(refused_.begin(), refused_.end(), char{0});
    if (!(progress ? release_all() : release_one())) return Outcome::optimal;
    cost_at_release = reached;
  }
}

// Goes along the Newton step: all the way when no bound is met (returns false); else the projected step when
// it lowers the cost enough, else up to the first bound. The variables that met a bound are no longer free.
bool BoxQpSolver::step_until_bounds() {
  const int rows = factor_.size();
  double linear = 0.0, longest = 1.0;
  int blocking = -1;
  for (int row = 0; row < rows; ++row) {
    const int i = factor_.variable(row);
    const double to = std::clamp(x_[i] + step_[row], lower_[i], upper_[i]);
    if (to != x_[i] + step_[row]) {
      const double length = (to - x_[i]) / step_[row];
      if (blocking < 0 || length < longest) {
        blocking = row;
        longest = length;
      }
    }
    changed_[row] = i;
    trial_[row] = to - x_[i];
    linear += gradient_[i] * trial_[row];
  }
  if (blocking < 0) {
    add_step(1.0);
    refresh_gradient();
    return false;
  }
  std::copy(gradient_.begin(), gradient_.end(), trial_gradient_.begin());
  add_columns(H_.data(), padded_, padded_, changed_.data(), trial_.data(), rows, trial_gradient_.data());
  double curvature = 0.0;
  for (int row = 0; row < rows; ++row) {
    curvature += trial_[row] * (trial_gradient_[changed_[row]] - gradient_[changed_[row]]);
  }
  if (linear + 0.5 * curvature <= kSufficient * linear && linear < 0.0) {
    std::swap(gradient_, trial_gradient_);
    for (int row = 0; row < rows; ++row) {
      const int i = changed_[row];
      const double to = x_[i] + step_[row];
      x_[i] = std::clamp(to, lower_[i], upper_[i]);
      if (x_[i] != to) is_free_[i] = 0;
    }
  } else {
    add_step(longest);
    for (int row = 0; row < rows; ++row) {
      const int i = changed_[row];
      const bool met = row == blocking || x_[i] < lower_[i] || x_[i] > upper_[i];
      if (!met) continue;
      x_[i] = step_[row] < 0.0 ? lower_[i] : upper_[i];
      is_free_[i] = 0;
    }
  }
  return true;
}

// How hard a variable presses from its bound into the box; 0 for a free or fixed one, and for rounding
// errors.
double BoxQpSolver::inward_pressure(int i) const {
  if (is_free_[i] || lower_[i] == upper_[i]) return 0.0;
  const double pressure = x_[i] == lower_[i] ? -gradient_[i] : gradient_[i];
  return pressure > sign_tolerance_ ? pressure : 0.0;
}

bool BoxQpSolver::release_all() {
  bool any = false;
  for (int i = 0; i < n_; ++i) {
    if (inward_pressure(i) == 0.0) continue;
    is_free_[i] = 1;
    any = true;
  }
  return any;
}

// Releases the variable that lowers the cost most at first sight: pressure^2 / H(i, i). Not the same one
// twice without progress in between: there rounding errors decide.
bool BoxQpSolver::release_one() {
  int best = -1;
  double best_gain = 0.0;
  for (int i = 0; i < n_; ++i) {
    const double pressure = refused_[i] ? 0.0 : inward_pressure(i);
    const double gain =
        pressure * pressure / std::max(H_[i + i * padded_], std::numeric_limits<double>::min());
    if (gain > best_gain) {
      best = i;
      best_gain = gain;
    }
  }
  if (best < 0) return false;
  is_free_[best] = refused_[best] = 1;
  return true;
}

double BoxQpSolver::cost() const {
  double twice = 0.0;
  for (int i = 0; i < n_; ++i) twice += x_[i] * (gradient_[i] + g_[i]);
  return 0.5 * twice;
}

bool BoxQpSolver::factor() {
  ++result_.iterations;
  ++counts_.factorisations;
  return factor_.update(H_.data(), padded_, is_free_);
}

// step_ = -H(free, free)^-1 gradient(free), by row of the factor.
void BoxQpSolver::newton_step() {
  const int rows = factor_.size();
  for (int row = 0; row < rows; ++row) step_[row] = -gradient_[factor_.variable(row)];
  std::fill(step_.begin() + rows, step_.end(), 0.0);
  factor_.solve(step_.data());
}

void BoxQpSolver::add_step(double length) {
  const int rows = factor_.size();
  for (int row = 0; row < rows; ++row) {
    const int i = changed_[row] = factor_.variable(row);
    trial_[row] = length * step_[row];
    x_[i] += trial_[row];
  }
  add_columns(H_.data(), padded_, padded_, changed_.data(), trial_.data(), rows, gradient_.data());
}

// gradient_ = H x + g without the errors that updates leave behind.
void BoxQpSolver::refresh_gradient() {
  int count = 0;
  for (int i = 0; i < n_; ++i) {
    if (x_[i] == 0.0) continue;
    changed_[count] = i;
    trial_[count++] = x_[i];
  }
  std::fill(gradient_.begin(), gradient_.end(), 0.0);
  add_columns(H_.data(), padded_, padded_, changed_.data(), trial_.data(), count, gradient_.data());
  double largest = 0.0;
  for (int i = 0; i < n_; ++i) {
    largest = std::max({largest, std::abs(gradient_[i]), std::abs(g_[i])});
    gradient_[i] += g_[i];
  }
  scale_ = largest;
  sign_tolerance_ = kRounding * largest;
}

bool BoxQpSolver::out_of_time() const {
  return options.time_limit < kInfinity &&
         std::chrono::steady_clock::now() - start_ > std::chrono::duration<double>(options.time_limit);
}

// Measures what was reached on the problem itself, corrects rounding errors where that helps, and fills the
// result.
void BoxQpSolver::finish(Outcome outcome) {
  for (int attempt = 0;; ++attempt) {
    for (int i = 0; i < n_; ++i) x_[i] = std::clamp(x_[i], lower_[i], upper_[i]);
    refresh_gradient();
    double worst = 0.0;
    for (int i = 0; i < n_; ++i) {
      const double slope = gradient_[i] - shift_ * (x_[i] - center_[i]);
      const double least = x_[i] == upper_[i] ? -kInfinity : 0.0;  // what slope may be at this bound
      const double most = x_[i] == lower_[i] ? kInfinity : 0.0;
      const double allowed = std::clamp(slope, least, most);
      result_.x[i] = x_[i];
      result_.w[i] = -allowed;
      const double error = std::abs(slope - allowed);
      if (!(error <= worst)) worst = error;  // lets NaN through
    }
    result_.dual_residual = worst;
    if (worst <= options.tolerance * scale_ || outcome != Outcome::optimal || attempt == kCorrections) break;
    if (!factor()) break;
    newton_step();
    add_step(1.0);
  }
  if (result_.dual_residual <= options.tolerance * scale_) {
    result_.status = QpStatus::solved;
  } else if (outcome == Outcome::out_of_time) {
    result_.status = QpStatus::time_limit;
  } else if (outcome == Outcome::out_of_iterations) {
    result_.status = QpStatus::iteration_limit;
  } else {
    result_.status = QpStatus::numerical;
  }
}

}  // namespace stunt
