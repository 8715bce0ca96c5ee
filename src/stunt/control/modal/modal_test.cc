#include "stunt/control/modal/modal.h"

#include <gtest/gtest.h>

#include <ostream>

#include "tests/test_performers.h"

namespace stunt {
namespace {

std::vector<double> all_state(Simulation& simulation) {
  std::vector<double> all(simulation.engine().q().begin(), simulation.engine().q().end());
  all.insert(all.end(), simulation.engine().v().begin(), simulation.engine().v().end());
  return all;
}

struct ModalCase {
  std::string engine, preset;
  friend void PrintTo(const ModalCase& row, std::ostream* out) { *out << row.engine << ", " << row.preset; }
};
class ModalTest : public testing::TestWithParam<ModalCase> {
 protected:
  static std::string scene(const std::string& motion, const std::string& keys = "") {
    return "engine: " + GetParam().engine + "\nduration: 3\nactors: [{motion: " + motion +
           ", controller: {type: modal, preset: " + GetParam().preset + keys + "}}]\n";
  }
  static int steps(const Simulation& running, double seconds) {
    return static_cast<int>(seconds / running.recording().timestep);
  }
};

TEST_P(ModalTest, RestoredItGoesOnBitForBit) {
  const std::string scene = ModalTest::scene("walk");
  const auto first = test::simulation(scene), second = test::simulation(scene),
             forgetful = test::simulation(scene);
  const int before = steps(*first, 0.602), after = steps(*first, 0.3);
  for (int i = 0; i < before; ++i) first->step();
  const Snapshot world = first->engine().save();
  const std::any memory = first->acts().at(0).performer.controller->save();
  for (auto* other : {&second, &forgetful}) (*other)->engine().restore(world);
  second->acts().at(0).performer.controller->restore(memory);
  for (const auto* each : {&first, &second, &forgetful}) {
    for (int i = 0; i < after; ++i) (*each)->step();
  }
  EXPECT_EQ(all_state(*second), all_state(*first));
  EXPECT_NE(all_state(*forgetful), all_state(*first)) << "nothing had to be remembered";
}

TEST_P(ModalTest, StandsSquatsAndWalks) {
  for (const std::string motion : {"stand", "squat", "walk"}) {
    const auto running = test::simulation(scene(motion));
    while (!running->done()) running->step();
    EXPECT_FALSE(running->recording().actors[0].fall) << motion;
    EXPECT_EQ(running->recording().diverged, "") << motion;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ModalTest,
                         testing::Values(ModalCase{"mujoco", "default"}, ModalCase{"ode", "default"},
                                         ModalCase{"linearised", "linearised"}),
                         [](const auto& row) { return row.param.engine; });

// As printed it falls, which is why there are other presets.
TEST(Modal, AsPrintedItFalls) {
  const auto running = test::simulation(
      "engine: linearised\nduration: 5\nactors: [{motion: walk, controller: {type: modal, preset: "
      "paper}}]\n");
  while (!running->done()) running->step();
  EXPECT_TRUE(running->recording().actors[0].fall);
}

// Until the delay has passed a pushed character does what it would have done: the same torques up to what the contacts ask.
TEST(Modal, AnswersAPushAfterTheReactionDelay) {
  const auto chest_error = [](double delay, double until) {
    const auto running = test::simulation(fmt::format(
        "duration: 2\nactors: [{{motion: stand, controller: {{type: modal, reaction_delay: {}}}}}]\n"
        "pushes: [{{body: chest, force: [60, 0, 0], start: 0.5, duration: 0.1}}]\n",
        delay));
    while (running->time() < until) running->step();
    return running->engine().v()[0];  // m/s, of the root, along the push
  };
  // Late, it is carried further by the same push...
  EXPECT_GT(chest_error(0.2, 0.68), chest_error(0, 0.68) + 0.02);
  // ...and still standing afterwards.
  const auto running = test::simulation(
      "duration: 3\nactors: [{motion: stand, controller: {type: modal, reaction_delay: 0.2}}]\n"
      "pushes: [{body: chest, force: [60, 0, 0], start: 0.5, duration: 0.1}]\n");
  while (!running->done()) running->step();
  EXPECT_FALSE(running->recording().actors[0].fall);
}

// While a foot is on its way to catch a fall the plans must not lean on it: they know the points of the other foot only.
TEST(Modal, AFootThatCatchesAFallPushesNothingBeforeItLands) {
  const auto running = test::simulation(
      "duration: 5.5\nactors: [{motion: {source: squat, loop: true}, controller: modal}]\n"
      "pushes: [{body: chest, force: [250, 0, 0], start: 2.5, duration: 0.166667}]\n");
  const Performer& performer = running->acts()[0].performer;
  const auto& controller = dynamic_cast<const ModalController&>(*performer.controller);
  const int points = static_cast<int>(performer.actor->contact_points().size());
  int on_the_way = 0;
  while (!running->done()) {
    running->step();
    const RecoverySteps& recovery = controller.recovery();
    for (const std::size_t foot : {0, 1}) {
      if (!recovery.steps(foot) || !recovery.follows(1 - foot)) continue;
      // The first plan of a step was made with the contacts from before it.
      const double lands_in = recovery.lands_at(foot) - running->time(), window = controller.window() / 120.0;
      if (lands_in > 0.24 || lands_in < window) continue;
      ++on_the_way;
      EXPECT_LE(controller.planned_contacts().points(), points / 2) << running->time();
    }
  }
  EXPECT_GT(on_the_way, 50);
  EXPECT_FALSE(running->recording().actors[0].fall);
}

// The body that goes far in a frame looks ahead fewer of them.
TEST(Modal, TheWindowFollowsTheSpeed) {
  const auto window = [](const std::string& motion) {
    const auto running = test::simulation("duration: 1\nactors: [{motion: " + motion +
                                          ", controller: {type: modal, window_reach: 0.1}}]\n");
    while (running->time() < 0.8) running->step();
    return dynamic_cast<const ModalController&>(*running->acts()[0].performer.controller).window();
  };
  const int standing = window("stand"), walking = window("walk");
  EXPECT_EQ(standing, 36);
  EXPECT_LT(walking, 15);
  EXPECT_GE(walking, 9);
}

}  // namespace
}  // namespace stunt
