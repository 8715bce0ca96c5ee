#include "stunt/experiment/experiment.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "stunt/core/error.h"
#include "stunt/experiment/plan_times.h"
#include "stunt/experiment/plot.h"
#include "stunt/simulate/performer.h"
#include "stunt/simulate/prepared_motions.h"
#include "stunt/simulate/run_scene.h"

namespace stunt {
namespace {

int count(const std::string& text, const std::string& what) {
  int found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

TEST(Experiment, PushesComeFromAllSidesInAllPhases) {
  const Experiment experiment = mcsim_experiment(
      {.parts = {"pushes"}, .engines = {"mujoco"}, .presets = {"default"}, .characters = {"fit"}});
  ASSERT_EQ(experiment.parts.size(), 1u);
  ASSERT_EQ(experiment.trials.size(), 4u * 64u);
  std::set<std::string> details;
  std::set<double> starts;
  Vec3 sum = Vec3::Zero();
  for (const Trial& trial : experiment.trials) {
    const Scene scene = read_scene("", "test", trial.keys);
    ASSERT_EQ(scene.pushes.size(), 1u);
    EXPECT_NEAR(scene.pushes[0].force.norm(), std::stod(trial.value), 1e-3);
    EXPECT_NEAR(scene.duration, scene.pushes[0].start + 3, 1e-3);
    sum += scene.pushes[0].force;
    starts.insert(scene.pushes[0].start);
    details.insert(trial.value + trial.detail);
  }
  EXPECT_LT(sum.norm(), 1e-2);
  EXPECT_EQ(starts.size(), 8u);
  EXPECT_EQ(details.size(), experiment.trials.size());
}

TEST(Experiment, CapturedWalksArePushedEachByItself) {
  const ExperimentOptions both = {.parts = {"pushes", "captured_pushes"},
                                  .engines = {"mujoco"},
                                  .presets = {"default"},
                                  .characters = {"fit"},
                                  .motions = {"data/motions/limp.bvh", "data/motions/march.bvh"}};
  const Experiment experiment = mcsim_experiment(both);
  ASSERT_EQ(experiment.parts.size(), 2u);
  ASSERT_EQ(experiment.trials.size(), 3u * 4u * 64u);
  std::map<std::string, int> counts;
  for (const Trial& trial : experiment.trials) {
    ++counts[trial.value];
    const Scene scene = read_scene("", "test", trial.keys);
    EXPECT_TRUE(scene.actors[0].motion.loop);
    EXPECT_EQ(trial.part == "pushes", trial.motion == "walk");
    EXPECT_NEAR(scene.duration, scene.pushes.at(0).start + 3, 1e-3);
  }
  EXPECT_EQ(counts.size(), 12u);
  EXPECT_EQ(counts.at("limp, 100"), 64);
  EXPECT_THROW(mcsim_experiment({.parts = {"captured_pushes"}}), InputError);
}

// A length just beyond a sample, which no step of 2 ms reaches.
TEST(Experiment, ATrialOfAnyLengthIsCompleted) {
  Trial trial;
  trial.part = "slopes";
  trial.keys = {"actors.0.motion.source=stand", "duration=0.5084", "timestep=0.002"};
  const TrialOutcome outcome = run_trial(trial);
  EXPECT_EQ(outcome.error, "");
  EXPECT_TRUE(outcome.completed);
}

// A motion that was prepared for another trial is the one that the trial would have prepared.
TEST(Experiment, MotionsPreparedTogetherGiveTheSameRuns) {
  Experiment experiment;
  for (const char* speed : {"1", "1.2"}) {
    Trial trial;
    trial.part = "slopes";
    trial.motion = "walk";
    trial.keys = {"actors.0.motion.source=walk", "duration=0.3",
                  std::string("actors.0.motion.speed=") + speed};
    experiment.trials.push_back(trial);
  }
  PreparedMotions prepared;
  prepare_motions(experiment, prepared);
  std::set<double> errors;
  for (const Trial& trial : experiment.trials) {
    const TrialOutcome alone = run_trial(trial), together = run_trial(trial, &prepared);
    EXPECT_EQ(together.error, "");
    ASSERT_TRUE(alone.squared_error && together.squared_error);
    EXPECT_EQ(*alone.squared_error, *together.squared_error);
    errors.insert(*alone.squared_error);
  }
  EXPECT_EQ(errors.size(), 2u);
}

TEST(Experiment, EveryTrialOfHitAndReactIsASceneThatCanBeRead) {
  const Experiment experiment = hit_react_experiment({});
  std::set<std::string> parts;
  Vec3 sum = Vec3::Zero();
  for (const Trial& trial : experiment.trials) {
    SCOPED_TRACE(trial.part + " " + trial.value);
    parts.insert(trial.part);
    const Scene scene =
        trial.scene.empty() ? read_scene("", "test", trial.keys) : load_scene(trial.scene, trial.keys);
    EXPECT_EQ(scene.engine, trial.setup.engine);
    EXPECT_EQ(scene.actors[0].controller.kind(), "hit_react");
    EXPECT_EQ(scene.actors[0].controller.preset(), trial.setup.preset);
    EXPECT_TRUE(trial.measure || trial.run);
    for (const PushSpec& push : scene.pushes) sum += push.force;
  }
  EXPECT_EQ(parts.size(), experiment.parts.size());
  EXPECT_LT(sum.norm(), 1e-2) << "blows do not come from all sides";
  EXPECT_EQ(
      hit_react_experiment({.parts = {"figure7"}, .engines = {"ode"}, .presets = {"paper"}}).trials.size(),
      4u * 2u);
  EXPECT_THROW(hit_react_experiment({.parts = {"figure10"}}), InputError);
  EXPECT_THROW(hit_react_experiment({.engines = {"nothing"}}), InputError);
  EXPECT_THROW(hit_react_experiment({.presets = {"nothing"}}), InputError);
  EXPECT_THROW(hit_react_experiment({.characters = {"biped28"}}), InputError);
}

TEST(Experiment, EveryTrialIsASceneThatCanBeRead) {
  const Experiment experiment = mcsim_experiment({.presets = {"default"}});
  std::set<std::string> parts;
  for (const Trial& trial : experiment.trials) {
    parts.insert(trial.part);
    if (trial.part == "table4") continue;
    const Scene scene =
        trial.scene.empty() ? read_scene("", "test", trial.keys) : load_scene(trial.scene, trial.keys);
    EXPECT_EQ(scene.engine, trial.setup.engine);
    EXPECT_EQ(scene.actors[0].character, trial.setup.character);
  }
  EXPECT_EQ(parts.size(), experiment.parts.size());
  EXPECT_THROW(mcsim_experiment({.parts = {"nothing"}}), InputError);
  EXPECT_THROW(mcsim_experiment({.engines = {"nothing"}}), InputError);
}

// Three ways to write a plan have one solution.
TEST(Experiment, PlansAgreeHoweverTheyAreWritten) {
  for (const char* character : {"mcsim2d", "fit"}) {
    const Scene scene =
        read_scene("", "test", {"actors.0.motion=walk", fmt::format("actors.0.character={}", character)});
    const std::vector<Performer> performers = make_performers(scene);
    const auto rows = plan_times(*performers[0].shown, 40);
    ASSERT_GE(rows.size(), 2u);  // one foot, both feet
    for (const PlanTimes& row : rows) {
      EXPECT_LT(row.largest_difference, 0.02) << character << " with " << row.contacts << " contacts";
      EXPECT_EQ(row.dummy_variables - row.plain_variables, performers[0].actor->nv());
      EXPECT_GT(row.dummy_us, 0);
    }
  }
}

TEST(Experiment, TheSquaredErrorIsThatOfJointsAndRootRotation) {
  const Scene scene = read_scene("duration: 0.1\nactors: [{motion: stand}]\n", "test");
  Recording recording = run_scene(scene);
  const ActorSlot& slot = recording.scene->actors[0];
  const int hinge = [&] {  // one more radian in a hinge, ten metres of the root
    for (const ActorJoint& joint : slot.actor->joints()) {
      if (joint.type == JointType::hinge) return joint.q_address;
    }
    return -1;
  }();
  ASSERT_GE(hinge, 0);
  double* q = &recording.channels.at("q").all<double>()[static_cast<std::size_t>(slot.first_q)];
  std::copy_n(q, slot.nq, recording.actors[0].channels.at("reference_q").all<double>().begin());
  q[hinge] += 0.5;
  q[0] += 10;
  quat_to_wxyz(quat_from_wxyz(q + 3) * axis_angle(Vec3::UnitX(), 0.3), q + 3);
  EXPECT_NEAR(squared_error(recording, 0)[0], 0.25 + 0.09, 1e-9);
}

TEST(Experiment, FilesSayWhatTheOutcomesSay) {
  Experiment experiment = mcsim_experiment({.parts = {"slopes", "feet"},
                                            .engines = {"mujoco"},
                                            .presets = {"default"},
                                            .characters = {"fit", "mcsim2d"}});
  std::vector<TrialOutcome> outcomes(experiment.trials.size());
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    outcomes[i].completed = i % 2 == 0;
    if (i % 2) outcomes[i].fell_at_s = 1.5;
    outcomes[i].reason = "a \"hand\", or so";
    outcomes[i].joint_error_deg = 2.0;
    if (experiment.trials[i].curve) outcomes[i].curve = {0.1, 0.2, 0.0};
  }
  outcomes[1] = {};
  outcomes[1].error = "<no> such thing";
  const auto files = experiment_files(experiment, outcomes);
  ASSERT_EQ(files.size(), 4u);
  EXPECT_EQ(files[0].first, "slopes.csv");
  EXPECT_EQ(count(files[0].second, "\n"), 1 + 2 * 9);
  EXPECT_EQ(count(files[0].second, "\"a \"\"hand\"\", or so\""), 17);
  EXPECT_EQ(files[2].first, "feet_curves.csv");
  EXPECT_EQ(count(files[2].second, "\n"), 1 + 2 * 4 * 3);
  const std::string& page = files[3].second;
  EXPECT_EQ(count(page, ">done"), 9 + 4);
  EXPECT_EQ(count(page, ">fell 1.5 s"), 8 + 4);
  EXPECT_EQ(count(page, "&lt;no&gt; such thing"), 1);
  EXPECT_EQ(count(page, "<svg"), 2);
  EXPECT_EQ(count(page, "http"), 0);  // offline
  int completed = 0;
  for (const auto& row : tables(experiment, outcomes)) completed += row["completed"].get<int>();
  EXPECT_EQ(completed, 13);
}

TEST(Plot, DrawsEveryLineInsideItsFrame) {
  const std::string svg =
      to_svg({"a & b", "x", "y", {{"one", {{0, 1}, {1, 10}, {2, 0}}}, {"two", {{0, 100}, {2, NAN}}}}, true});
  EXPECT_EQ(count(svg, "<polyline"), 2);
  EXPECT_EQ(count(svg, "a &amp; b"), 2);
  EXPECT_EQ(count(svg, "nan"), 0);
  EXPECT_EQ(count(svg, "inf"), 0);
  EXPECT_NE(svg.find("points=\"56.0,218.0 448.0,123.0 \""), std::string::npos)
      << svg;  // log: 10 is halfway from 1 to 100
}

TEST(Experiment, DataDrivenTrialsAreScenesWithAReward) {
  const Experiment experiment = data_driven_experiment({.engines = {"mujoco"}});
  for (const Trial& trial : experiment.trials) {
    const Scene scene = read_scene("", "test", trial.keys);
    EXPECT_EQ(scene.actors[0].controller.preset(), trial.setup.preset);
    EXPECT_GT(trial.wanted, 1);
    EXPECT_GT(scene.actors[0].plant.motor_noise + (trial.part == "noise"), 0);
  }
  EXPECT_THROW(data_driven_experiment({.parts = {"nothing"}}), InputError);

  Trial trial = experiment.trials.front();
  trial.keys.push_back("duration=0.5");
  const TrialOutcome outcome = run_trial(trial);
  EXPECT_EQ(outcome.error, "");
  ASSERT_TRUE(outcome.reward);
  EXPECT_TRUE(outcome.completed) << *outcome.reward;
}

}  // namespace
}  // namespace stunt
