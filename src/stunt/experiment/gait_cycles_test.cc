#include "stunt/experiment/gait_cycles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "stunt/core/error.h"
#include "stunt/experiment/experiment.h"

namespace stunt {
namespace {

// A made-up gait whose cycle of 1.2 s is known.
TEST(GaitCycles, AMadeUpGaitComesOutAsItWasPutIn) {
  const CreaturePtr human = Creature::load("human");
  const mjModel& model = human->actor()->model();
  CycleRecorder recorder(*human, 0);
  const double weight = human->actor()->mass() * human->actor()->gravity();
  VecX q = human->actor()->rest_q(), activation = VecX::Zero(40);
  const int hip = model.jnt_qposadr[mj_name2id(&model, mjOBJ_JOINT, "left_hip_bend")];
  LegState left, right;
  for (int i = 0; i < 12000; ++i) {
    const double time = 0.001 * i, phase = std::fmod(time + 0.3, 1.2) / 1.2;
    q[0] = 1.1 * time;
    q[hip] = radians(20 + 15 * std::cos(2 * kPi * phase));
    left.phase = phase < 0.6 ? LegPhase::stance : LegPhase::swing;
    left.touches = phase < 0.6;
    right.touches = phase < 0.1 || phase > 0.5;
    activation[0] = phase;
    const double load = phase < 0.6 ? weight * std::sin(kPi * phase / 0.6) : 0;
    recorder.see({time,
                  {q.data(), static_cast<std::size_t>(q.size())},
                  {Vec3(0, 0, load), Vec3::Zero()},
                  {&left, &right},
                  activation});
  }
  const GaitCycles cycles = recorder.mean();
  EXPECT_EQ(cycles.strides, 9);
  EXPECT_NEAR(cycles.cadence, 100, 0.2);
  EXPECT_NEAR(cycles.stride_m, 1.32, 0.005);
  EXPECT_NEAR(cycles.double_support, 0.2, 0.01);
  EXPECT_NEAR(cycles.hip[0], 35, 0.1);
  EXPECT_NEAR(cycles.hip[50], 5, 0.1);
  EXPECT_NEAR(cycles.vertical[30], 1, 0.01);
  EXPECT_NEAR(cycles.activation[0][40], 0.4, 0.01);
  std::array<double, 10> norm{};
  for (int i = 0; i < 10; ++i) norm[static_cast<std::size_t>(i)] = 20 + 15 * std::cos(0.2 * kPi * i) + 3;
  EXPECT_NEAR(difference_to_norm(cycles.hip, norm), 3, 0.05);
}

TEST(GaitCycles, TheExperimentLaysTheHumansWalkBesideHumans) {
  const Experiment experiment = muscles_experiment({.parts = {"norms"}});
  ASSERT_EQ(experiment.trials.size(), 2u);
  const TrialOutcome outcome = experiment.trials[0].run();
  EXPECT_TRUE(outcome.completed);
  const auto measured = [&](const std::string& name) {
    for (const MeasuredNumber& one : outcome.measured) {
      if (one.name == name) return one.value;
    }
    ADD_FAILURE() << name;
    return 0.0;
  };
  EXPECT_GE(measured("strides"), 10);
  EXPECT_LT(measured("hip RMS (deg)"), 25);
  EXPECT_NEAR(measured("stride (m)") * measured("steps a minute") / 120, measured("speed (m/s)"), 0.05);
  EXPECT_EQ(outcome.lines.size(), 6u);
}

TEST(GaitCycles, EveryPartOfTheExperimentHasTrials) {
  const Experiment experiment = muscles_experiment({});
  for (const ExperimentPart& part : experiment.parts) {
    EXPECT_TRUE(std::any_of(experiment.trials.begin(), experiment.trials.end(), [&](const Trial& trial) {
      return trial.part == part.name && trial.run;
    })) << part.name;
  }
  EXPECT_THROW(muscles_experiment({.parts = {"dancing"}}), InputError);
}

}  // namespace
}  // namespace stunt
