#include "stunt/reference/cleanup/path_solver.h"

#include <algorithm>
#include <utility>

namespace stunt {

PathSolver::PathSolver(std::vector<PathGoal> goals, double rate_hz, double acceleration_weight)
    : goals_(std::move(goals)),
      second_{rate_hz * rate_hz, -2 * (rate_hz * rate_hz), rate_hz * rate_hz},
      acceleration_weight_(acceleration_weight) {
  const int n = static_cast<int>(goals_.size());
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(static_cast<std::size_t>(n) * 10);
  for (int i = 0; i < n; ++i) {
    const auto& [weight, alpha, beta, near] = goals_[i];
    const int first = first_of(i);
    double mixed[3];  // the row of alpha c - beta c''
    for (int k = 0; k < 3; ++k) mixed[k] = -beta * second_[k];
    mixed[i - first] += alpha;
    entries.emplace_back(i, i, near);
    for (int a = 0; a < 3; ++a) {
      for (int b = 0; b < 3; ++b) {
        entries.emplace_back(first + a, first + b,
                             acceleration_weight_ * second_[a] * second_[b] + weight * mixed[a] * mixed[b]);
      }
    }
  }
  Eigen::SparseMatrix<double> normal(n, n);
  normal.setFromTriplets(entries.begin(), entries.end());
  factored_.compute(normal);
}

VecX PathSolver::solve(const VecX& path, const VecX& acceleration, const VecX& target) const {
  VecX right = VecX::Zero(path.size());
  for (int i = 0; i < right.size(); ++i) {
    const auto& [weight, alpha, beta, near] = goals_[i];
    const int first = first_of(i);
    for (int k = 0; k < 3; ++k) {
      right[first + k] +=
          acceleration_weight_ * second_[k] * acceleration[i] - weight * beta * second_[k] * target[i];
    }
    right[i] += near * path[i] + weight * alpha * target[i];
  }
  return factored_.solve(right);
}

int PathSolver::first_of(int frame) const {
  return std::clamp(frame, 1, static_cast<int>(goals_.size()) - 2) - 1;
}

}  // namespace stunt
