#include "stunt/solve/qp.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace stunt {
namespace {

void expect_size(const char* name, Eigen::Index rows, Eigen::Index cols, Eigen::Index expected_rows,
                 Eigen::Index expected_cols) {
  if (rows != expected_rows || cols != expected_cols) {
    throw std::invalid_argument(
        fmt::format("QP: {} is {} x {}, expected {} x {}", name, rows, cols, expected_rows, expected_cols));
  }
}

bool finite_lower_triangle(const QpProblem::Matrix& H) {
  for (Eigen::Index j = 0; j < H.cols(); ++j) {
    if (!H.col(j).tail(H.rows() - j).allFinite()) return false;
  }
  return true;
}

// Limits may be infinite, but only outwards.
QpStatus check_limits(const QpProblem::Vector& low, const QpProblem::Vector& high) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (low.hasNaN() || high.hasNaN()) return QpStatus::numerical;
  for (const double value : low) {
    if (value == infinity) return QpStatus::infeasible;
  }
  for (const double value : high) {
    if (value == -infinity) return QpStatus::infeasible;
  }
  if (low.size() > 0 && high.size() > 0 && (low.array() > high.array()).any()) return QpStatus::infeasible;
  return QpStatus::solved;
}

// Both limits of one quantity: its violation, and how badly its multiplier fits to where it stands.
void add_limit(double value, double multiplier, double low, double high, QpResiduals& worst) {
  worst.primal = std::max({worst.primal, low - value, value - high});
  const double distance = multiplier > 0.0 ? high - value : value - low;
  if (multiplier == 0.0) return;
  worst.complementarity =
      std::max(worst.complementarity, std::abs(multiplier) * std::min(1.0, std::abs(distance)));
}

}  // namespace

std::string to_string(QpStatus status) {
  switch (status) {
    case QpStatus::solved:
      return "solved";
    case QpStatus::infeasible:
      return "infeasible";
    case QpStatus::iteration_limit:
      return "iteration limit";
    case QpStatus::time_limit:
      return "time limit";
    case QpStatus::numerical:
      return "numerical";
  }
  return "unknown";
}

QpStatus check_problem(const QpProblem& problem, const VecX* guess) {
  const Eigen::Index n = problem.g.size();
  expect_size("H", problem.H.rows(), problem.H.cols(), n, n);
  if (problem.b.size() > 0 || problem.A.size() > 0) {
    expect_size("A", problem.A.rows(), problem.A.cols(), problem.b.size(), n);
  }
  if (problem.l.size() > 0 || problem.C.size() > 0) {
    expect_size("C", problem.C.rows(), problem.C.cols(), problem.l.size(), n);
    expect_size("u", problem.u.size(), 1, problem.l.size(), 1);
  }
  if (problem.lower.size() > 0) expect_size("lower", problem.lower.size(), 1, n, 1);
  if (problem.upper.size() > 0) expect_size("upper", problem.upper.size(), 1, n, 1);
  if (guess != nullptr) expect_size("the guess", guess->size(), 1, n, 1);

  if (!finite_lower_triangle(problem.H) || !problem.g.allFinite() || !problem.A.allFinite() ||
      !problem.b.allFinite() || !problem.C.allFinite() || (guess != nullptr && !guess->allFinite())) {
    return QpStatus::numerical;
  }
  const QpStatus bounds = check_limits(problem.lower, problem.upper);
  return bounds != QpStatus::solved ? bounds : check_limits(problem.l, problem.u);
}

QpResiduals residuals(const QpProblem& problem, const QpResult& result) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  QpResiduals worst{0.0, 0.0, 0.0};
  VecX stationarity = problem.H.selfadjointView<Eigen::Lower>() * result.x;
  stationarity += problem.g;
  if (problem.equalities() > 0) {
    worst.primal = (problem.A * result.x - problem.b).cwiseAbs().maxCoeff();
    stationarity += problem.A.transpose() * result.y;
  }
  if (problem.rows() > 0) {
    const VecX value = problem.C * result.x;
    for (int i = 0; i < problem.rows(); ++i)
      add_limit(value[i], result.z[i], problem.l[i], problem.u[i], worst);
    stationarity += problem.C.transpose() * result.z;
  }
  for (int i = 0; i < problem.variables(); ++i) {
    const double low = problem.lower.size() > 0 ? problem.lower[i] : -infinity;
    const double high = problem.upper.size() > 0 ? problem.upper[i] : infinity;
    add_limit(result.x[i], result.w[i], low, high, worst);
  }
  stationarity += result.w;
  if (stationarity.size() > 0) worst.stationarity = stationarity.cwiseAbs().maxCoeff();
  return worst;
}

}  // namespace stunt
