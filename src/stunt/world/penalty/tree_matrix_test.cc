// Against Eigen's dense Cholesky on the same matrix.
#include "stunt/world/penalty/tree_matrix.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/test_scenes.h"

namespace stunt {
namespace {

TEST(TreeMatrix, SolvesAsADenseFactorisationDoes) {
  // Two characters and two free bodies: a forest, and bodies whose own mass matrix is diagonal.
  const auto scene = test::compile_yaml(
      "actors: [{name: a, motion: x}, {name: b, motion: x}]\n"
      "objects: [{name: crate, position: [0, 0, 3]}, {name: ball, shape: sphere, position: [0, 0, 5]}]");
  const mjModel& m = *scene->model;
  DataPtr data(mj_makeData(&m));
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (int i = 0; i < m.nv; ++i) data->qvel[i] = normal(random);
  mj_integratePos(&m, data->qpos, data->qvel, 0.5);
  mj_fwdPosition(&m, data.get());

  TreeMatrix matrix(m);
  matrix.set_mass(*data);
  Eigen::MatrixXd dense(m.nv, m.nv);
  mj_fullM(&m, data.get(), dense.data());  // symmetric: rows and columns are the same
  for (int dof = 0; dof < m.nv; ++dof) {
    matrix.add_diagonal(dof, 0.1 * dof);
    dense(dof, dof) += 0.1 * dof;
  }
  const int last = static_cast<int>(m.nv) - 1;
  for (const int end : {last, last / 2, 9, 2}) {
    const auto chain = matrix.chain(end);
    EXPECT_EQ(chain.back(), end);
    const int n = static_cast<int>(chain.size()), stride = TreeMatrix::padded(n);
    std::vector<double> rows(static_cast<std::size_t>(3 * stride), 0.0);
    Eigen::MatrixXd jacobian = Eigen::MatrixXd::Zero(3, m.nv);
    for (int r = 0; r < 3; ++r) {
      for (int a = 0; a < n; ++a) {
        jacobian(r, chain[static_cast<std::size_t>(a)]) = normal(random);
        rows[static_cast<std::size_t>(r * stride + a)] = jacobian(r, chain[static_cast<std::size_t>(a)]);
      }
    }
    const double weight[3] = {20, 3, 0.5};
    matrix.add_three_rows(end, rows.data(), weight);
    dense += jacobian.transpose() * Vec3(20, 3, 0.5).asDiagonal() * jacobian;
  }
  const double axis[3] = {0.3, -0.5, 0.8};
  matrix.add_block(6, axis, 7);
  dense.block<3, 3>(6, 6) += 7 * vec3(axis) * vec3(axis).transpose();

  Eigen::VectorXd right = Eigen::VectorXd::NullaryExpr(m.nv, [&] { return normal(random); });
  const Eigen::VectorXd expected = dense.llt().solve(right);
  matrix.factor();
  matrix.solve(right.data());
  EXPECT_LT((right - expected).norm(), 1e-10 * expected.norm());
}

}  // namespace
}  // namespace stunt
