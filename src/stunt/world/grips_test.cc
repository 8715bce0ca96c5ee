// Grips against the laws of mechanics, on every engine that has them.
#include "stunt/world/grips.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>

#include "malloc_counter.h"
#include "stunt/core/error.h"

namespace stunt {
namespace {

constexpr double kGravity = 9.81;

// A rod of 10 kg and 1 m with nothing but a name, and a chain of two that hangs below its hand.
ActorPtr rod() {
  return Actor::from_xml(R"(<mujoco><worldbody><body name="right_hand" pos="0 0 1.5"><freejoint/>
    <geom type="box" size="0.02 0.02 0.5" mass="10"/></body></worldbody></mujoco>)",
                         "rod", "rod.xml");
}
ActorPtr chain() {
  return Actor::from_xml(R"(<mujoco><worldbody><body name="trunk" pos="0 0 1"><freejoint/>
    <geom type="box" size="0.1 0.15 0.3" mass="40"/>
    <body name="right_hand" pos="0 0 0.35"><joint type="ball" damping="2"/>
      <geom type="capsule" fromto="0 0 0.05 0 0 0.35" size="0.03" mass="2"/></body></body></worldbody></mujoco>)",
                         "chain", "chain.xml");
}

class GripsTest : public testing::TestWithParam<std::string> {
 protected:
  // A fixed bar along y at this height over the origin, a free box, and the grips.
  void make(ActorPtr actor, double bar_height, std::vector<GripSpec> grips, bool ground = false) {
    Environment environment;
    environment.ground.present = ground;
    environment.objects.push_back({.name = "bar",
                                   .shape = "capsule",
                                   .size = {0.03, 2, 0},
                                   .position = {0, 0, bar_height},
                                   .rotation_deg = {90, 0, 0},
                                   .fixed = true});
    environment.objects.push_back(
        {.name = "box", .size = {0.2, 0.2, 0.2}, .position = {0.3, 0, bar_height}, .mass = 5});
    for (GripSpec& grip : grips) grip.actor = "a";
    environment.grips = std::move(grips);
    scene = compile(environment, {{"a", std::move(actor)}});
    engine = make_engine(GetParam(), scene);
    holds = std::make_unique<Grips>(*scene);
  }
  void step() {
    holds->update(engine->time(), *engine);
    engine->step();
  }
  void run_until(double time) {
    while (engine->time() < time - 1e-9) step();
  }
  // The force of a grip on its hand in the last step.
  Vec3 force(int grip = 0) {
    for (const Contact& contact : engine->contacts()) {
      if (contact.grip == grip) return contact.force;
    }
    return Vec3::Zero();
  }
  int body(const std::string& name) const { return mj_name2id(scene->model.get(), mjOBJ_BODY, name.c_str()); }

  std::shared_ptr<const CompiledScene> scene;
  std::unique_ptr<Engine> engine;
  std::unique_ptr<Grips> holds;
};

TEST_P(GripsTest, WhatHangsPullsWithItsWeight) {
  make(chain(), 1.6, {{.actor = {}, .object = "bar"}});
  run_until(4);
  EXPECT_NEAR(force().z(), 42 * kGravity, 0.005 * 42 * kGravity);
  EXPECT_LT(force().head<2>().norm(), 1);
  const int hand = body("a/right_hand");
  const Vec3 palm = engine->body_position(hand) + engine->body_rotation(hand) * scene->grips[0].palm;
  EXPECT_LT((palm - Vec3(0, palm.y(), 1.6)).norm(), 0.002) << "where the bar is";
  EXPECT_LT(Eigen::Map<const VecX>(engine->v().data(), scene->model->nv).head(6).norm(), 0.02);
}

TEST_P(GripsTest, ARodSwingsLikeAPendulum) {
  make(rod(), 2, {{.actor = {}, .object = "bar"}});
  // Turned by 5 degrees about its upper end.
  const double angle = radians(5);
  std::vector<double> q(engine->q().begin(), engine->q().end());
  const std::vector<double> v(engine->v().size(), 0.0);
  q[0] = -0.5 * std::sin(angle);
  q[2] = 2 - 0.5 * std::cos(angle);
  quat_to_wxyz(axis_angle(Vec3::UnitY(), angle), &q[3]);
  engine->set_state(q, v);
  engine->close_grip(0, Vec3(0, 0, 0.5), Vec3::Zero());
  const double inertia = (1.0 + 0.04 * 0.04) / 12 + 0.25,
               period = 2 * kPi * std::sqrt(inertia / (kGravity * 0.5));
  while (engine->time() < period / 2 - 1e-9) engine->step();
  EXPECT_NEAR(engine->q()[0], 0.5 * std::sin(angle), 0.01 * 0.5 * std::sin(angle)) << "on the other side";
  while (engine->time() < period - 1e-9) engine->step();
  EXPECT_NEAR(engine->q()[0], -0.5 * std::sin(angle), 0.02 * 0.5 * std::sin(angle)) << "and back";
}

TEST_P(GripsTest, AnOverloadedGripSlipsOpenAndTheBodyFalls) {
  const double weight = 42 * kGravity;
  make(chain(), 1.55, {{.actor = {}, .object = "bar", .strength = 1.2 * weight}});
  run_until(3);
  EXPECT_EQ(holds->grips()[0].stage, Grips::Stage::holding);
  make(chain(), 1.55, {{.actor = {}, .object = "bar", .strength = 0.8 * weight}});
  run_until(3);
  ASSERT_EQ(holds->grips()[0].stage, Grips::Stage::slipped);
  EXPECT_LT(holds->grips()[0].opened_at, 0.3);
  EXPECT_LT(engine->body_position(body("a/trunk")).z(), -20) << "free fall since";
  std::vector<std::string> notes, warnings;
  holds->describe(0, 3, notes, warnings);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("right_hand slipped off bar at 0."), std::string::npos) << warnings[0];
}

TEST_P(GripsTest, ItClosesWithinReachBetweenItsTimesAndSaysHowFarItWas) {
  make(chain(), 1.6,
       {{.actor = {}, .object = "bar", .from = 0.1, .to = 0.5, .strength = 1e5},
        {.actor = {}, .object = "box", .reach = 0.05}});
  run_until(0.2);
  EXPECT_EQ(holds->grips()[0].stage, Grips::Stage::holding);
  EXPECT_NEAR(holds->grips()[0].closed_at, 0.1, 1e-6);
  run_until(0.6);
  EXPECT_EQ(holds->grips()[0].stage, Grips::Stage::let_go);
  EXPECT_EQ(force(), Vec3::Zero());
  EXPECT_EQ(holds->grips()[1].stage, Grips::Stage::waiting);
  std::vector<std::string> notes, warnings;
  holds->describe(0, 0.6, notes, warnings);
  ASSERT_EQ(notes.size(), 1u);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("never closed"), std::string::npos);
  EXPECT_NE(warnings[0].find("0.20 m away"), std::string::npos) << warnings[0];
}

TEST_P(GripsTest, ARestoredRunRepeatsBitForBit) {
  make(chain(), 1.6, {{.actor = {}, .object = "bar", .to = 0.5}, {.actor = {}, .object = "box", .reach = 1}});
  run_until(0.25);
  const Snapshot saved = engine->save();
  const Grips as_it_was = *holds;
  const Vec3 pull = force();
  run_until(0.8);
  const std::vector<double> q(engine->q().begin(), engine->q().end());
  engine->restore(saved);
  *holds = as_it_was;
  EXPECT_EQ(force(), pull);
  run_until(0.8);
  EXPECT_TRUE(std::equal(q.begin(), q.end(), engine->q().begin()));
  const auto another = make_engine(GetParam(), scene);
  another->restore(saved);
  engine->restore(saved);
  another->step();
  engine->step();
  EXPECT_TRUE(std::equal(engine->q().begin(), engine->q().end(), another->q().begin()));
}

TEST_P(GripsTest, SteppingAllocatesNothing) {
  make(chain(), 1.6, {{.actor = {}, .object = "bar"}, {.actor = {}, .object = "box", .reach = 1}});
  if (!mallocs_can_be_counted()) GTEST_SKIP() << "the sanitizer owns malloc";
  run_until(0.3);
  const long before = malloc_count();
  run_until(0.6);
  EXPECT_EQ(malloc_count() - before, 0);
}

INSTANTIATE_TEST_SUITE_P(Engines, GripsTest, testing::Values("mujoco", "ode", "linearised"),
                         [](const auto& row) { return row.param; });

TEST(Grip, NamesThatBelongToNobodyAreRefused) {
  const auto refused = [](GripSpec grip) {
    Environment environment;
    environment.objects.push_back({.name = "bar", .fixed = true});
    grip.actor = "a";
    environment.grips = {grip};
    try {
      compile(environment, {{"a", chain()}});
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refused({.actor = {}, .object = "bar"}), "");
  EXPECT_EQ(refused({.actor = {}, .object = "rope"}), "grip.0.object: found 'rope', expected one of: bar");
  EXPECT_EQ(refused({.actor = {}, .body = "tail", .object = "bar"}),
            "grip.0.body: found 'tail', expected a role, or one of: trunk, right_hand");
}

TEST(Grip, APenaltyEngineRefusesIt) {
  Environment environment;
  environment.objects.push_back({.name = "bar", .fixed = true});
  environment.grips = {{.actor = "a", .object = "bar"}};
  EXPECT_THROW(make_engine("penalty", compile(environment, {{"a", chain()}})), InputError);
}

}  // namespace
}  // namespace stunt
