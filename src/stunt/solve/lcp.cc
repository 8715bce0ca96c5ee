#include "stunt/solve/lcp.h"

#include <algorithm>
#include <cmath>

namespace stunt {
namespace {

constexpr double kTiny = 1e-11;   // relative: a coefficient that counts as zero in the tableau
constexpr double kSlack = 1e-9;   // relative: by which a guess may miss z >= 0 and w >= 0
constexpr double kLoose = 1e-6;   // and what a walk may leave
constexpr double kRidge = 1e-8;   // of the largest diagonal entry
constexpr double kTilt = 1.3e-3;  // of the covering vector: no two of its entries are alike, so ties are rare

}  // namespace

std::string to_string(LcpStatus status) {
  switch (status) {
    case LcpStatus::solved:
      return "solved";
    case LcpStatus::none:
      return "no solution";
    case LcpStatus::pivot_limit:
      return "too many pivots";
  }
  return "";
}

LcpSolver::LcpSolver(int most) { make_room(most); }

void LcpSolver::make_room(int n) {
  if (n <= w_.size() && n > 0) return;
  tableau_.resize(n, n + 2);
  system_.resize(n, n + 1);
  basic_.resize(n);
  other_.resize(n + 1);
  chosen_.reserve(n);
  w_.resize(n);
}

LcpStatus LcpSolver::solve(const Eigen::Ref<const MatX>& M, const Eigen::Ref<const VecX>& q,
                           Eigen::Ref<VecX> z) {
  const int n = static_cast<int>(q.size());
  pivots_ = 0;
  if (n == 0) return LcpStatus::solved;
  make_room(n);
  if (!q.allFinite() || !M.allFinite()) return LcpStatus::pivot_limit;
  chosen_.clear();
  for (int i = 0; i < n; ++i) {
    if (z[i] > 0) chosen_.push_back(i);
  }
  if (solve_for(M, q, z, kSlack)) return LcpStatus::solved;
  LcpStatus status = walk(M, q, 0);
  if (status != LcpStatus::solved) status = walk(M, q, kRidge * M.diagonal().cwiseAbs().maxCoeff());
  if (status != LcpStatus::solved) {
    z.setZero();
    return status;
  }
  chosen_.clear();
  for (int row = 0; row < n; ++row) {
    if (basic_[row] >= n && basic_[row] < 2 * n) chosen_.push_back(basic_[row] - n);
  }
  if (solve_for(M, q, z, kLoose)) return LcpStatus::solved;
  // The columns of the choice depend on each other: the tableau itself has a solution.
  z.setZero();
  for (int row = 0; row < n; ++row) {
    if (basic_[row] >= n && basic_[row] < 2 * n) z[basic_[row] - n] = std::max(tableau_(row, n + 1), 0.0);
  }
  return LcpStatus::solved;
}

// z of the chosen ones from w = 0, all others zero: M_cc z_c = -q_c, by elimination with row exchanges. Whether that is a
// solution of the whole problem.
bool LcpSolver::solve_for(const Eigen::Ref<const MatX>& M, const Eigen::Ref<const VecX>& q,
                          Eigen::Ref<VecX> z, double slack) {
  const int n = static_cast<int>(q.size()), m = static_cast<int>(chosen_.size());
  auto system = system_.topLeftCorner(m, m + 1);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < m; ++j) system(i, j) = M(chosen_[i], chosen_[j]);
    system(i, m) = -q[chosen_[i]];
  }
  const double size = m > 0 ? system.leftCols(m).cwiseAbs().maxCoeff() : 0;
  for (int k = 0; k < m; ++k) {
    int best;
    const double largest = system.col(k).segment(k, m - k).cwiseAbs().maxCoeff(&best);
    if (!(largest > 1e-14 * size)) return false;
    if (best != 0) system.row(k).tail(m + 1 - k).swap(system.row(k + best).tail(m + 1 - k));
    for (int i = k + 1; i < m; ++i) {
      const double factor = system(i, k) / system(k, k);
      if (factor != 0) system.row(i).tail(m - k) -= factor * system.row(k).tail(m - k);
    }
  }
  for (int k = m - 1; k >= 0; --k) {
    double sum = system(k, m);
    for (int j = k + 1; j < m; ++j) sum -= system(k, j) * system(j, m);
    system(k, m) = sum / system(k, k);
  }
  double scale = 0;
  for (int k = 0; k < m; ++k) scale = std::max(scale, std::abs(system(k, m)));
  w_.head(n) = q;
  for (int k = 0; k < m; ++k) {
    if (system(k, m) < -slack * scale) return false;
    w_.head(n) += system(k, m) * M.col(chosen_[k]);
  }
  if (w_.head(n).minCoeff() < -slack * q.cwiseAbs().maxCoeff()) return false;
  z.setZero();
  for (int k = 0; k < m; ++k) z[chosen_[k]] = std::max(system(k, m), 0.0);
  return true;
}

// In the tableau each basic variable is a constant (the last column) plus a row times the other variables, which are zero.
// The covering variable enters w = M z + q + d z_0 so that all are feasible; then the partner of whatever left enters, until
// z_0 leaves.
LcpStatus LcpSolver::walk(const Eigen::Ref<const MatX>& M, const Eigen::Ref<const VecX>& q, double ridge) {
  const int n = static_cast<int>(q.size()), cover = 2 * n, most_pivots = 20 * n + 100;
  auto T = tableau_.topLeftCorner(n, n + 2);
  T.leftCols(n) = M;
  T.leftCols(n).diagonal().array() += ridge;
  T.col(n + 1) = q;
  for (int i = 0; i < n; ++i) {
    T(i, n) = 1 + kTilt * std::fmod(0.6180339887498949 * (i + 1), 1.0);
    basic_[i] = i;
    other_[i] = n + i;
  }
  other_[n] = cover;

  int row = 0, column = n;
  for (int i = 1; i < n; ++i) {
    if (q[i] / T(i, n) < q[row] / T(row, n)) row = i;
  }
  if (q[row] >= 0) return LcpStatus::solved;
  for (;;) {
    const int left = basic_[row];
    std::swap(basic_[row], other_[column]);
    pivot(n, row, column);
    ++pivots_;
    if (left == cover) return LcpStatus::solved;
    if (pivots_ >= most_pivots) return LcpStatus::pivot_limit;
    // Its partner enters next.
    const int partner = left < n ? left + n : left - n;
    column = static_cast<int>(std::find(other_.begin(), other_.begin() + n + 1, partner) - other_.begin());
    row = -1;
    double least = 0;
    const double tiny = kTiny * (1 + T.col(column).cwiseAbs().maxCoeff());
    for (int i = 0; i < n; ++i) {
      if (!(T(i, column) < -tiny)) continue;
      const double ratio = std::max(T(i, n + 1), 0.0) / -T(i, column);
      // Among equals the covering variable leaves, else the one with the largest coefficient.
      const bool equal = row >= 0 && std::abs(ratio - least) <= 1e-13 * (1 + least);
      if (row < 0 || (equal ? basic_[row] != cover && (basic_[i] == cover || T(i, column) < T(row, column))
                            : ratio < least)) {
        row = i;
        least = ratio;
      }
    }
    if (row < 0) return LcpStatus::none;
  }
}

void LcpSolver::pivot(int n, int row, int column) {
  auto T = tableau_.topLeftCorner(n, n + 2);
  const double inverse = 1 / T(row, column);
  T.row(row) *= -inverse;
  T(row, column) = inverse;
  for (int i = 0; i < n; ++i) {
    if (i == row) continue;
    const double factor = T(i, column);
    if (factor == 0) continue;
    T(i, column) = 0;
    T.row(i) += factor * T.row(row);
  }
}

}  // namespace stunt
