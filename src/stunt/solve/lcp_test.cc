#include "stunt/solve/lcp.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "malloc_counter.h"
#include "random_matrix.h"
#include "stunt/core/random.h"
#include "stunt/solve/qp.h"

namespace stunt {
namespace {

// Positive definite, and not symmetric where asked.
MatX definite(Random& random, int n, double skew) {
  const MatX A = random_matrix(random, n, n), B = random_matrix(random, n, n);
  return A * A.transpose() + 0.1 * MatX::Identity(n, n) + skew * (B - B.transpose());
}

// All solutions with distinct supports, by trying each support.
std::vector<VecX> enumerated(const MatX& M, const VecX& q) {
  const int n = static_cast<int>(q.size());
  std::vector<VecX> solutions;
  for (int support = 0; support < (1 << n); ++support) {
    std::vector<int> in;
    for (int i = 0; i < n; ++i) {
      if (support & (1 << i)) in.push_back(i);
    }
    VecX z = VecX::Zero(n);
    if (!in.empty()) {
      const Eigen::FullPivLU<MatX> lu(M(in, in));
      if (!lu.isInvertible()) continue;
      z(in) = lu.solve(-q(in));
    }
    if (z.minCoeff() >= -1e-10 && (M * z + q).minCoeff() >= -1e-10) solutions.push_back(z);
  }
  return solutions;
}

void expect_solution(const MatX& M, const VecX& q, const VecX& z, double tolerance) {
  const VecX w = M * z + q;
  const double scale = 1 + q.cwiseAbs().maxCoeff();
  EXPECT_GE(z.minCoeff(), 0);
  EXPECT_GE(w.minCoeff(), -tolerance * scale);
  EXPECT_LE(w.cwiseProduct(z).cwiseAbs().maxCoeff(), tolerance * scale * (1 + z.maxCoeff()));
}

// Contact of `points` points of one body with a friction pyramid of `sides` sides (Stewart and Trinkle): per point a normal
// impulse, one along each side, and the sliding speed.
struct ContactProblem {
  MatX M;
  VecX q;
};
ContactProblem contact(Random& random, int points, int sides, int freedoms, double friction) {
  const int per = sides + 2, n = points * per;
  const MatX J = random_matrix(random, 3 * points, freedoms);
  MatX rows = MatX::Zero(n, freedoms), G = MatX::Zero(n, n);
  for (int i = 0; i < points; ++i) {
    rows.row(per * i) = J.row(3 * i);
    for (int s = 0; s < sides; ++s) {
      const double angle = 2 * kPi * s / sides;
      rows.row(per * i + 1 + s) = std::cos(angle) * J.row(3 * i + 1) + std::sin(angle) * J.row(3 * i + 2);
      G(per * i + 1 + s, per * i + per - 1) = 1;
      G(per * i + per - 1, per * i + 1 + s) = -1;
    }
    G(per * i + per - 1, per * i) = friction;
  }
  return {rows * rows.transpose() + G, rows * random_vector(random, freedoms)};
}

TEST(Lcp, FindsWhatEnumerationFinds) {
  Random random(1);
  LcpSolver solver(8);
  for (int trial = 0; trial < 300; ++trial) {
    const int n = 1 + trial % 8;
    const MatX M = definite(random, n, trial % 2 ? 0.7 : 0.0);
    const VecX q = random_vector(random, n);
    const std::vector<VecX> all = enumerated(M, q);
    ASSERT_EQ(all.size(), 1u);  // positive definite: exactly one
    VecX z = VecX::Zero(n);
    ASSERT_EQ(solver.solve(M, q, z), LcpStatus::solved);
    EXPECT_LT((z - all[0]).norm(), 1e-9 * (1 + all[0].norm()));
    // Told the solution, it walks nowhere.
    ASSERT_EQ(solver.solve(M, q, z), LcpStatus::solved);
    EXPECT_EQ(solver.pivots(), 0);
    EXPECT_LT((z - all[0]).norm(), 1e-9 * (1 + all[0].norm()));
  }
}

TEST(Lcp, OfOneContactWithFrictionIsAmongThoseThatEnumerationFinds) {
  Random random(2);
  LcpSolver solver;
  int pushing = 0, sliding = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const ContactProblem p = contact(random, 1, 6, 5, 0.5);
    VecX z = VecX::Zero(p.q.size());
    ASSERT_EQ(solver.solve(p.M, p.q, z), LcpStatus::solved);
    expect_solution(p.M, p.q, z, 1e-9);
    double nearest = 1e9;
    for (const VecX& other : enumerated(p.M, p.q)) nearest = std::min(nearest, (other - z).norm());
    EXPECT_LT(nearest, 1e-8);
    pushing += z[0] > 0;
    sliding += z[7] > 0;
  }
  EXPECT_GT(pushing, 20);
  EXPECT_GT(sliding, 5);
}

TEST(Lcp, OfASymmetricMatrixIsTheQuadraticProgram) {
  Random random(3);
  LcpSolver solver;
  for (const int n : {20, 60, 120}) {
    for (int trial = 0; trial < 5; ++trial) {
      const MatX M = definite(random, n, 0);
      const VecX q = 5 * random_vector(random, n);
      VecX z = VecX::Zero(n);
      ASSERT_EQ(solver.solve(M, q, z), LcpStatus::solved);
      expect_solution(M, q, z, 1e-9);
      auto proxqp = make_proxqp_solver();
      proxqp->options.tolerance = 1e-10;
      const VecX zero = VecX::Zero(n), far = VecX::Constant(n, 1e9);
      const QpResult& qp = proxqp->solve({.H = M, .g = q, .lower = zero, .upper = far});
      ASSERT_EQ(qp.status, QpStatus::solved);
      EXPECT_LT((z - qp.x).norm(), 1e-6 * (1 + z.norm())) << n;
    }
  }
}

TEST(Lcp, OfManyContactsWithFriction) {
  // More contacts than the body can tell apart: the matrix is singular, and still there is a solution.
  Random random(4);
  LcpSolver solver;
  for (int trial = 0; trial < 60; ++trial) {
    const ContactProblem p = contact(random, 8, trial % 2 ? 6 : 4, 12 + trial % 20, 0.8);
    VecX z = VecX::Zero(p.q.size());
    ASSERT_EQ(solver.solve(p.M, p.q, z), LcpStatus::solved) << trial;
    expect_solution(p.M, p.q, z, 1e-6);
  }
}

TEST(Lcp, SaysWhereThereIsNoSolution) {
  LcpSolver solver;
  MatX M(2, 2);
  M << 0, 1, -1, 0;
  VecX q(2), z = VecX::Zero(2);
  q << -1, -1;  // w_2 = -z_1 - 1 cannot be
  EXPECT_EQ(solver.solve(M, q, z), LcpStatus::none);
}

TEST(Lcp, AllocatesNothing) {
  Random random(5);
  LcpSolver solver(64);
  const ContactProblem p = contact(random, 8, 6, 30, 0.8);
  VecX z = VecX::Zero(64);
  if (!mallocs_can_be_counted()) GTEST_SKIP() << "the sanitizer owns malloc";
  const long before = malloc_count();
  solver.solve(p.M, p.q, z);
  EXPECT_EQ(malloc_count() - before, 0);
}

}  // namespace
}  // namespace stunt
