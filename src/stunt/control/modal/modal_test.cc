#include "stunt/control/modal/modal.h"

#include <gtest/gtest.h>

#include "tests/test_performers.h"

namespace stunt {
namespace {

std::vector<double> all_state(Simulation& simulation) {
  std::vector<double> all(simulation.engine().q().begin(), simulation.engine().q().end());
  all.insert(all.end(), simulation.engine().v().begin(), simulation.engine().v().end());
  return all;
}

class ModalTest : public testing::TestWithParam<std::string> {};

TEST_P(ModalTest, RestoredItGoesOnBitForBit) {
  const std::string scene = "engine: " + GetParam() + "\nactors: [{motion: walk, controller: modal}]\n";
  const auto first = test::simulation(scene), second = test::simulation(scene),
             forgetful = test::simulation(scene);
  for (int i = 0; i < 602; ++i) first->step();
  const Snapshot world = first->engine().save();
  const std::any memory = first->acts().at(0).performer.controller->save();
  for (auto* other : {&second, &forgetful}) (*other)->engine().restore(world);
  second->acts().at(0).performer.controller->restore(memory);
  for (const auto* each : {&first, &second, &forgetful}) {
    for (int i = 0; i < 300; ++i) (*each)->step();
  }
  EXPECT_EQ(all_state(*second), all_state(*first));
  EXPECT_NE(all_state(*forgetful), all_state(*first)) << "nothing had to be remembered";
}

TEST_P(ModalTest, StandsSquatsAndWalks) {
  for (const std::string motion : {"stand", "squat", "walk"}) {
    const auto running = test::simulation(
        "engine: " + GetParam() + "\nduration: 3\nactors: [{motion: " + motion + ", controller: modal}]\n");
    for (int i = 0; i < 3000; ++i) running->step();
    EXPECT_FALSE(running->recording().actors[0].fall) << motion;
  }
}

INSTANTIATE_TEST_SUITE_P(Both, ModalTest, testing::Values("mujoco", "ode"),
                         [](const auto& row) { return row.param; });

}  // namespace
}  // namespace stunt
