#include "stunt/simulate/simulation.h"

#include <gtest/gtest.h>

#include "malloc_counter.h"
#include "stunt/actor/dynamics.h"
#include "stunt/assess/run_summary.h"
#include "tests/test_performers.h"

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

const std::vector<double>& q_of(const Recording& recording) {
  return recording.channels.at("q").all<double>();
}

class LoopTest : public testing::TestWithParam<std::pair<std::string, std::string>> {};

TEST_P(LoopTest, AllocatesNothingAfterItsFirstSteps) {
  if (!mallocs_can_be_counted()) GTEST_SKIP() << "the sanitizer owns malloc";
  const auto& [engine, actor] = GetParam();
  const auto running = simulation(fmt::format("engine: {}\nduration: 4\nactors: [{}]\n", engine, actor));
  const int steps = std::min(1500, static_cast<int>(3 / running->engine().timestep()));
  // ODE's own workspace grows with the contacts, until both feet stand.
  const int first_steps = engine == "ode" ? 100 : 1;
  for (int i = 0; i < first_steps; ++i) running->step();
  for (int i = 0; i < steps; ++i) {
    const long before = malloc_count();
    running->step();
    ASSERT_EQ(malloc_count() - before, 0) << "in step " << i;
  }
  EXPECT_FALSE(running->recording().actors[0].fall) << "the loop was not tested at what it is for";
}

std::string row_name(const testing::TestParamInfo<LoopTest::ParamType>& row) {
  for (const std::string name : {"mcsim", "modal", "hit_react", "jacobian_transpose"}) {
    if (row.param.second.find(name) != std::string::npos) return name + "_on_" + row.param.first;
  }
  return "pd_on_" + row.param.first;
}
INSTANTIATE_TEST_SUITE_P(
    Characters, LoopTest,
    testing::Values(
        std::pair("mujoco", "{motion: squat, controller: {type: pd, pedestal: true}}"),
        std::pair("ode", "{motion: squat, controller: {type: pd, pedestal: true}}"),
        std::pair("mujoco",
                  "{motion: {source: guard, loop: true}, controller: {type: hit_react, preset: paper}}"),
        std::pair("mujoco", "{motion: walk, controller: mcsim}"),
        std::pair("mujoco", "{motion: walk, controller: modal}"),
        std::pair("linearised",
                  "{motion: {source: walk, loop: true}, controller: {type: modal, preset: linearised}}"),
        std::pair("mujoco", "{motion: single, controller: jacobian_transpose}")),
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

INSTANTIATE_TEST_SUITE_P(Both, EnginesTest, testing::Values("mujoco", "ode", "penalty"),
                         [](const auto& row) { return row.param; });

// Says what it is shown, and asks for the same torque always.
class Witness : public Controller {
 public:
  Witness(std::vector<VecX>* seen, double torque) : seen_(seen), torque_(torque) {}
  void reset(const Observation&) override {}
  void actuate(const Observation& now, Actuation& out) override {
    seen_->push_back(now.q);
    out.torque.tail(out.torque.size() - 6).setConstant(torque_);
  }

 private:
  std::vector<VecX>* seen_;
  double torque_;
};

// An actor with a witness for a controller, in its rest pose; `plant` as in a scene.
std::unique_ptr<Simulation> watched(ActorPtr actor, const std::string& plant, std::vector<VecX>* seen,
                                    double torque = 0,
                                    const std::string& scene_keys = "ground: {present: false}") {
  const Scene scene = read_scene(
      fmt::format("duration: 1\n{}\nactors: [{{motion: rest, plant: {{{}}}}}]\n", scene_keys, plant), "test");
  std::vector<Performer> performers = test::resting(scene, std::move(actor), 0);
  performers[0].controller = std::make_unique<Witness>(seen, torque);
  return std::make_unique<Simulation>(scene, std::move(performers));
}

TEST(Simulation, WhatIsSensedIsAsOldAsTheDelay) {
  constexpr int kDelay = 7;
  std::vector<VecX> seen, was;
  const auto falling = watched(pendulum(2, 0.5), "sensor_delay: 0.007", &seen);
  for (int i = 0; i < 40; ++i) {
    was.push_back(Eigen::Map<const VecX>(falling->engine().q().data(), 8));
    falling->step();
  }
  ASSERT_EQ(seen.size(), was.size());
  for (int i = 0; i < 40; ++i) EXPECT_EQ(seen[i], was[std::max(0, i - kDelay)]) << i;
  EXPECT_NE(seen[39], was[39]);
}

// Seen in what it does: a rod on a floating base without gravity turns faster by torque / inertia.
TEST(Simulation, TorqueNoiseHasItsSpreadAndItsSeed) {
  const ActorPtr rod = pendulum(2, 0.5);
  ActorDynamics dynamics(rod);
  dynamics.set_state(rod->rest_q(), VecX::Zero(rod->nv()));
  const double inertia = dynamics.mass_matrix()(6, 6);
  const auto torques = [&](const std::string& plant, int seed) {
    std::vector<VecX> seen;
    const auto running =
        watched(rod, plant, &seen, 3, fmt::format("gravity: 0\nground: {{present: false}}\nseed: {}", seed));
    std::vector<double> applied;
    for (int i = 0; i < 4000; ++i) {
      const double before = running->engine().v()[6];
      running->step();
      applied.push_back(inertia * (running->engine().v()[6] - before) / 0.001);
    }
    return applied;
  };
  const std::vector<double> noisy = torques("torque_noise: 0.1", 1);
  double sum = 0, squares = 0;
  for (const double torque : noisy) {
    sum += torque;
    squares += (torque - 3) * (torque - 3);
  }
  EXPECT_NEAR(sum / 4000, 3, 0.02);  // four standard errors
  EXPECT_NEAR(std::sqrt(squares / 4000), 0.3, 0.015);
  EXPECT_EQ(torques("torque_noise: 0.1", 1), noisy);
  EXPECT_NE(torques("torque_noise: 0.1", 2), noisy);
  for (const double torque : torques("", 1)) ASSERT_NEAR(torque, 3, 0.02);
}

// A box that slides down a slope: a = g (sin - mu cos), whatever engine.
TEST_P(EnginesTest, AnActorSlidesByItsOwnFriction) {
  const ActorPtr box = Actor::from_xml(R"(<mujoco><worldbody><body name="box" pos="0 0 0.1063"><freejoint/>
      <geom type="box" size="0.2 0.2 0.1" euler="0 -20 0" mass="3"/></body></worldbody></mujoco>)",
                                       "box", "box");
  for (const double factor : {1.0, 0.5}) {
    std::vector<VecX> seen;
    const auto sliding =
        watched(box, fmt::format("friction: {}", factor), &seen, 0,
                fmt::format("engine: {}\nground: {{slope_deg: 20, friction: 0.5}}", GetParam()));
    for (int i = 0; i < 1000; ++i) sliding->step();
    const double a = 9.81 * (std::sin(radians(20)) - 0.5 * factor * std::cos(radians(20)));
    EXPECT_NEAR(-sliding->engine().v()[0], a > 0 ? a * std::cos(radians(20)) : 0, 0.05) << factor;
  }
}

TEST(Simulation, FactorsOfOneChangeNoBit) {
  const auto run = [](const std::string& more) {
    return simulation("duration: 1\nactors: [{motion: walk" + more + "}]\n")->run();
  };
  const Recording plain = run("");
  const std::string ones =
      "mass: 1, legs_mass: 1, left_leg_mass: 1, upper_body_mass: 1, inertia: 1, foot_length: 1, friction: 1";
  const Recording same =
      run(", plant: {" + ones + ", torque_noise: 0, sensor_delay: 0}, model: {" + ones + "}");
  EXPECT_EQ(q_of(same), q_of(plain));
  EXPECT_EQ(same.scene->xml, plain.scene->xml);
  for (const char* other :
       {"plant: {legs_mass: 1.1}", "model: {legs_mass: 1.1}", "model: {friction: 0.5}",
        "model: {foot_length: 0.9}", "plant: {foot_length: 0.9}", "plant: {sensor_delay: 0.005}"}) {
    EXPECT_NE(q_of(run(fmt::format(", {}", other))), q_of(plain)) << other;
  }
}

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
  const RunSummary summary = summarize(recording);
  EXPECT_FALSE(summary.completed);
  EXPECT_FALSE(summary.actors[0].fell_at_s);
  EXPECT_FALSE(summary.diverged.empty());
}

TEST(Simulation, AMinuteOfARecordingTakesAtMostTwentyFiveMegabytes) {
  const auto running = simulation("duration: 2\nactors: [{motion: {source: walk, loop: true}}]\n");
  const Recording r = running->run();
  const auto bytes = [](const auto& values) { return values.capacity() * sizeof(values[0]); };
  const auto of_channels = [&](const Channels& channels) {
    std::size_t sum = 0;
    for (const auto& channel : channels) {
      switch (channel->type()) {
        case Channel::Type::f8:
          sum += bytes(channel->all<double>());
          break;
        case Channel::Type::f4:
          sum += bytes(channel->all<float>());
          break;
        case Channel::Type::u1:
          sum += bytes(channel->all<std::uint8_t>());
      }
    }
    return sum;
  };
  std::size_t total = bytes(r.time) + of_channels(r.channels) + bytes(r.contacts) + bytes(r.contact_start);
  for (const ActorTrack& track : r.actors) total += of_channels(track.channels) + bytes(track.plan_us);
  ASSERT_GT(r.samples(), 200);
  EXPECT_LE(static_cast<double>(total) * 60 / r.duration, 25e6);
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
    EXPECT_NEAR(recording.q(i)[2], 5 - 0.5 * 9.81 * t * (t + 0.0025), 1e-5);
  }
}

}  // namespace
}  // namespace stunt
