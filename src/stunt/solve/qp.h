// One interface for convex quadratic programs, whoever solves them:
//
//   minimise  1/2 x'Hx + g'x   subject to   A x = b,   l <= C x <= u,   lower <= x <= upper
//
// First-order conditions, which fix the signs of the multipliers in QpResult:
//
//   H x + g + A'y + C'z + w = 0;   z_i (w_i) >= 0 at the upper side, <= 0 at the lower side, 0 in between.
#pragma once

#include <limits>
#include <memory>
#include <string>

#include <Eigen/Core>

#include "stunt/core/rotation.h"

namespace stunt {

// Views of the caller's matrices; nothing is copied, and a view must not outlive what it looks at. Blocks of
// larger matrices are fine, so a caller whose problem grows and shrinks can keep one buffer of the largest
// size. Limits may be infinite. What is left out is absent: QpProblem{.H = H, .g = g, .lower = low, .upper =
// high}.
struct QpProblem {
  using Matrix = Eigen::Ref<const MatX>;
  using Vector = Eigen::Ref<const VecX>;
  Matrix H;               // n x n, positive semidefinite; only the lower triangle is read
  Vector g;               // n
  Matrix A = MatX();      // equalities x n
  Vector b = VecX();      // equalities
  Matrix C = MatX();      // rows x n
  Vector l = VecX();      // rows
  Vector u = VecX();      // rows
  Vector lower = VecX();  // n, or absent for no lower bounds
  Vector upper = VecX();  // n, or absent for no upper bounds

  int variables() const { return static_cast<int>(g.size()); }
  int equalities() const { return static_cast<int>(b.size()); }
  int rows() const { return static_cast<int>(l.size()); }
};

enum class QpStatus {
  solved,           // both residuals are within the tolerance
  infeasible,       // no x meets the constraints (for a bound: lower > upper)
  iteration_limit,  // x is the best found so far; unbounded problems end here too
  time_limit,       // x is the best found so far
  numerical  // a number of the problem is not finite, H is not positive semidefinite, or rounding won; do not
             // use x
};
std::string to_string(QpStatus status);

struct QpOptions {
  double tolerance = 1e-8;  // on the residuals, relative to the largest entry of the terms that should cancel
  int max_iterations = 1000;
  double time_limit = std::numeric_limits<double>::infinity();  // s, per solve
};

struct QpResult {
  QpStatus status = QpStatus::numerical;
  VecX x;                      // n
  VecX y, z, w;                // multipliers of equalities, rows and bounds
  double primal_residual = 0;  // largest violation of a constraint
  double dual_residual = 0;    // largest entry of H x + g + A'y + C'z + w
  int iterations = 0;          // inner ones
  double microseconds = 0;     // wall clock of the solve
};

// A solver with its workspaces: after the first solve of a size, further solves of that size do not allocate
// (ProxQP makes a temporary copy or two inside, which cannot be helped from here). One solver per thread. The
// same problem and guess give the same bits (unless the time limit strikes).
class QpSolver {
 public:
  virtual ~QpSolver() = default;
  // `guess` (n, optional) is where to start: typically the solution of the problem one step earlier, mapped
  // by the caller when variables came or went. The result is valid until the next solve. Throws
  // std::invalid_argument when sizes do not match or the solver cannot take this kind of constraint.
  virtual const QpResult& solve(const QpProblem& problem, const VecX* guess = nullptr) = 0;

  QpOptions options;
};

// Any convex QP; proximal augmented Lagrangian (Bambade et al. 2022, ProxQP).
std::unique_ptr<QpSolver> make_proxqp_solver();

// What a solver has to check first. Throws std::invalid_argument on sizes; returns numerical for a number
// that is not finite, infeasible for limits that cross, solved when there is nothing to object to.
QpStatus check_problem(const QpProblem& problem, const VecX* guess);

// How far x and the multipliers of a result are from meeting the first-order conditions. An independent
// yardstick for tests; allocates.
struct QpResiduals {
  double primal;           // largest violation of a constraint
  double stationarity;     // largest entry of H x + g + A'y + C'z + w
  double complementarity;  // largest multiplier of a wrong sign, or times its distance from its limit
};
QpResiduals residuals(const QpProblem& problem, const QpResult& result);

}  // namespace stunt
