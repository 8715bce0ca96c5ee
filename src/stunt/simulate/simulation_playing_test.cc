// Characters that are simulated only when something touches them.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "stunt/core/error.h"
#include "stunt/simulate/simulation.h"

namespace stunt {
namespace {

class PlayingTest : public testing::TestWithParam<std::string> {
 protected:
  Scene read(const std::string& rest) const {
    return read_scene(fmt::format("engine: {}\n{}", GetParam(), rest), "test");
  }
};

constexpr const char* kStruck = R"(
duration: 6
actors:
  - {name: one, motion: {source: stand, loop: true}, when: contact}
  - {name: two, motion: {source: wave, loop: true}, when: contact, position: [0, 3]}
throws: [{actor: one, size: 0.2, mass: 1, speed: 6, start: 1, from_deg: 0}]
)";

double largest_step(const Recording& recording, const ActorTrack& track) {
  double largest = 0;
  for (int i = 1; i < recording.samples(); ++i) {
    VecX way;
    difference(*track.slot.actor, recording.q(i - 1, track), recording.q(i, track), way);
    largest = std::max(largest, way.cwiseAbs().maxCoeff());
  }
  return largest;
}

TEST_P(PlayingTest, UntouchedItIsItsMotion) {
  Simulation running(read(kStruck));
  while (running.time() < 0.9) running.step();
  for (Simulation::Act& act : running.acts()) {
    ReferenceSample sample;
    act.performer.followed->sample(running.time(), sample);
    const Eigen::Map<const VecX> q(running.engine().q().data() + act.slot.first_q, act.slot.nq);
    EXPECT_LT((q - sample.q).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_FALSE(act.playing.simulated);
  }
}

TEST_P(PlayingTest, ABallMakesItReactAndItGoesBackToItsMotion) {
  Simulation running(read(kStruck));
  bool woke = false, other_woke = false;
  double back = 0;
  while (!running.done()) {
    running.step();
    const bool simulated = running.acts()[0].playing.simulated;
    if (woke && !simulated && back == 0) back = running.time();
    woke = woke || simulated;
    other_woke = other_woke || running.acts()[1].playing.simulated;
  }
  EXPECT_TRUE(woke);
  EXPECT_FALSE(other_woke) << "nothing came near the other one";
  EXPECT_GT(back, 1.5);
  EXPECT_LT(back, 4.5);
  const Recording& recording = running.recording();
  EXPECT_FALSE(recording.actors[0].fall);
  double hardest = 0;
  for (const float peak : recording.actors[0].channels.at("contact_peak").all<float>())
    hardest = std::max(hardest, static_cast<double>(peak));
  EXPECT_GT(hardest, 100) << "the ball went through it";
  EXPECT_LT(largest_step(recording, recording.actors[0]), 0.15) << "it jumped";
}

TEST_P(PlayingTest, APushWakesIt) {
  Simulation running(
      read("duration: 2\nactors: [{name: one, motion: stand, when: contact}]\n"
           "pushes: [{body: chest, force: [100, 0, 0], start: 1}]"));
  while (running.time() < 1.1) running.step();
  EXPECT_TRUE(running.acts()[0].playing.simulated);
}

TEST_P(PlayingTest, ARestoredRunGoesOnBitForBit) {
  Simulation running(read(kStruck));
  while (running.time() < 0.5) running.step();
  const auto before = running.save();  // played
  while (running.time() < 1.8) running.step();
  const auto during = running.save();  // simulated
  while (running.time() < 2.2) running.step();
  const std::vector<double> q(running.engine().q().begin(), running.engine().q().end());
  for (const auto& state : {during, before}) {
    running.restore(*state);
    while (running.time() < 2.2) running.step();
    EXPECT_TRUE(std::equal(q.begin(), q.end(), running.engine().q().begin()));
  }
}

TEST_P(PlayingTest, WithAPlatformItIsRefused) {
  const Scene scene = read("actors: [{motion: stand, when: contact}]\nplatforms: [{position: [3, 0, 0.1]}]");
  EXPECT_THROW(Simulation{scene}, InputError);
}

INSTANTIATE_TEST_SUITE_P(All, PlayingTest, testing::Values("mujoco", "ode"),
                         [](const auto& engine) { return engine.param; });

// Two characters in one place.
TEST(ApartAtStart, NamesBoth) {
  try {
    Simulation running(read_scene(
        "actors:\n- {name: one, motion: stand}\n- {name: two, motion: stand, position: [0.1, 0]}", "test"));
    FAIL();
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("'one'"), std::string::npos) << text;
    EXPECT_NE(text.find("'two'"), std::string::npos) << text;
  }
  EXPECT_NO_THROW(Simulation(read_scene(
      "actors:\n- {name: one, motion: stand}\n- {name: two, motion: stand, position: [1, 0]}", "test")));
}

}  // namespace
}  // namespace stunt
