#include "stunt/solve/qp.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "malloc_counter.h"
#include "random_matrix.h"
#include "stunt/core/random.h"

namespace stunt {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// A dense box QP with a wide spectrum. `rank` < n makes H singular.
struct BoxProblem {
  MatX H;
  VecX g, lower, upper;
  QpProblem problem() const { return {.H = H, .g = g, .lower = lower, .upper = upper}; }
};
BoxProblem random_box_problem(Random& random, int n, int rank, double log10_condition) {
  MatX factor = random_matrix(random, rank, n);
  for (int i = 0; i < rank; ++i) factor.row(i) *= std::pow(10.0, -0.5 * log10_condition * random.uniform());
  BoxProblem box{factor.transpose() * factor, random_vector(random, n), VecX(n), VecX(n)};
  if (rank >= n) box.H += std::pow(10.0, -log10_condition) * MatX::Identity(n, n);
  for (int i = 0; i < n; ++i) {
    box.lower[i] = random.normal() - 1.0;
    box.upper[i] = box.lower[i] + std::abs(random.normal());
  }
  return box;
}

double cost(const QpProblem& problem, const VecX& x) {
  return 0.5 * x.dot(problem.H.selfadjointView<Eigen::Lower>() * x) + problem.g.dot(x);
}

double scale(const QpProblem& problem, const VecX& x) {
  const VecX Hx = problem.H.selfadjointView<Eigen::Lower>() * x;
  return std::max(Hx.cwiseAbs().maxCoeff(), problem.g.cwiseAbs().maxCoeff());
}

// The first-order conditions, which for a convex problem prove the minimum.
void expect_minimum(const QpProblem& problem, const QpResult& result, double tolerance) {
  ASSERT_EQ(result.status, QpStatus::solved) << to_string(result.status);
  const QpResiduals error = residuals(problem, result);
  const double allowed = tolerance * std::max(1e-3, scale(problem, result.x));
  EXPECT_LE(error.primal, tolerance * (1.0 + result.x.cwiseAbs().maxCoeff()));
  EXPECT_LE(error.stationarity, allowed);
  EXPECT_LE(error.complementarity, allowed);
}

TEST(ProxQp, MinimumOfThousandsOfRandomProblems) {
  Random random(11);
  const auto solver = make_proxqp_solver();
  for (int trial = 0; trial < 2000; ++trial) {
    const int n = 1 + static_cast<int>(random.next() % 40);
    const BoxProblem box = random_box_problem(random, n, n + 2, random.uniform(0.0, 4.0));
    const QpResult& result = solver->solve(box.problem());
    expect_minimum(box.problem(), result, 1e-6);
    if (trial % 10 != 0) continue;
    // A guess changes the way, not the destination.
    const VecX x = result.x;
    const VecX guess = x + 0.1 * random_vector(random, n);
    const QpResult& again = solver->solve(box.problem(), &guess);
    ASSERT_EQ(again.status, QpStatus::solved);
    EXPECT_NEAR(cost(box.problem(), again.x), cost(box.problem(), x),
                1e-6 * (1.0 + std::abs(cost(box.problem(), x))));
  }
}

TEST(ProxQp, SingularMatrices) {
  Random random(13);
  const auto solver = make_proxqp_solver();
  for (int trial = 0; trial < 300; ++trial) {
    const int n = 2 + static_cast<int>(random.next() % 20);
    BoxProblem box = random_box_problem(random, n, 1 + n / 2, 2.0);
    if (trial % 2 == 0) {  // a variable twice over
      box.H.row(1) = box.H.row(0);
      box.H.col(1) = box.H.col(0);
      box.H(1, 1) = box.H(0, 0);
      box.g[1] = box.g[0];
    }
    expect_minimum(box.problem(), solver->solve(box.problem()), 1e-6);
  }
}

TEST(ProxQp, MultipliersThatAreZeroAtActiveBounds) {
  // The unconstrained minimum lies exactly on the bounds.
  Random random(14);
  const auto solver = make_proxqp_solver();
  for (int trial = 0; trial < 200; ++trial) {
    const int n = 1 + static_cast<int>(random.next() % 30);
    BoxProblem box = random_box_problem(random, n, n + 2, 3.0);
    const VecX corner = box.lower;
    box.g = -box.H * corner;
    const QpResult& result = solver->solve(box.problem());
    expect_minimum(box.problem(), result, 1e-6);
    EXPECT_LT((result.x - corner).norm(), 1e-3 * (1.0 + corner.norm()));
  }
}

TEST(ProxQp, ReadsTheLowerTriangleAndBlocksOfLargerMatrices) {
  Random random(16);
  const BoxProblem box = random_box_problem(random, 13, 15, 3.0);
  const auto solver = make_proxqp_solver();
  const VecX expected = solver->solve(box.problem()).x;
  MatX large = MatX::Constant(30, 40, kNaN);
  large.block(5, 3, 13, 13) = box.H;
  large.block(5, 3, 13, 13).triangularView<Eigen::StrictlyUpper>().setConstant(kNaN);
  const QpResult& result =
      solver->solve({.H = large.block(5, 3, 13, 13), .g = box.g, .lower = box.lower, .upper = box.upper});
  ASSERT_EQ(result.status, QpStatus::solved);
  EXPECT_LT((result.x - expected).norm(), 1e-5);
}

TEST(ProxQp, StopsAtItsLimits) {
  Random random(17);
  const BoxProblem box = random_box_problem(random, 60, 62, 6.0);
  const auto solver = make_proxqp_solver();
  solver->options.max_iterations = 1;
  EXPECT_EQ(solver->solve(box.problem()).status, QpStatus::iteration_limit);
  solver->options = {};
  solver->options.time_limit = 10.0;  // in rounds
  EXPECT_EQ(solver->solve(box.problem()).status, QpStatus::solved);
}

TEST(ProxQp, AllocatesLittleForTheSameSize) {
  if (!mallocs_can_be_counted()) GTEST_SKIP() << "the sanitizer owns malloc";
  Random random(18);
  const auto solver = make_proxqp_solver();
  const BoxProblem first = random_box_problem(random, 40, 42, 3.0);
  VecX guess = solver->solve(first.problem()).x;
  guess = solver->solve(first.problem(), &guess).x;
  for (int trial = 0; trial < 20; ++trial) {
    const BoxProblem box = random_box_problem(random, 40, 42, 3.0);
    const QpProblem problem = box.problem();
    const long before = malloc_count();
    solver->solve(problem, &guess);
    EXPECT_LE(malloc_count() - before, 3);
  }
}

TEST(Qp, RefusesWhatIsNotAProblem) {
  const MatX H = MatX::Identity(2, 2);
  const VecX g = VecX::Ones(2), low = VecX::Zero(2), short_vector = VecX::Zero(1);
  MatX bad_H = H;
  bad_H(1, 0) = kNaN;
  VecX bad_g = g, bad_bound = low;
  bad_g[0] = kInfinity;
  bad_bound[1] = kNaN;
  const VecX minus_one = VecX::Constant(2, -1.0), infinite = VecX::Constant(2, kInfinity);
  const auto solver = make_proxqp_solver();
  EXPECT_EQ(solver->solve({.H = bad_H, .g = g}).status, QpStatus::numerical);
  EXPECT_EQ(solver->solve({.H = H, .g = bad_g}).status, QpStatus::numerical);
  EXPECT_EQ(solver->solve({.H = H, .g = g, .lower = bad_bound}).status, QpStatus::numerical);
  EXPECT_EQ(solver->solve({.H = H, .g = g}, &bad_g).status, QpStatus::numerical);
  EXPECT_EQ(solver->solve({.H = H, .g = g, .lower = low, .upper = minus_one}).status, QpStatus::infeasible);
  EXPECT_EQ(solver->solve({.H = H, .g = g, .lower = infinite}).status, QpStatus::infeasible);
  EXPECT_THROW(solver->solve({.H = H, .g = short_vector}), std::invalid_argument);
  EXPECT_THROW(solver->solve({.H = H, .g = g, .lower = short_vector}), std::invalid_argument);
  EXPECT_EQ(solver->solve({.H = MatX(0, 0), .g = VecX(0)}).status, QpStatus::solved);
  // Nothing of that lingers.
  const QpResult& result = solver->solve({.H = H, .g = g, .lower = low});
  ASSERT_EQ(result.status, QpStatus::solved);
  EXPECT_LT(result.x.norm(), 1e-7);
}

TEST(ProxQp, EqualitiesAndRows) {
  Random random(21);
  const auto solver = make_proxqp_solver();
  for (int trial = 0; trial < 200; ++trial) {
    const int n = 6 + static_cast<int>(random.next() % 20);
    const BoxProblem box = random_box_problem(random, n, n + 2, 2.0);
    const VecX inside = 0.5 * (box.lower + box.upper);  // feasible by construction
    const MatX A = random_matrix(random, 2, n), C = random_matrix(random, 3, n);
    const VecX b = A * inside, l = C * inside - VecX::Constant(3, 0.1),
               u = C * inside + VecX::Constant(3, 0.2);
    const QpProblem problem{.H = box.H,
                            .g = box.g,
                            .A = A,
                            .b = b,
                            .C = C,
                            .l = l,
                            .u = u,
                            .lower = box.lower,
                            .upper = box.upper};
    expect_minimum(problem, solver->solve(problem), 1e-6);
  }
}

TEST(ProxQp, TellsInfeasible) {
  // x1 + x2 = 5 inside the unit square.
  const MatX H = MatX::Identity(2, 2), A = MatX::Ones(1, 2);
  const VecX g = VecX::Zero(2), b = VecX::Constant(1, 5.0), low = VecX::Zero(2), high = VecX::Ones(2);
  const auto solver = make_proxqp_solver();
  const QpProblem problem{.H = H, .g = g, .A = A, .b = b, .lower = low, .upper = high};
  EXPECT_EQ(solver->solve(problem).status, QpStatus::infeasible);
}

}  // namespace
}  // namespace stunt
