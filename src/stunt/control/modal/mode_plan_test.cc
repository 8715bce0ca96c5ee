#include "stunt/control/modal/mode_plan.h"

#include <gtest/gtest.h>

#include <vector>

#include <Eigen/QR>

namespace stunt {
namespace {

TEST(ModePlan, IsTheDenseLeastSquaresSolution) {
  for (const Mode& mode : {Mode{0, 0}, Mode{40, 0}, Mode{90, 3}, Mode{500, 80}}) {
    for (const int n : {1, 2, 12, 36}) {
      const ModePlanWeights weights{.position = 0.5, .velocity = 2, .impulse = 5e-3};
      const ModeState gap{0.13, -0.8};
      std::vector<ModeResponse> responses;
      for (int k = 1; k <= n; ++k) responses.push_back(mode.response(k / 120.0));
      // Rows: sqrt(w_4) p_n, sqrt(w_5) p_n', sqrt(w_6) I_k.
      Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n + 2, n);
      Eigen::VectorXd b = Eigen::VectorXd::Zero(n + 2);
      for (int k = 0; k < n; ++k) {
        A(0, k) = std::sqrt(weights.position) * responses[k].a;
        A(1, k) = std::sqrt(weights.velocity) * responses[k].a_dot;
        A(2 + k, k) = std::sqrt(weights.impulse);
      }
      b[0] = std::sqrt(weights.position) * gap.p;
      b[1] = std::sqrt(weights.velocity) * gap.v;
      const Eigen::VectorXd dense = A.colPivHouseholderQr().solve(b);
      const ModePlan plan = plan_mode(responses, gap, weights);
      for (int k = 0; k < n; ++k) EXPECT_NEAR(plan.impulse(responses[k]), dense[k], 1e-9);
    }
  }
}

}  // namespace
}  // namespace stunt
