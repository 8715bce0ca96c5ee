// Routines in a running simulation: orders, observation, and going on from what was saved.
#include <gtest/gtest.h>

#include "stunt/core/error.h"
#include "stunt/routine/routine.h"
#include "stunt/simulate/simulation.h"

namespace stunt {
namespace {

const char* kBoxer = R"(
name: boxer
duration: 2
actors:
  - name: red
    motion: jab
    routine:
      segments:
        - {name: guard, motion: jab, end: 0.55}
        - {name: jab, motion: {source: jab, start: 0.5, speed: 1.5}, end: 1.5, ease: 0.15, strike: left_hand}
        - {name: block, motion: {source: block, start: 0.6, speed: 2}, end: 2.1, ease: 0.15}
)";

std::string name_of(const Simulation::Act& act) {
  return act.performer.routine->segments()[static_cast<std::size_t>(act.performer.routine->state())].name;
}

TEST(RoutineRun, ObeysOrdersAndReturnsToReady) {
  Simulation run(read_scene(std::string(kBoxer) + R"(
commands:
  - {at: 0.3, play: {segment: jab}}
  - {at: 1.2, play: {segment: block}}
)",
                            "s.yaml"));
  std::vector<std::string> states;
  while (!run.done()) {
    run.step();
    if (states.empty() || states.back() != name_of(run.acts()[0])) states.push_back(name_of(run.acts()[0]));
  }
  EXPECT_EQ(states, (std::vector<std::string>{"guard", "jab", "guard", "block", "guard"}));
  EXPECT_FALSE(run.recording().actors[0].fall);
  const Channel& channel = run.recording().actors[0].channels.at("state");
  EXPECT_EQ(channel.rows(), run.recording().samples());
  EXPECT_EQ(channel.all<std::uint8_t>()[60], 1) << "0.5 s: in the jab";
  EXPECT_EQ(run.recording().actors[0].states[1], "jab");
  EXPECT_EQ(run.recording().marks.size(), 2u);
}

TEST(RoutineRun, GoesOnBitForBit) {
  const Scene scene = read_scene(std::string(kBoxer) + R"(      rules:
        - {when: idle, do: jab block, pause: 0.1}
)",
                                 "s.yaml");
  Simulation run(scene);
  while (run.time() < 0.6) run.step();
  const auto saved = run.save();
  const auto end = [&] {
    while (run.time() < 1.2) run.step();
    return std::vector<double>(run.engine().q().begin(), run.engine().q().end());
  };
  const auto first = end();
  run.restore(*saved);
  EXPECT_EQ(first, end());
  Simulation again(scene);
  while (again.time() < 1.2) again.step();
  EXPECT_EQ(first, std::vector<double>(again.engine().q().begin(), again.engine().q().end()));
}

// A target that the hand can reach is met by the reference at the time of the hit; one that it cannot is told of.
TEST(RoutineRun, AimsAtAPlaceAndSaysWhatIsOutOfReach) {
  Simulation run(read_scene(std::string(kBoxer) + R"(
commands:
  - {at: 0.2, play: {segment: jab, target: [3, 0, 1.4]}}
)",
                            "s.yaml"));
  while (run.time() < 0.21) run.step();
  const Routine& routine = *run.acts()[0].performer.routine;
  ASSERT_EQ(routine.missed().size(), 1u);
  EXPECT_GT(routine.missed()[0].short_by, 1.5);
  const Recording recording = run.run();
  ASSERT_FALSE(recording.actors[0].notes.empty());
  EXPECT_NE(recording.actors[0].notes.back().find("m out of reach"), std::string::npos);
}

TEST(RoutineRun, IsWrittenAndReadBack) {
  const Scene scene =
      read_scene(std::string(kBoxer) + "      rules:\n        - {when: idle, do: jab block}\n", "s.yaml");
  const std::string text = write_settings(scene);
  EXPECT_EQ(write_settings(read_scene(text, "again")), text);
  const std::string without = write_settings(read_scene("actors:\n  - motion: jab\n", "s.yaml"));
  EXPECT_EQ(write_settings(read_scene(without, "again")), without);
}

TEST(RoutineRun, RefusesWhatMakesNoSense) {
  const auto refusal = [](const std::string& text) -> std::string {
    try {
      read_scene(text, "s.yaml");
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  const std::string head = "actors:\n  - name: red\n    motion: jab\n    routine:\n";
  const std::string guard = "      segments:\n        - {name: guard, motion: jab}\n";
  EXPECT_EQ(refusal(head + "      rules:\n        - {when: idle, do: jab}\n"),
            "s.yaml:6: actors.0.routine.rules.0: found a rule, and no segment, expected segments to play");
  EXPECT_NE(refusal(head + "      opponent: blue\n").find("found no segment, with 'opponent'"),
            std::string::npos);
  EXPECT_EQ(
      refusal(head + guard + "      rules:\n        - {when: idle, do: punch}\n"),
      "s.yaml:8: actors.0.routine.rules.0.do: found the unknown segment 'punch', expected some of: guard");
  EXPECT_EQ(refusal(head + guard + "      rules:\n        - {when: idle}\n"),
            "s.yaml:8: actors.0.routine.rules.0.do: found no segment, expected at least one");
  EXPECT_NE(refusal(head + "      segments:\n        - {name: a, motion: {source: jab, start: 1}, end: 1}\n")
                .find("no time after the start at 1 s, expected a later end"),
            std::string::npos);
  EXPECT_NE(
      refusal(head + guard + "      opponent: blue\n").find("expected another of the scene's characters"),
      std::string::npos);
  EXPECT_NE(
      refusal(head + guard + "commands:\n  - {at: 1, play: {segment: jab}}\n").find("expected one of: guard"),
      std::string::npos);
  // A loop without time is found when the motion is there.
  const Scene scene = read_scene(
      head +
          "      segments:\n        - {name: a, motion: {source: jab, start: 1}, end: 1.01}\nduration: 1\n",
      "s.yaml");
  EXPECT_THROW(Simulation run(scene), InputError);
}

}  // namespace
}  // namespace stunt
