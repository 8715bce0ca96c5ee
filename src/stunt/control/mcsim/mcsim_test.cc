#include "stunt/control/mcsim/mcsim.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "malloc_counter.h"
#include "tests/test_performers.h"

namespace stunt {
namespace {

// A simulation whose controller can be reached.
struct Watched {
  std::unique_ptr<Simulation> simulation;
  Controller* controller;

  explicit Watched(const std::string& yaml) {
    simulation = test::simulation(yaml);
    controller = simulation->acts().at(0).performer.controller.get();
  }
  void go_on(int steps) {
    for (int i = 0; i < steps; ++i) simulation->step();
  }
  std::vector<double> state() const {
    std::vector<double> all(simulation->engine().q().begin(), simulation->engine().q().end());
    all.insert(all.end(), simulation->engine().v().begin(), simulation->engine().v().end());
    return all;
  }
};

class McSimRestoreTest : public testing::TestWithParam<std::string> {};

TEST_P(McSimRestoreTest, FromTheMiddleOfARecoveryStepItGoesOnBitForBit) {
  const std::string scene =
      "engine: " + GetParam() + "\nactors: [{motion: stand}]\npushes: [{force: [200, 0, 0], start: 0.5}]\n";
  Watched run(scene);
  const auto& recovery = dynamic_cast<McSimController&>(*run.controller).recovery();
  const auto steps = [&] { return recovery.steps(0) || recovery.steps(1); };
  while (!steps() && run.simulation->time() < 1.5) run.go_on(1);
  ASSERT_TRUE(steps()) << "the push was not strong enough";
  run.go_on(102);  // between two plans
  ASSERT_TRUE(steps());
  const Snapshot world = run.simulation->engine().save();
  const std::any memory = run.controller->save();
  const std::vector<double> before = run.state();
  bool came_down = false;
  for (int i = 0; i < 500; ++i) {
    run.go_on(1);
    came_down = came_down || recovery.planted(0) || recovery.planted(1);
  }
  EXPECT_TRUE(came_down);
  const std::vector<double> after = run.state();

  run.simulation->engine().restore(world);
  run.controller->restore(memory);
  EXPECT_EQ(run.state(), before);
  EXPECT_TRUE(steps() && !recovery.planted(0) && !recovery.planted(1));
  run.go_on(500);
  EXPECT_EQ(run.state(), after);

  Watched other(scene);  // which knows nothing of the first
  other.simulation->engine().restore(world);
  other.controller->restore(memory);
  other.go_on(500);
  EXPECT_EQ(other.state(), after);

  Watched forgetful(scene);
  forgetful.simulation->engine().restore(world);
  forgetful.go_on(500);
  EXPECT_NE(forgetful.state(), after) << "nothing had to be remembered";
}

TEST_P(McSimRestoreTest, HelpOnTheRootRemembersWhatItsControllerDoes) {
  for (const char* help : {"assist: 0.01", "pedestal: true"}) {
    SCOPED_TRACE(help);
    const std::string scene = fmt::format(
        "engine: {}\nactors: [{{motion: walk, controller: {{type: mcsim, {}}}}}]\n", GetParam(), help);
    Watched run(scene), other(scene), forgetful(scene);
    run.go_on(801);
    const Snapshot world = run.simulation->engine().save();
    const std::any memory = run.controller->save();
    other.simulation->engine().restore(world);
    forgetful.simulation->engine().restore(world);
    other.controller->restore(memory);
    for (Watched* each : {&run, &other, &forgetful}) each->go_on(300);
    EXPECT_EQ(other.state(), run.state());
    EXPECT_NE(forgetful.state(), run.state());
  }
}

INSTANTIATE_TEST_SUITE_P(Both, McSimRestoreTest, testing::Values("mujoco", "ode"),
                         [](const auto& row) { return row.param; });

TEST(McSim, RestoringAllocatesNothing) {
  if (!mallocs_can_be_counted()) GTEST_SKIP() << "the sanitizer owns malloc";
  Watched run("actors: [{motion: walk}]\n");
  run.go_on(100);
  const std::any memory = run.controller->save();
  run.go_on(200);
  const long before = malloc_count();
  run.controller->restore(memory);
  EXPECT_EQ(malloc_count() - before, 0);
  run.go_on(1);
  EXPECT_EQ(malloc_count() - before, 0);
}

TEST(McSim, AsksForNoMoreAccelerationThanFrictionGives) {
  Watched run("actors: [{motion: stand}]\npushes: [{force: [1500, 0, 0], start: 0.2}]\n");
  const auto& targets = dynamic_cast<McSimController&>(*run.controller).targets();
  double most = 0;
  for (int i = 0; i < 600; ++i) {
    run.go_on(1);
    most = std::max(most, targets.com_acceleration.head<2>().norm());
  }
  EXPECT_NEAR(most, McSimSettings().friction * 9.81, 0.3);  // the motion itself hardly accelerates
}

// The paper's plan is held for 10 ms: in between it is all that is remembered.
TEST(McSimPaper, IsRestoredWithThePlanThatItHolds) {
  const std::string scene =
      "actors: [{motion: walk, controller: {type: mcsim, preset: paper, pd_scale: 0}}]\n";
  Watched run(scene), other(scene), forgetful(scene);
  run.go_on(105);
  const Snapshot world = run.simulation->engine().save();
  const std::any memory = run.controller->save();
  other.simulation->engine().restore(world);
  forgetful.simulation->engine().restore(world);
  other.controller->restore(memory);
  for (Watched* each : {&run, &other, &forgetful}) each->go_on(4);
  EXPECT_EQ(other.state(), run.state());
  EXPECT_NE(forgetful.state(), run.state());
  // The bits of the next plan depend on where its solver's memory lies (ProxQP aligns it to 16 bytes only).
  for (Watched* each : {&run, &other}) each->go_on(100);
  const std::vector<double> a = run.state(), b = other.state();
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(b[i], a[i], 1e-6) << i;
}

}  // namespace
}  // namespace stunt
