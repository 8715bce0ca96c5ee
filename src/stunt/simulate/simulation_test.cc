#include "stunt/simulate/simulation.h"

#include <gtest/gtest.h>

#include "malloc_counter.h"
#include "stunt/report/summary.h"
#include "stunt/simulate/test_casts.h"

namespace stunt {
namespace {

using test::floating;
using test::pendulum;
using test::simulation;

std::vector<double> state(Simulation& running) {
  std::vector<double> all(running.engine().q().begin(), running.engine().q().end());
  all.insert(all.end(), running.engine().v().begin(), running.engine().v().end());
  return all;
}

class LoopTest : public testing::TestWithParam<std::pair<std::string, std::string>> {};

TEST_P(LoopTest, AllocatesNothingAfterItsFirstSteps) {
  if (!mallocs_can_be_counted()) GTEST_SKIP() << "the sanitizer owns malloc";
  const auto& [engine, actor] = GetParam();
  const auto running = simulation(fmt::format("engine: {}\nduration: 4\nactors: [{}]\n", engine, actor));
  for (int i = 0; i < 100; ++i)
    running->step();  // until both feet stand: ODE's workspace grows with the contacts
  for (int i = 0; i < 1500; ++i) {
    const long before = malloc_count();
    running->step();
    ASSERT_EQ(malloc_count() - before, 0) << "in step " << i;
  }
  EXPECT_FALSE(running->recording().actors[0].fall) << "the loop was not tested at what it is for";
}

std::string row_name(const testing::TestParamInfo<LoopTest::ParamType>& row) {
  return (row.param.second.find("mcsim") == std::string::npos ? "pd_on_" : "mcsim_on_") + row.param.first;
}
INSTANTIATE_TEST_SUITE_P(
    Characters, LoopTest,
    testing::Values(std::pair("mujoco", "{motion: squat, controller: {type: pd, pedestal: true}}"),
                    std::pair("ode", "{motion: squat, controller: {type: pd, pedestal: true}}"),
                    std::pair("mujoco", "{motion: walk, controller: mcsim}")),
    row_name);

class EnginesTest : public testing::TestWithParam<std::string> {};

// The second half from a saved state, in a simulation of its own, against the second half as it went.
TEST_P(EnginesTest, ARestoredStateGivesTheSameSecondHalf) {
  const std::string scene = fmt::format(
      "engine: {}\nactors: [{{motion: squat, controller: {{type: pd, assist: 1}}}}]\n"
      "objects: [{{position: [0.3, 0, 0.1]}}]\n",
      GetParam());
  const auto first = simulation(scene);
  for (int i = 0; i < 400; ++i) first->step();
  const Snapshot half = first->engine().save();
  const std::vector<double> at_half = state(*first);
  for (int i = 0; i < 400; ++i) first->step();

  const auto second = simulation(scene);
  second->engine().restore(half);
  ASSERT_EQ(state(*second), at_half);
  for (int i = 0; i < 400; ++i) second->step();
  EXPECT_EQ(state(*second), state(*first));
  EXPECT_NE(state(*second), at_half);
  EXPECT_EQ(second->time(), first->time());
}

INSTANTIATE_TEST_SUITE_P(Both, EnginesTest, testing::Values("mujoco", "ode"),
                         [](const auto& row) { return row.param; });

TEST(Simulation, DivergenceIsNotAFall) {
  const auto running =
      floating(pendulum(2, 0.5), "type: pd, stable: false, stiffness: 1e6", "timestep: 0.005");
  std::vector<double> q(running->engine().q().begin(), running->engine().q().end());
  q.back() = 0.1;
  running->engine().set_state(q, running->engine().v());
  const Recording recording = running->run();
  EXPECT_FALSE(recording.diverged.empty());
  EXPECT_FALSE(recording.actors[0].fall);
  EXPECT_LT(recording.time.back(), 1.0);  // it stops there
  const auto summary = summarize(recording);
  EXPECT_EQ(summary["completed"], false);
  EXPECT_TRUE(summary["fell_at_s"].is_null());
  EXPECT_TRUE(summary["diverged"].is_string());
}

TEST(Simulation, AMinuteOfARecordingTakesAtMostTwentyMegabytes) {
  const auto running = simulation("duration: 2\nactors: [{motion: {source: walk, loop: true}}]\n");
  const Recording r = running->run();
  const auto bytes = [](const auto& values) { return values.capacity() * sizeof(values[0]); };
  std::size_t total = bytes(r.time) + bytes(r.q) + bytes(r.v) + bytes(r.contacts) + bytes(r.contact_start);
  for (const ActorTrack& track : r.actors)
    total += bytes(track.reference_q) + bytes(track.torque) + bytes(track.plan_us);
  ASSERT_GT(r.samples(), 200);
  EXPECT_LE(static_cast<double>(total) * 60 / r.duration, 20e6);
}

TEST(Simulation, SamplesFallOnTheirTimesWhateverTheStep) {
  // A body that flies: the sampled positions are on the parabola although 1/120 s is no multiple of the step.
  const Scene scene =
      read_scene("duration: 0.5\ntimestep: 0.0025\nobjects: [{position: [0, 0, 5]}]\n", "test");
  const Recording recording = Simulation(scene, {}).run();
  ASSERT_EQ(recording.samples(), 61);
  for (int i = 0; i < recording.samples(); ++i) {
    const double t = i / 120.0;
    EXPECT_DOUBLE_EQ(recording.time[i], t);
    // Semi-implicit Euler falls g t dt / 2 further than the parabola.
    EXPECT_NEAR(recording.q[7 * i + 2], 5 - 0.5 * 9.81 * t * (t + 0.0025), 1e-5);
  }
}

}  // namespace
}  // namespace stunt
