#include "stunt/experiment/modal_balance.h"

#include <gtest/gtest.h>

#include <string>

namespace stunt {
namespace {

// m dv/dt = contact + gravity + push, at every step of a pushed walk, whoever gives the torques.
class LinearisedBalance : public testing::TestWithParam<const char*> {};

TEST_P(LinearisedBalance, ForcesMakeTheMotion) {
  const Scene scene = read_scene("", "test",
                                 {"engine=linearised", "duration=1", "actors.0.motion.source=walk",
                                  std::string("actors.0.controller=") + GetParam()});
  const MomentumBalance balance = momentum_balance(scene);
  EXPECT_GT(balance.seconds, 0.8);
  EXPECT_LT(balance.linear_worst, 1e-10);
  EXPECT_LT(balance.true_mean, 0.02);  // of the weight
}

INSTANTIATE_TEST_SUITE_P(Controllers, LinearisedBalance,
                         testing::Values("modal", "{type: modal, preset: paper}",
                                         "{type: modal, preset: linearised}"),
                         [](const auto& row) { return "Number" + std::to_string(row.index); });

}  // namespace
}  // namespace stunt
