#include "stunt/reference/cleanup/path_solver.h"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "stunt/core/random.h"

namespace stunt {
namespace {

// Each square of the header's sum is a row of a dense least-squares problem.
TEST(PathSolver, SolvesItsLeastSquaresProblem) {
  const int n = 25;
  const double rate = 30, w = 1e-3;
  Random random(2);
  std::vector<PathGoal> goals;
  VecX path(n), acceleration(n), target(n);
  for (int i = 0; i < n; ++i) {
    goals.push_back(
        {random.uniform(0, 5), random.uniform(-1, 1), random.uniform(-0.1, 0.1), random.uniform(0.5, 9)});
    path[i] = random.uniform(-1, 1);
    acceleration[i] = random.uniform(-10, 10);
    target[i] = random.uniform(-1, 1);
  }
  MatX A = MatX::Zero(3 * n, n);
  VecX b(3 * n);
  for (int i = 0; i < n; ++i) {
    VecX second = VecX::Zero(n);
    const int middle = std::clamp(i, 1, n - 2);
    second.segment<3>(middle - 1) << 1, -2, 1;
    second *= rate * rate;
    VecX unit = VecX::Zero(n);
    unit[i] = 1;
    const double s = std::sqrt(goals[i].weight);
    A.row(3 * i) = std::sqrt(goals[i].near) * unit;
    A.row(3 * i + 1) = std::sqrt(w) * second;
    A.row(3 * i + 2) = s * (goals[i].alpha * unit - goals[i].beta * second);
    b.segment<3>(3 * i) << std::sqrt(goals[i].near) * path[i], std::sqrt(w) * acceleration[i], s * target[i];
  }
  const VecX dense = A.colPivHouseholderQr().solve(b);
  const VecX found = PathSolver(goals, rate, w).solve(path, acceleration, target);
  EXPECT_LT((found - dense).norm(), 1e-8 * dense.norm());
}

}  // namespace
}  // namespace stunt
