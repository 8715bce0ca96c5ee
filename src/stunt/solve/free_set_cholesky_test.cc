#include "stunt/solve/free_set_cholesky.h"

#include <vector>

#include <gtest/gtest.h>
#include <Eigen/Cholesky>

#include "qp_problems.h"

namespace stunt {
namespace {

// The factor after an update must solve as Eigen's does from scratch.
void expect_same_solution(const FreeSetCholesky& factor, const MatX& H, const std::vector<char>& is_free,
                          Random& random) {
  const int size = factor.size();
  MatX sub(size, size);
  std::vector<char> seen(is_free.size(), 0);
  for (int i = 0; i < size; ++i) {
    seen[static_cast<std::size_t>(factor.variable(i))] = 1;
    for (int j = 0; j < size; ++j) sub(i, j) = H(factor.variable(i), factor.variable(j));
  }
  ASSERT_EQ(seen, is_free);
  VecX solution = VecX::Zero(H.rows());
  solution.head(size) = random_vector(random, size);
  const VecX expected = sub.llt().solve(solution.head(size));
  factor.solve(solution.data());
  EXPECT_LT((solution.head(size) - expected).norm(), 1e-9 * (1.0 + expected.norm()));
}

TEST(FreeSetCholesky, FollowsRandomChangesOfTheFreeSet) {
  Random random(1);
  FreeSetCholesky factor;
  for (const int n : {4, 8, 20, 52, 100}) {  // multiples of 4: no padding needed for the matrix given
    const MatX root = random_matrix(random, n, n);
    const MatX H = root * root.transpose() + MatX::Identity(n, n);
    factor.resize(n);
    std::vector<char> is_free(static_cast<std::size_t>(n), 1);
    for (int round = 0; round < 200; ++round) {
      ASSERT_TRUE(factor.update(H.data(), n, is_free));
      expect_same_solution(factor, H, is_free, random);
      const double part = round % 10 == 0 ? 0.5 : 0.05;
      for (char& flag : is_free) {
        if (random.uniform() < part) flag = !flag;
      }
    }
  }
}

TEST(FreeSetCholesky, EmptySetAndRefusalOfSingularMatrices) {
  Random random(2);
  const MatX root = random_matrix(random, 8, 3);
  const MatX H = root * root.transpose();  // rank 3
  FreeSetCholesky factor;
  factor.resize(8);
  std::vector<char> is_free(8, 0);
  EXPECT_TRUE(factor.update(H.data(), 8, is_free));
  EXPECT_EQ(factor.size(), 0);
  is_free[1] = is_free[4] = is_free[6] = 1;
  EXPECT_TRUE(factor.update(H.data(), 8, is_free));
  expect_same_solution(factor, H, is_free, random);
  is_free[0] = 1;
  EXPECT_FALSE(factor.update(H.data(), 8, is_free));
  is_free[0] = 0;  // usable again after a refusal
  EXPECT_TRUE(factor.update(H.data(), 8, is_free));
  expect_same_solution(factor, H, is_free, random);
}

TEST(FreeSetCholesky, AddColumnsIsAProduct) {
  Random random(3);
  for (const int count : {0, 1, 3, 4, 7, 12}) {
    const MatX H = random_matrix(random, 12, 12);
    const VecX factors = random_vector(random, 12);
    VecX out = random_vector(random, 12);
    std::vector<int> columns(12);
    VecX expected = out;
    for (int k = 0; k < count; ++k) {
      columns[static_cast<std::size_t>(k)] = (5 * k) % 12;
      expected += H.col((5 * k) % 12) * factors[k];
    }
    add_columns(H.data(), 12, 12, columns.data(), factors.data(), count, out.data());
    EXPECT_LT((out - expected).norm(), 1e-12);
  }
}

}  // namespace
}  // namespace stunt
