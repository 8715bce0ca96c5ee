#include "stunt/control/muscle/muscle_gait.h"

#include <gtest/gtest.h>

#include "stunt/core/error.h"
#include "stunt/simulate/run_scene.h"
#include "stunt/simulate/simulation.h"
#include "stunt/world/mujoco/mujoco_state.h"

namespace stunt {
namespace {

Scene walking(const std::string& engine, double duration) {
  Scene scene = read_scene("actors: [{name: human, character: human, controller: muscle}]", "test");
  scene.engine = engine;
  scene.timestep = 0.00125;
  scene.duration = duration;
  return scene;
}

TEST(MuscleGait, LegStatesFollowOneAnother) {
  const LegThresholds thresholds{20, -0.4, -0.1};
  LegState legs[2] = {{LegPhase::swing, false, 0}, {LegPhase::stance, true, 0}};
  double time = 0;
  const auto step = [&](double left_load, double right_load, double left_ahead, double right_ahead) {
    update_legs(thresholds, time += 0.05, {left_load, right_load}, {left_ahead, right_ahead}, legs);
  };
  step(500, 500, -0.3, 0);
  EXPECT_EQ(legs[0].phase, LegPhase::swing) << "contact is not looked at when a swing has just begun";
  step(0, 700, 0, -0.1);
  EXPECT_EQ(legs[0].phase, LegPhase::preparation);
  step(500, 500, 0.3, -0.3);
  EXPECT_EQ(legs[0].phase, LegPhase::stance);
  EXPECT_EQ(legs[1].phase, LegPhase::lift_off) << "the one behind lifts off when the other lands";
  step(700, 9, 0.2, -0.4);
  EXPECT_EQ(legs[1].phase, LegPhase::lift_off) << "9 N still touch: a contact ends at 0.4 of the threshold";
  step(700, 7, 0.2, -0.4);
  EXPECT_EQ(legs[1].phase, LegPhase::swing);
  step(700, 0, -0.41, -0.3);
  EXPECT_EQ(legs[0].phase, LegPhase::lift_off) << "or when it is far behind";
}

TEST(MuscleGait, MusclesAreUsedForWhatAnatomySays) {
  const CreaturePtr human = Creature::load("human");
  const std::vector<MuscleUse> uses = muscle_uses(*human);
  const auto use = [&](const std::string& kind) {
    for (std::size_t i = 0; i < uses.size(); ++i) {
      if (human->kinds()[i] == kind) return uses[i];
    }
    ADD_FAILURE() << kind;
    return MuscleUse{};
  };
  EXPECT_EQ(use("HFM").hip, -1);
  EXPECT_EQ(use("GMX").hip, 1);
  EXPECT_EQ(use("HAM").hip, 1);
  EXPECT_EQ(use("HAM").knee, -1);
  EXPECT_EQ(use("RF").hip, -1);
  EXPECT_EQ(use("RF").knee, 1);
  EXPECT_EQ(use("GAS").knee, -1);
  EXPECT_EQ(use("GAS").ankle, 1);
  EXPECT_EQ(use("TA").ankle, -1);
  EXPECT_TRUE(use("SOL").extends_under_load);
  EXPECT_FALSE(use("TA").extends_under_load);
  EXPECT_TRUE(use("SA").trunk);
  EXPECT_FALSE(use("SHF").trunk);
  EXPECT_DOUBLE_EQ(use("SOL").delay, 0.02);
  EXPECT_DOUBLE_EQ(use("VAS").delay, 0.01);
  EXPECT_DOUBLE_EQ(use("GMD").delay, 0.005);
}

TEST(MuscleGait, TheGeneralGuessTakesSteps) {
  for (const char* engine : {"mujoco", "ode"}) {
    Simulation simulation(walking(engine, 2));
    const Recording recording = simulation.run();
    EXPECT_FALSE(recording.actors[0].fall) << engine;
    EXPECT_GT(simulation.engine().q()[0], 1.5) << engine << ": m forward";
    EXPECT_EQ(recording.actors[0].assist_force_mean, 0) << "nothing helps from outside";
  }
}

TEST(MuscleGait, KinematicsOfAnEngineServeAsWellAsItsOwn) {
  Simulation simulation(walking("penalty", 2));
  while (simulation.time() < 0.5) simulation.step();
  const CreaturePtr human = Creature::load("human");
  const auto* engine = dynamic_cast<const MujocoState*>(&simulation.engine());
  ASSERT_NE(engine, nullptr);
  MuscleBody own(human, general_guess(*human)), other(human, general_guess(*human));
  own.sense(VecX::Map(engine->q().data(), human->actor()->nq()),
            VecX::Map(engine->v().data(), human->actor()->nv()));
  other.sense(engine->kinematics());
  EXPECT_LT((own.felt().com - other.felt().com).norm(), 1e-12);
  EXPECT_LT((own.felt().com_velocity - other.felt().com_velocity).norm(), 1e-12);
  EXPECT_LT((own.felt().paths->length() - other.felt().paths->length()).norm(), 1e-12);
}

TEST(MuscleGait, IdealMusclesPullAsTheyAreExcited) {
  const CreaturePtr human = Creature::load("human");
  MuscleBody body(human, general_guess(*human), true);
  const VecX q = human->actor()->rest_q(), v = VecX::Zero(human->actor()->nv());
  body.sense(q, v);
  Actuation asked;
  asked.torque = v;
  asked.excitation = VecX::LinSpaced(40, 0, 1);
  VecX torque;
  body.drive(q, v, 0.001, asked, torque);
  EXPECT_LT(
      (body.felt().state->force - asked.excitation.cwiseProduct(body.felt().fibres->max_force())).norm(),
      1e-9);
}

TEST(MuscleGait, ARestoredRunRepeatsBitForBit) {
  Simulation simulation(walking("mujoco", 2));
  while (simulation.time() < 0.4) simulation.step();
  const auto saved = simulation.save();
  const auto on = [&] {
    while (simulation.time() < 0.8) simulation.step();
    return std::vector<double>(simulation.engine().q().begin(), simulation.engine().q().end());
  };
  const std::vector<double> first = on();
  simulation.restore(*saved);
  EXPECT_EQ(on(), first);
}

TEST(MuscleGait, AGaitIsWrittenAndReadBack) {
  MuscleGaitSettings settings;
  Config config = Config::parse("{speed: 2, parameters: {HAM: {strength: 1.25, point0: {x: -0.5}}}}", "test");
  read_settings(config, settings);
  config.done();
  MuscleGaitSettings again;
  Config back = Config::parse(write_gait(settings), "test");
  read_settings(back, again);
  back.done();
  EXPECT_EQ(again.parameters, settings.parameters);
  EXPECT_EQ(again.parameters.at("HAM.strength"), 1.25);
  EXPECT_EQ(again.parameters.at("HAM.point0.x"), -0.5);
  EXPECT_EQ(again.speed, 2);
}

TEST(MuscleGait, WhatDoesNotFitIsNamed) {
  const auto message = [](const std::string& scene) -> std::string {
    try {
      Simulation simulation(read_scene(scene, "test"));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const auto has = [&](const std::string& scene, const std::string& text) {
    EXPECT_NE(message(scene).find(text), std::string::npos) << message(scene);
  };
  has("actors: [{character: human, controller: {type: muscle, speed: 50}}]", "speed");
  has("actors: [{character: human, controller: {type: muscle, speed: 0}}]", "speed");
  has("actors: [{character: human, controller: {type: muscle, creature: human, file: ostrich_walk}}]",
      "a gait of 'ostrich'");
  has("actors: [{character: human, controller: {type: muscle, file: ostrich_walk}}]", "creature");
  has("actors: [{character: human, controller: {type: muscle, parameters: {TAP: {stance: 1}}}}]", "TAP");
  has("actors: [{character: humanoid, controller: muscle}]", "creature");
  has("actors: [{character: human, controller: {type: muscle, creature: dragon}}]", "dragon");
}

}  // namespace
}  // namespace stunt
