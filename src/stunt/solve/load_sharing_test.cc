// Against ProxQP on the same problem, and against cases that can be solved by hand.
#include "stunt/solve/load_sharing.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "stunt/solve/qp.h"

namespace stunt {
namespace {

// One load, two pullers of strength 10 and 20: a_i in proportion to d_i while nobody is at the end of its strength.
TEST(LoadSharing, TwoPullersShareByTheirStrength) {
  LoadSharing sharing(1, 100, 1e-3);
  sharing.set_pullers({0, 1, 2}, {{0, 10}, {0, 20}});
  sharing.solve(Eigen::VectorXd::Constant(1, 15));
  EXPECT_NEAR(sharing.share()[0], 15 * 10 / 500.0, 1e-6);
  EXPECT_NEAR(sharing.share()[1], 15 * 20 / 500.0, 1e-6);
  // Nobody can push: a load the other way is left to the reserve.
  sharing.solve(Eigen::VectorXd::Constant(1, -15));
  EXPECT_EQ(sharing.share().norm(), 0);
  EXPECT_NEAR(sharing.reserve()[0], -15, 1e-9);
}

TEST(LoadSharing, AsPrintedTheStrongestIsAskedForTooMuchBeforeTheOthersAre) {
  const Eigen::VectorXd load = Eigen::VectorXd::Constant(1, 27);
  LoadSharing printed(1, 0, 1e-3), bounded(1, 1000, 1e-3);
  for (LoadSharing* sharing : {&printed, &bounded}) {
    sharing->set_pullers({0, 1, 2}, {{0, 10}, {0, 20}});
    sharing->solve(load);
    EXPECT_NEAR(10 * sharing->share()[0] + 20 * sharing->share()[1], 27, 1e-4);
  }
  EXPECT_NEAR(printed.share()[1], 27 * 20 / 500.0, 1e-6);  // 1.08 of its strength
  EXPECT_LT(bounded.share()[1], 1.002);
  EXPECT_NEAR(bounded.share()[0], 0.7, 0.01);
}

TEST(LoadSharing, AgreesWithProxQpAndStartsWhereItEnded) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  constexpr int kLoads = 12, kPullers = 60;
  constexpr double kOverload = 50, kReserve = 0.5;
  std::vector<int> first{0};
  std::vector<LoadSharing::Entry> entries;
  Eigen::MatrixXd D = Eigen::MatrixXd::Zero(kLoads, kPullers);
  for (int i = 0; i < kPullers; ++i) {
    for (int k = 0; k < 3; ++k) {
      const int load = (i + 4 * k) % kLoads;
      D(load, i) = 10 * normal(random);
      entries.push_back({load, D(load, i)});
    }
    first.push_back(static_cast<int>(entries.size()));
  }
  LoadSharing sharing(kLoads, kOverload, kReserve);
  sharing.set_pullers(first, entries);
  Eigen::VectorXd t(kLoads);
  for (double& value : t) value = 15 * normal(random);
  for (int frame = 0; frame < 20; ++frame) {
    for (double& value : t) value += 2 * normal(random);
    const int steps = sharing.solve(t);
    EXPECT_GE(steps, 0);
    EXPECT_LE(steps, frame == 0 ? 25 : 12);
    // x = (a, excess e, r): a^2 + W e^2 + r^2 / rho^2, a - e <= 1.
    const int n = 2 * kPullers + kLoads;
    Eigen::VectorXd weight(n);
    weight << Eigen::VectorXd::Constant(kPullers, 2), Eigen::VectorXd::Constant(kPullers, 2 * kOverload),
        Eigen::VectorXd::Constant(kLoads, 2 / (kReserve * kReserve));
    const MatX H = weight.asDiagonal();
    MatX A = MatX::Zero(kLoads, n), C = MatX::Zero(kPullers, n);
    A << D, MatX::Zero(kLoads, kPullers), MatX::Identity(kLoads, kLoads);
    C << MatX::Identity(kPullers, kPullers), -MatX::Identity(kPullers, kPullers),
        MatX::Zero(kPullers, kLoads);
    VecX lower = VecX::Zero(n);
    lower.tail(kLoads).setConstant(-1e20);
    const double most = std::numeric_limits<double>::infinity();
    const auto solver = make_proxqp_solver();
    const QpResult& judge = solver->solve({.H = H,
                                           .g = VecX::Zero(n),
                                           .A = A,
                                           .b = t,
                                           .C = C,
                                           .l = VecX::Constant(kPullers, -most),
                                           .u = VecX::Ones(kPullers),
                                           .lower = lower,
                                           .upper = VecX::Constant(n, most)});
    ASSERT_EQ(judge.status, QpStatus::solved);
    EXPECT_LT((judge.x.head(kPullers) - sharing.share()).cwiseAbs().maxCoeff(), 1e-5) << frame;
    EXPECT_LT((judge.x.tail(kLoads) - sharing.reserve()).cwiseAbs().maxCoeff(), 1e-5) << frame;
  }
}

}  // namespace
}  // namespace stunt
