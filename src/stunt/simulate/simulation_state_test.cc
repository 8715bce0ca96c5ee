// A saved simulation goes on as it went before, bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "stunt/simulate/simulation.h"
#include "tests/equal_recordings.h"
#include "tests/test_performers.h"

namespace stunt {
namespace {

class RestoreTest : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Simulation> make(const std::string& keys) const {
    return test::simulation("engine: " + GetParam() + "\n" + keys);
  }
  // Saved when `now` says so, driven to the end, restored and driven to the end again: against a run that was never
  // interrupted, which is returned.
  Recording expect_it_goes_on(const std::string& keys, const std::function<bool(Simulation&)>& now) const {
    Recording whole = make(keys)->run();
    const auto running = make(keys);
    while (!now(*running) && !running->done()) running->step();
    EXPECT_FALSE(running->done()) << "what was waited for never came";
    const auto half = running->save();
    const double time = running->time();
    const Recording& recording = running->recording();
    const int samples = recording.samples();
    const std::size_t contacts = recording.contacts.size();
    while (!running->done()) running->step();
    EXPECT_GT(recording.samples(), samples + 30);
    running->restore(*half);
    EXPECT_EQ(running->time(), time);
    EXPECT_EQ(recording.samples(), samples);
    EXPECT_EQ(recording.contacts.size(), contacts);
    EXPECT_EQ(recording.channels.at("q").rows(), samples);
    EXPECT_EQ(recording.actors[0].channels.at("contact_peak").rows(), samples);
    test::expect_equal(running->run(), whole);
    return whole;
  }
};

// 3 cm above where it stood at the start.
class FootInTheAir {
 public:
  bool operator()(Simulation& running) {
    const ActorSlot& slot = running.acts()[0].slot;
    const auto height = [&](Role role) {
      return running.engine().body_position(slot.first_body + slot.actor->body(role)).z();
    };
    const double left = height(Role::left_foot), right = height(Role::right_foot);
    if (running.time() == 0) standing_ = std::max(left, right);
    return std::max(left, right) > standing_ + 0.03;
  }

 private:
  double standing_ = 0;
};

TEST_P(RestoreTest, InTheMiddleOfARecoveryStep) {
  const Recording recording = expect_it_goes_on(
      "actors: [{motion: stand}]\npushes: [{force: [200, 0, 0], start: 0.5}]\nduration: 2.5\n",
      FootInTheAir());
  EXPECT_FALSE(recording.actors[0].fall) << "it was to be caught by the step";
}

// Everything that has a state of its own at once: delayed senses, noisy motors, random throws, commands to come.
TEST_P(RestoreTest, WithDelayNoiseThrowsAndCommands) {
  const std::string scene = R"(
duration: 2
seed: 5
actors:
  - {name: a, motion: stand, plant: {torque_noise: 0.02, sensor_delay: 0.002}}
throws: [{random: true, start: 0.1, every: 0.3, count: 0, mass: 0.1}]
commands:
  - {at: 0.4, set: {key: stiffness, value: 700}}
  - {at: 0.9, motion: {source: march, blend: 0.2}}
  - {at: 1.3, controller: {type: ragdoll}}
  - {at: 1.6, reset: a}
)";
  for (const double at : {0.258, 0.7504, 1.2, 1.45}) {  // a sample lies within the step after 0.258 s
    SCOPED_TRACE(at);
    const Recording whole =
        expect_it_goes_on(scene, [&](Simulation& running) { return running.time() >= at; });
    EXPECT_EQ(whole.marks.size(), 7u + 4u);
  }
}

// Another controller with a memory, motors with another noise, pushes from random directions.
TEST_P(RestoreTest, OnOneLegUnderRandomPushes) {
  const Recording recording = expect_it_goes_on(
      "actors: [{motion: {source: single, start: 1}, character: biped28, controller: jacobian_transpose, "
      "plant: "
      "{motor_noise: 5}}]\npushes: [{force: [30, 0, 0], start: 0.2, every: 0.3, count: 0, random: "
      "true}]\nduration: 1.5\n",
      FootInTheAir());
  EXPECT_EQ(recording.marks.size(), 5u);
}

TEST_P(RestoreTest, BeforeAndAfterAFall) {
  const std::string scene = "duration: 5\nactors: [{motion: stand, controller: ragdoll}]\n";
  const Recording whole = expect_it_goes_on(scene, [](Simulation& running) { return running.time() >= 0.1; });
  ASSERT_TRUE(whole.actors[0].fall);
  EXPECT_LT(whole.time.back(), 4) << "it ends a second after everybody is down";
  expect_it_goes_on(scene,
                    [](Simulation& running) { return running.recording().actors[0].fall.has_value(); });
}

// Pushed over, it lets go of its motion before it is down, and protects itself.
TEST_P(RestoreTest, InTheMiddleOfAFallThatWasForeseen) {
  const std::string scene =
      "duration: 3\nactors: [{motion: stand, falling: {how: protect, foreseen: true}}]\n"
      "pushes: [{force: [900, 0, 0], start: 0.2, duration: 0.3}]\n";
  const Recording whole = expect_it_goes_on(scene, [](Simulation& running) {
    const Falling& falling = running.acts()[0].falling;
    return falling.begun() && running.time() > falling.since() + 0.1;
  });
  ASSERT_TRUE(whole.actors[0].fall);
}

// Two kinds of body and of controller.
TEST_P(RestoreTest, TwoDifferentCharacters) {
  const Recording whole = expect_it_goes_on(R"(
duration: 2
actors:
  - {motion: {source: walk, loop: true}}
  - {motion: squat, character: humanoid, controller: {type: pd, pedestal: true}, position: [0, 2]}
)",
                                            [](Simulation& running) { return running.time() >= 1; });
  ASSERT_EQ(whole.actors.size(), 2u);
  EXPECT_NE(whole.actors[0].slot.actor->name(), whole.actors[1].slot.actor->name());
  EXPECT_EQ(whole.actors[0].controller, "mcsim");
  EXPECT_EQ(whole.actors[1].controller, "pd");
  for (const ActorTrack& track : whole.actors) EXPECT_FALSE(track.fall) << track.name;
  EXPECT_EQ(whole.actors[0].assist_force_mean, 0);
  EXPECT_GT(whole.actors[1].assist_force_mean, 0);
}

INSTANTIATE_TEST_SUITE_P(Both, RestoreTest, testing::Values("mujoco", "ode"),
                         [](const auto& row) { return row.param; });

}  // namespace
}  // namespace stunt
