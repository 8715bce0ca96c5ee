#include "stunt/optimize/rehearsal.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "stunt/core/error.h"
#include "stunt/optimize/practice_room.h"
#include "stunt/simulate/run_scene.h"
#include "tests/equal_recordings.h"

namespace stunt {
namespace {

// Somebody stands, and is pushed as hard as it takes to fail.
Scene too_hard(const std::string& engine = "mujoco") {
  for (double force = 250;; force += 25) {
    const Scene scene = read_scene(
        fmt::format("engine: {}\nactors: [{{motion: stand}}]\npushes: [{{force: [{}, 0, 0], start: 0.7}}]\n"
                    "duration: 2\n",
                    engine, force),
        "test");
    if (!judge_tracking(run_scene(scene), 0).tracked) return scene;
  }
}

class RehearsalTest : public testing::TestWithParam<std::string> {};

TEST_P(RehearsalTest, FindsAWayThatRepeatsBitForBit) {
  const Scene scene = too_hard(GetParam());
  const Rehearsal found = rehearse(scene, {.rollouts = 450, .threads = 2});
  EXPECT_TRUE(found.needed);
  EXPECT_TRUE(found.tracked);
  EXPECT_FALSE(found.where.empty());
  EXPECT_GT(found.rollouts, 10);
  const Recording run = run_scene(found.scene);
  EXPECT_TRUE(judge_tracking(run, 0).tracked);
  // The reference that it is judged by stays the motion's own.
  EXPECT_EQ(run.actors[0].reference_q(100), run_scene(scene).actors[0].reference_q(100));
  // What was written runs the same.
  test::expect_equal(run, run_scene(read_scene(write_scene(found.scene), "rehearsed.yaml")));
  const RunSummary summary = summarize(run, found);
  EXPECT_EQ(summary.actors[0].rehearsal.where.size(), found.where.size());
  EXPECT_EQ(summary.actors[0].rehearsal.rollouts, found.rollouts);
}
INSTANTIATE_TEST_SUITE_P(Engines, RehearsalTest, testing::Values("mujoco", "ode"),
                         [](const auto& engine) { return engine.param; });

TEST(Rehearsal, DoesNotDependOnTheNumberOfThreads) {
  const Scene scene = too_hard();
  const Rehearsal one = rehearse(scene, {.rollouts = 150, .threads = 1});
  const Rehearsal three = rehearse(scene, {.rollouts = 150, .threads = 3});
  EXPECT_EQ(one.rollouts, three.rollouts);
  EXPECT_EQ(write_scene(one.scene), write_scene(three.scene));
}

// Doubles with noise that it has never met get through as well.
TEST(Rehearsal, HoldsUnderNoise) {
  const Rehearsal found = rehearse(too_hard(), {.rollouts = 1200, .threads = 2});
  ASSERT_TRUE(found.tracked);
  Scene noisy = found.scene;
  noisy.actors[0].plant.torque_noise = 0.01;
  int through = 0;
  for (noisy.seed = 1; noisy.seed <= 5; ++noisy.seed) through += judge_tracking(run_scene(noisy), 0).tracked;
  EXPECT_GE(through, 3);
}

TEST(Rehearsal, LeavesAloneWhatWorks) {
  const Scene scene = read_scene("actors: [{motion: wave}]\nduration: 1\n", "test");
  const Rehearsal found = rehearse(scene, {.rollouts = 1000});
  EXPECT_FALSE(found.needed);
  EXPECT_TRUE(found.tracked);
  EXPECT_EQ(write_scene(found.scene), write_scene(scene));
}

TEST(Rehearsal, KeepsTheBestSoFarWhenStopped) {
  int calls = 0;
  const Rehearsal found = rehearse(too_hard(), {.budget = 1000}, [&](const RehearsalProgress& now) {
    EXPECT_LE(now.reached, now.duration);
    return ++calls < 20;
  });
  EXPECT_TRUE(found.needed);
  EXPECT_NO_THROW(run_scene(found.scene));
}

TEST(Rehearsal, SaysWhatItCannotDo) {
  const auto says = [](const std::string& yaml) -> std::string {
    try {
      rehearse(read_scene(yaml, "test"), {.rollouts = 10});
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(says("actors: [{motion: stand}, {motion: wave, position: [2, 0]}]").find("found 2 actors"),
            std::string::npos);
  EXPECT_NE(says("actors: [{motion: stand, controller: pd}]").find("expected mcsim"), std::string::npos);
  EXPECT_NE(says("actors: [{motion: stand, controller: {pedestal: true}}]").find("pedestal"),
            std::string::npos);
  EXPECT_NE(says("actors: [{character: biped28}]\nduration: 1").find("without a motion"), std::string::npos);
  EXPECT_NE(says("actors: [{motion: stand}]\ncommands: [{at: 1, reset: {}}]").find("commands"),
            std::string::npos);
}

// The critic judges while it runs what the verdict judges afterwards.
TEST(Rehearsal, TheCriticAgreesWithTheVerdict) {
  for (const char* scene_text :
       {"actors: [{motion: stand}]\npushes: [{force: [300, 0, 0], start: 1}]\nduration: 3\n",
        "actors: [{motion: bow}]\npushes: [{force: [250, 0, 0], start: 1}]\nduration: 3\n",
        "actors: [{motion: jump, controller: {stiffness: 100}}]\n",
        "actors: [{motion: jump, controller: {height_stiffness: 20, height_damping: 9}}]\n",
        "actors: [{motion: jump}]\n", "actors: [{motion: run}]\n",
        "actors: [{motion: walk}]\nduration: 2\n"}) {
    SCOPED_TRACE(scene_text);
    const Scene scene = read_scene(scene_text, "test");
    const Recording recording = run_scene(scene);
    const Verdict verdict = judge_tracking(recording, 0);
    PracticeRoom room(scene, std::move(make_performers(scene).front()), 0.01, 1);
    const std::vector<Member> members = room.members(0, 1);
    const Nudges none;
    const auto played = room.play({{&members[0].start, false, 0, room.knots(), &none}});
    const auto& failed = played[0].back().failed_at;
    EXPECT_EQ(!failed, verdict.tracked) << verdict.reason;
    if (!failed || recording.actors[0].fall || !verdict.stumbled_at_s) continue;
    EXPECT_NEAR(*failed, *verdict.stumbled_at_s, 0.02) << verdict.reason;
  }
}

}  // namespace
}  // namespace stunt
