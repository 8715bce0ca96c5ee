// Commands given while a simulation runs: each does what it says, and what was recorded repeats the run.
#include <gtest/gtest.h>

#include "stunt/assess/tracking/verdict.h"
#include "stunt/core/error.h"
#include "stunt/simulate/run_scene.h"
#include "stunt/simulate/simulation.h"
#include "tests/equal_recordings.h"
#include "tests/test_performers.h"

namespace stunt {
namespace {

MotionSpec motion(const std::string& source, bool loop = false) {
  MotionSpec spec;
  spec.source = source;
  spec.loop = loop;
  return spec;
}

void run_until(Simulation& running, double time) {
  while (running.time() < time - 1e-9) running.step();
}

// Caught in the air, the jump becomes a swing as high as the jump has made it.
TEST(Command, AJumpThatBecomesASwingIsTracked) {
  for (const char* controller : {"mcsim", "modal"}) {
    const Verdict verdict = judge_tracking(
        run_scene(load_scene("jump_to_bar", {std::string("actors.0.controller.type=") + controller})), 0);
    EXPECT_TRUE(verdict.tracked) << controller << ": " << verdict.reason;
  }
}

class CommandTest : public testing::TestWithParam<std::string> {};

TEST_P(CommandTest, ARunWithLiveCommandsIsRepeatedByItsRecording) {
  const auto running = test::simulation("engine: " + GetParam() + R"(
duration: 2.5
actors:
  - {name: walker, motion: {source: walk, loop: true}}
  - {name: other, motion: stand, controller: {type: pd, pedestal: true}, position: [0, 3]}
throws: [{actor: walker, start: 0.3, mass: 0.5, speed: 5}]
)");
  run_until(*running, 0.2);
  running->command({0, PushSpec{.actor = "walker", .force = {60, 20, 0}, .duration = 0.1}});
  run_until(*running, 0.6004);
  running->command({0, ThrowSpec{.actor = "other", .mass = 0.5, .speed = 7}});
  running->command({1.0, SetCommand{"walker", "stiffness", "800"}});  // ahead of time
  run_until(*running, 0.8);
  running->command({0.8, SetCommand{"other", "stiffness", "500"}});  // in between
  run_until(*running, 1.2);
  running->command({0, MotionCommand{"walker", motion("march", true), 0.3}});
  run_until(*running, 1.6);
  running->command({0, ControllerCommand{"other", ControllerSpec("ragdoll")}});
  run_until(*running, 1.7);
  running->command({0, SetCommand{"other", "damping", "0.05"}});  // of the new controller
  run_until(*running, 2);
  running->command({0, ResetCommand{"other"}});
  const Recording live = running->run();
  EXPECT_EQ(live.marks.size(), 9u);

  const Scene written = read_scene(live.scene_text, "recording");
  ASSERT_EQ(written.commands.size(), 8u);
  for (std::size_t i = 1; i < 8; ++i) EXPECT_GE(written.commands[i].at, written.commands[i - 1].at);
  const Recording again = run_scene(written);
  test::expect_equal(again, live);
  EXPECT_EQ(again.scene_text, live.scene_text);
}

TEST_P(CommandTest, EachDoesWhatItSays) {
  const auto running =
      test::simulation("engine: " + GetParam() +
                       "\nduration: 3\nactors: [{name: a, motion: stand, controller: {type: pd, "
                       "pedestal: true}}]\n");
  Simulation::Act& act = running->acts()[0];
  ReferenceSample before, after;
  run_until(*running, 0.5);
  running->command({0, SetCommand{"a", "stiffness", "123"}});
  running->step();
  EXPECT_NE(write_settings(act.performer.spec.controller).find("\nstiffness: 123\n"), std::string::npos);
  EXPECT_TRUE(act.performer.spec.controller.help.pedestal) << "the rest stays";

  // The new motion begins where the old one is: no jump in what is followed.
  act.performer.followed->sample(0.51, before);
  run_until(*running, 0.51);
  running->command({0, MotionCommand{"a", motion("march"), 0.3}});
  running->step();
  act.performer.followed->sample(0.511, after);
  VecX jump;
  difference(*act.slot.actor, before.q, after.q, jump);
  EXPECT_LT(jump.norm(), 0.02);
  act.performer.followed->sample(2.0, after);
  difference(*act.slot.actor, before.q, after.q, jump);
  EXPECT_GT(jump.tail(jump.size() - 6).norm(), 0.2) << "it marches";

  run_until(*running, 1.2);
  running->command({0, ControllerCommand{"a", ControllerSpec("ragdoll")}});
  running->step();
  EXPECT_EQ(act.performer.spec.controller.kind(), "ragdoll");
  EXPECT_EQ(act.torque.head<6>().norm(), 0) << "nothing holds the root";
  run_until(*running, 1.6);
  EXPECT_LT(running->engine().q()[2], act.start_q[2] - 0.05) << "it sinks down";

  running->command({0, ResetCommand{"a"}});
  running->step();
  EXPECT_NEAR(act.observation.time, 0, 1e-12) << "its clock starts again";
  EXPECT_LT((Eigen::Map<const VecX>(running->engine().q().data(), act.slot.nq) - act.start_q).norm(), 0.01);
  EXPECT_EQ(running->recording().marks.size(), 4u);
}

TEST_P(CommandTest, ACommandThatCannotBeObeyedIsRefusedWhenItIsGiven) {
  const auto running =
      test::simulation("engine: " + GetParam() + "\nduration: 1\nactors: [{motion: stand}]\n");
  running->step();
  EXPECT_THROW(running->command({0, ResetCommand{"nobody"}}), InputError);
  EXPECT_THROW(running->command({0, PushSpec{.actor = "nobody"}}), InputError);
  EXPECT_THROW(running->command({0, PushSpec{.actor = "stand", .body = "wing"}}), InputError);
  EXPECT_THROW(running->command({0, SetCommand{"stand", "stifness", "3"}}), InputError);
  EXPECT_THROW(running->command({0, SetCommand{"stand", "stiffness", "-3"}}), InputError);
  EXPECT_THROW(running->command({0, MotionCommand{"stand", motion("no_such_motion")}}), InputError);
  EXPECT_THROW(running->command({0, ThrowSpec{.actor = "stand", .size = 0.77}}), InputError)
      << "no such ball waits";
  EXPECT_NO_THROW(running->step());
  EXPECT_TRUE(running->scene().commands.empty());
}

INSTANTIATE_TEST_SUITE_P(Both, CommandTest, testing::Values("mujoco", "ode"),
                         [](const auto& row) { return row.param; });

}  // namespace
}  // namespace stunt
