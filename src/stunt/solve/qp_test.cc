#include "stunt/solve/qp.h"

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "malloc_counter.h"
#include "qp_problems.h"
#include "stunt/solve/box_qp.h"

namespace stunt {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<std::unique_ptr<QpSolver>> both_solvers() {
  std::vector<std::unique_ptr<QpSolver>> solvers;
  solvers.push_back(std::make_unique<BoxQpSolver>());
  solvers.push_back(make_proxqp_solver());
  return solvers;
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

TEST(BoxQp, MinimumOfThousandsOfRandomProblems) {
  Random random(11);
  BoxQpSolver solver;
  for (int trial = 0; trial < 3000; ++trial) {
    const int n = 1 + static_cast<int>(random.next() % 40);
    const BoxProblem box = random_box_problem(random, n, n + 2, random.uniform(0.0, 8.0));
    const QpResult& result = solver.solve(box.problem());
    expect_minimum(box.problem(), result, 1e-8);
    EXPECT_EQ(residuals(box.problem(), result).primal, 0.0);
    // A guess changes the way, not the destination.
    const VecX x = result.x;
    const VecX guess = x + 0.1 * random_vector(random, n);
    const QpResult& again = solver.solve(box.problem(), &guess);
    ASSERT_EQ(again.status, QpStatus::solved);
    EXPECT_NEAR(cost(box.problem(), again.x), cost(box.problem(), x),
                1e-9 * (1.0 + std::abs(cost(box.problem(), x))));
  }
}

TEST(BoxQp, AgreesWithProxQp) {
  Random random(12);
  BoxQpSolver own;
  const auto judge = make_proxqp_solver();
  for (int trial = 0; trial < 300; ++trial) {
    const int n = 1 + static_cast<int>(random.next() % 30);
    const BoxProblem box = random_box_problem(random, n, n + 2, 4.0);
    const QpResult& a = own.solve(box.problem());
    const QpResult& b = judge->solve(box.problem());
    expect_minimum(box.problem(), b, 1e-6);
    ASSERT_EQ(a.status, QpStatus::solved);
    EXPECT_LT((a.x - b.x).norm(), 1e-4 * (1.0 + a.x.norm())) << "n = " << n;
    EXPECT_NEAR(cost(box.problem(), a.x), cost(box.problem(), b.x),
                1e-5 * (1.0 + std::abs(cost(box.problem(), a.x))));
  }
}

TEST(BoxQp, PlanLikeSequencesWithContactsThatComeAndGo) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    PlanSequence sequence(seed, 35, 6, 0.03, true);
    BoxQpSolver warm, cold;
    const auto judge = make_proxqp_solver();
    VecX last = cold.solve(sequence.problem()).x;
    long iterations = 0;
    for (int step = 0; step < 100; ++step) {
      sequence.next();
      const VecX guess = sequence.guess(last);
      const QpResult& result = warm.solve(sequence.problem(), &guess);
      expect_minimum(sequence.problem(), result, 1e-8);
      iterations += result.iterations;
      last = result.x;
      const QpResult& from_nothing = cold.solve(sequence.problem());
      ASSERT_EQ(from_nothing.status, QpStatus::solved);
      EXPECT_LT((from_nothing.x - last).norm(), 1e-5 * (1.0 + last.norm()));
      if (step % 20 == 0) {
        const QpResult& judged = judge->solve(sequence.problem(), &guess);
        ASSERT_EQ(judged.status, QpStatus::solved);
        EXPECT_LE(cost(sequence.problem(), last),
                  cost(sequence.problem(), judged.x) + 1e-6 * std::abs(cost(sequence.problem(), last)));
      }
    }
    EXPECT_LT(iterations, 100 * 10) << "the guess of the step before should save most of the work";
    EXPECT_LT(iterations, cold.counts().factorisations);
  }
}

TEST(BoxQp, SingularMatrices) {
  Random random(13);
  BoxQpSolver solver;
  for (int trial = 0; trial < 500; ++trial) {
    const int n = 2 + static_cast<int>(random.next() % 20);
    BoxProblem box = random_box_problem(random, n, 1 + n / 2, 2.0);
    if (trial % 2 == 0) {  // a variable twice over
      box.H.row(1) = box.H.row(0);
      box.H.col(1) = box.H.col(0);
      box.H(1, 1) = box.H(0, 0);
      box.g[1] = box.g[0];
    }
    expect_minimum(box.problem(), solver.solve(box.problem()), 1e-7);
  }
  EXPECT_GT(solver.counts().proximal, 100);
}

TEST(BoxQp, ZeroMatrixGoesToTheCorner) {
  const MatX H = MatX::Zero(3, 3);
  const Vec3 g(1.0, -2.0, 0.0), low(-1.0, -1.0, -1.0), high(4.0, 5.0, 6.0);
  BoxQpSolver solver;
  const QpResult& result = solver.solve({.H = H, .g = g, .lower = low, .upper = high});
  ASSERT_EQ(result.status, QpStatus::solved);
  EXPECT_EQ(result.x[0], -1.0);
  EXPECT_EQ(result.x[1], 5.0);
}

TEST(BoxQp, MultipliersThatAreZeroAtActiveBounds) {
  // The unconstrained minimum lies exactly on the bounds.
  Random random(14);
  BoxQpSolver solver;
  for (int trial = 0; trial < 500; ++trial) {
    const int n = 1 + static_cast<int>(random.next() % 30);
    BoxProblem box = random_box_problem(random, n, n + 2, 3.0);
    const VecX corner = box.lower;
    box.g = -box.H * corner;
    const QpResult& result = solver.solve(box.problem());
    expect_minimum(box.problem(), result, 1e-8);
    EXPECT_LT((result.x - corner).norm(), 1e-6 * (1.0 + corner.norm()));
  }
}

TEST(BoxQp, FixedVariablesAndHugeAndAbsentBounds) {
  Random random(15);
  BoxQpSolver solver;
  for (int trial = 0; trial < 300; ++trial) {
    const int n = 3 + static_cast<int>(random.next() % 30);
    BoxProblem box = random_box_problem(random, n, n + 2, 4.0);
    for (int i = 0; i < n; i += 3) box.upper[i] = box.lower[i];
    for (int i = 1; i < n; i += 3) {
      box.lower[i] = i % 2 == 0 ? -1e30 : -kInfinity;
      box.upper[i] = i % 2 == 0 ? 1e30 : kInfinity;
    }
    const QpResult& result = solver.solve(box.problem());
    expect_minimum(box.problem(), result, 1e-8);
    for (int i = 0; i < n; i += 3) EXPECT_EQ(result.x[i], box.lower[i]);
    const QpResult& free = solver.solve({.H = box.H, .g = box.g});
    EXPECT_LT((free.x + box.H.ldlt().solve(box.g)).norm(), 1e-7 * free.x.norm());
  }
}

TEST(BoxQp, OneVariable) {
  BoxQpSolver solver;
  const MatX H = MatX::Constant(1, 1, 2.0);
  const VecX g = VecX::Constant(1, -4.0);  // minimum at 2
  for (const auto& [low, high, expected] : {std::array{-1.0, 1.0, 1.0}, {3.0, 4.0, 3.0}, {0.0, 5.0, 2.0}}) {
    const VecX lower = VecX::Constant(1, low), upper = VecX::Constant(1, high);
    const QpResult& result = solver.solve({.H = H, .g = g, .lower = lower, .upper = upper});
    ASSERT_EQ(result.status, QpStatus::solved);
    EXPECT_DOUBLE_EQ(result.x[0], expected);
    EXPECT_NEAR(result.w[0], 4.0 - 2.0 * expected, 1e-14);  // 2x - 4 + w = 0
  }
}

TEST(BoxQp, ReadsTheLowerTriangleAndBlocksOfLargerMatrices) {
  Random random(16);
  const BoxProblem box = random_box_problem(random, 13, 15, 3.0);
  BoxQpSolver solver;
  const VecX expected = solver.solve(box.problem()).x;
  MatX large = MatX::Constant(30, 40, kNaN);
  large.block(5, 3, 13, 13) = box.H;
  large.block(5, 3, 13, 13).triangularView<Eigen::StrictlyUpper>().setConstant(kNaN);
  for (const auto& any : both_solvers()) {
    const QpResult& result =
        any->solve({.H = large.block(5, 3, 13, 13), .g = box.g, .lower = box.lower, .upper = box.upper});
    ASSERT_EQ(result.status, QpStatus::solved);
    EXPECT_LT((result.x - expected).norm(), 1e-5);
  }
}

TEST(BoxQp, DifficultProblemsNeverHang) {
  // Condition numbers far beyond what double precision can resolve, and indefinite matrices: any status may
  // come, but it comes soon and x stays inside the box.
  Random random(17);
  BoxQpSolver solver;
  for (int trial = 0; trial < 300; ++trial) {
    const int n = 2 + static_cast<int>(random.next() % 40);
    BoxProblem box = random_box_problem(random, n, n + 2, 20.0);
    if (trial % 3 == 0) box.H -= 0.1 * MatX::Identity(n, n);
    const QpResult& result = solver.solve(box.problem());
    EXPECT_LE(result.iterations, solver.options.max_iterations + 2);
    EXPECT_TRUE((result.x.array() >= box.lower.array()).all() || result.status == QpStatus::numerical);
  }
  const MatX indefinite = -MatX::Identity(3, 3);
  const VecX g = VecX::Ones(3);
  EXPECT_EQ(solver.solve({.H = indefinite, .g = g}).status, QpStatus::numerical);
  // Unbounded: nothing holds the third variable.
  MatX flat = MatX::Identity(3, 3);
  flat(2, 2) = 0.0;
  EXPECT_EQ(solver.solve({.H = flat, .g = g}).status, QpStatus::iteration_limit);
}

TEST(BoxQp, StopsAtItsLimits) {
  PlanSequence sequence(3, 38, 28, 0.02, false);
  BoxQpSolver solver;
  ASSERT_GT(solver.solve(sequence.problem()).iterations, 2);
  solver.options.max_iterations = 1;
  EXPECT_EQ(solver.solve(sequence.problem()).status, QpStatus::iteration_limit);
  solver.options = {};
  solver.options.time_limit = 0.0;
  EXPECT_EQ(solver.solve(sequence.problem()).status, QpStatus::time_limit);
  const auto prox = make_proxqp_solver();
  prox->options.max_iterations = 1;
  EXPECT_EQ(prox->solve(sequence.problem()).status, QpStatus::iteration_limit);
  prox->options = {};
  prox->options.time_limit = 10.0;  // in rounds
  const QpResult& in_rounds = prox->solve(sequence.problem());
  EXPECT_EQ(in_rounds.status, QpStatus::solved);
}

TEST(BoxQp, SameBitsEveryTime) {
  PlanSequence sequence(4, 35, 8, 0.02, false);
  BoxQpSolver first, second;
  for (int step = 0; step < 20; ++step) {
    const VecX a = first.solve(sequence.problem()).x;
    for (int i = 0; i < step % 3; ++i)
      second.solve(sequence.problem());  // what was solved before must not matter
    const VecX b = second.solve(sequence.problem()).x;
    EXPECT_TRUE((a.array() == b.array()).all());
    sequence.next();
  }
}

TEST(BoxQp, AllocatesOnlyForANewSize) {
  if (!mallocs_can_be_counted()) GTEST_SKIP() << "the sanitizer owns malloc";
  for (const auto& solver : both_solvers()) {
    PlanSequence sequence(5, 35, 6, 0.03, false);
    VecX guess = solver->solve(sequence.problem()).x;
    guess = solver->solve(sequence.problem(), &guess).x;
    long allocations = 0;
    for (int step = 0; step < 20; ++step) {
      sequence.next();
      const QpProblem problem = sequence.problem();
      const long before = malloc_count();
      const QpResult& result = solver->solve(problem, &guess);
      allocations += malloc_count() - before;
      guess = result.x;
    }
    const bool own = dynamic_cast<BoxQpSolver*>(solver.get()) != nullptr;
    EXPECT_LE(allocations, own ? 0 : 20 * 3) << (own ? "own" : "ProxQP");
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
  for (const auto& solver : both_solvers()) {
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
  BoxQpSolver box;
  EXPECT_THROW(box.solve({.H = H, .g = g, .A = H, .b = g}), std::invalid_argument);
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
