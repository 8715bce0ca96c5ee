// Balls that bounce, on every engine, against the laws of impact.
#include "stunt/world/bouncing.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>

#include "tests/test_scenes.h"

namespace stunt {
namespace {

using test::compile_yaml;

constexpr const char* kTable = R"(
ground: {present: false}
objects:
  - {name: table, shape: box, size: [3, 3, 0.02], position: [0, 0, -0.01], fixed: true, restitution: 0.876, friction: 0.25}
  - {name: ball, shape: sphere, size: 0.04, mass: 0.0027, hollow: true, bounces: true, position: [0, 0, 1]}
)";

class BouncingTest : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Engine> yaml(const std::string& text, const char* actor = test::kSmallActor) {
    return make_engine(GetParam(), compile_yaml(text, actor));
  }
};

int ball_of(const Engine& engine) { return engine.scene().balls.at(0).body; }
Vec3 velocity(const Engine& engine) {
  return engine.body_velocity_at(ball_of(engine), engine.body_position(ball_of(engine)));
}
void launch(Engine& engine, const Vec3& from, const Vec3& with) {
  engine.place_free_body(ball_of(engine), from, Quat::Identity(), with, Vec3::Zero());
}

// The rule of the game: dropped from 30 cm it comes back to 23.
TEST_P(BouncingTest, ADroppedBallComesBackToItsHeight) {
  const auto engine = yaml(kTable);
  launch(*engine, Vec3(0, 0, 0.32), Vec3::Zero());
  double lowest = 1, top = 0;
  for (int i = 0; i < 700; ++i) {
    engine->step();
    const double z = engine->body_position(ball_of(*engine)).z() - 0.02;
    lowest = std::min(lowest, z);
    if (engine->time() > 0.3) top = std::max(top, z);
  }
  EXPECT_NEAR(top, 0.876 * 0.876 * 0.3, 0.001);
  EXPECT_GT(lowest, -1e-4);
}

TEST_P(BouncingTest, TheSpeedsObeyRestitutionUpToTenMetresPerSecond) {
  for (const double speed : {0.5, 2.0, 5.0, 10.0}) {
    const auto engine = yaml(std::string("gravity: 0\n") + kTable);
    launch(*engine, Vec3(0, 0, 0.0537), Vec3(0, 0, -speed));
    for (int i = 0; i < 200 && velocity(*engine).z() < 0; ++i) engine->step();
    EXPECT_NEAR(velocity(*engine).z(), 0.876 * speed, 1e-6 * speed) << speed;
  }
}

// Obliquely: it slides or sticks by Coulomb's law. With the hollow sphere's inertia 2/3 m r^2 the surface has the mobility
// 1/m + r^2 / I = 5/2 / m, so sticking takes 2/5 of the tangential momentum.
TEST_P(BouncingTest, ObliquelyFrictionIsCoulombs) {
  for (const double angle : {10.0, 30.0, 57.0, 75.0}) {
    const auto engine = yaml(std::string("gravity: 0\n") + kTable);
    const double down = 6 * std::cos(radians(angle)), along = 6 * std::sin(radians(angle));
    launch(*engine, Vec3(0, 0, 0.05), Vec3(along, 0, -down));
    for (int i = 0; i < 100; ++i) engine->step();
    const double change = std::min(0.25 * 1.876 * down, 0.4 * along);
    EXPECT_NEAR(velocity(*engine).x(), along - change, 1e-6) << angle;
    EXPECT_NEAR(velocity(*engine).z(), 0.876 * down, 1e-6) << angle;
    const Vec3 spin = engine->body_rotation(ball_of(*engine)) *
                      Eigen::Map<const Vec3>(engine->v().data() + engine->scene().free_bodies[0].first_v + 3);
    EXPECT_NEAR(spin.y(), change * 0.02 / (2.0 / 3 * 0.02 * 0.02), 1e-3) << angle;
  }
}

TEST_P(BouncingTest, WithoutFrictionItNeverSpins) {
  const auto engine = yaml(R"(
gravity: 0
ground: {restitution: 0.8}
objects: [{shape: sphere, size: 0.04, mass: 0.0027, friction: 0, bounces: true, position: [0, 0, 0.1]}])");
  launch(*engine, Vec3(0, 0, 0.05), Vec3(3, 0, -4));
  for (int i = 0; i < 100; ++i) engine->step();
  EXPECT_NEAR(velocity(*engine).x(), 3, 1e-9);
  EXPECT_NEAR(velocity(*engine).z(), 3.2, 1e-6);
}

// An arm of two links swings a plate into the ball: the relative speed at the place of the impact turns round, and
// nothing but the two exchanges momentum.
constexpr const char* kArm = R"(<mujoco><worldbody><body name="upper" pos="0 0 1"><joint axis="0 0 1"/>
  <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.04" mass="2" contype="0" conaffinity="0"/>
  <body name="fore" pos="0.3 0 0"><joint axis="0 0 1" armature="0"/>
    <geom type="capsule" fromto="0 0 0 0.25 0 0" size="0.03" mass="1" contype="0" conaffinity="0"/>
    <body name="plate" pos="0.35 0 0"><geom type="box" size="0.08 0.005 0.08" mass="0.15"/></body>
  </body></body></worldbody></mujoco>)";

TEST_P(BouncingTest, ASwingingArmHitsAndFeelsIt) {
  for (const double mass : {0.0027, 0.1}) {
    for (const double swing : {2.0, 8.0}) {
      Scene scene = read_scene(fmt::format(R"(
gravity: 0
ground: {{present: false}}
actors: [{{name: a, motion: x}}]
objects: [{{shape: sphere, size: 0.04, mass: {}, bounces: true, friction: 0, position: [0.62, 0.2, 1]}}])",
                                           mass),
                               "test");
      const ActorPtr arm = Actor::from_xml(kArm, "a", "test");
      Attachment surface{.name = "plate", .restitution = 0.8};
      const auto engine =
          make_engine(GetParam(), compile(scene, {{.name = "a", .actor = arm, .attachments = {surface}}}));
      std::vector<double> q(engine->q().begin(), engine->q().end()), v(engine->v().size(), 0.0);
      v[0] = swing;
      engine->set_state(q, v);
      launch(*engine, Vec3(0.62, 0.1, 1), Vec3(0, -3, 0));
      const int plate = 3;
      Vec3 before = Vec3::Zero(), after = Vec3::Zero(), normal = Vec3::Zero();
      for (int i = 0; i < 300 && normal.isZero(); ++i) {
        const Vec3 at = engine->body_position(ball_of(*engine));
        before = velocity(*engine) - engine->body_velocity_at(plate, at);
        engine->step();
        for (const Contact& contact : engine->contacts()) {
          if (contact.body2 != ball_of(*engine)) continue;
          normal = contact.normal;
          after = velocity(*engine) - engine->body_velocity_at(plate, contact.point);
          EXPECT_EQ(contact.body1, plate);
          EXPECT_NEAR(contact.force.norm() * engine->timestep(),
                      mass * (velocity(*engine) - Vec3(0, -3, 0)).norm(), 1e-9);
        }
      }
      ASSERT_FALSE(normal.isZero()) << "the plate went through the ball";
      // ODE's bodies carry more inertia than the model says, and the plate turns on within the step.
      const double tolerance = GetParam() == "ode" && mass > 0.01 ? 0.12 : 0.03;
      EXPECT_NEAR(after.dot(normal), -0.8 * before.dot(normal), tolerance * -before.dot(normal))
          << mass << " kg, " << swing << " rad/s";
    }
  }
}

// A plate 6 mm thin, a ball of 40 mm, 20 m/s between them: 20 mm a step.
TEST_P(BouncingTest, NothingIsTunnelled) {
  for (int i = 0; i < 20; ++i) {
    const auto engine = yaml(R"(
gravity: 0
ground: {present: false}
objects:
  - {name: wall, shape: box, size: [1, 0.006, 1], fixed: true, restitution: 0.5}
  - {shape: sphere, size: 0.04, mass: 0.0027, bounces: true, position: [0, 1, 0]})");
    launch(*engine, Vec3(0, 0.1 + 0.001 * i, 0), Vec3(1, -20, 0));
    double nearest = 1;
    for (int k = 0; k < 50; ++k) {
      engine->step();
      nearest = std::min(nearest, engine->body_position(ball_of(*engine)).y());
    }
    EXPECT_GE(nearest, 0.023 - 1e-9);
    EXPECT_NEAR(velocity(*engine).y(), 10, 1e-6);
  }
}

TEST_P(BouncingTest, ABallComesToRest) {
  const auto engine = yaml(kTable);
  launch(*engine, Vec3(0, 0, 0.1), Vec3(0.2, 0, 0));
  for (int i = 0; i < 6000; ++i) engine->step();
  EXPECT_NEAR(engine->body_position(ball_of(*engine)).z(), 0.02, 2e-4);
  EXPECT_LT(std::abs(velocity(*engine).z()), 1e-3);
}

// v' = -k v^2 has the solution v = v0 / (1 + k v0 t).
TEST_P(BouncingTest, DragSlowsItDown) {
  const auto engine = yaml(R"(
gravity: 0
ground: {present: false}
objects: [{shape: sphere, size: 0.04, mass: 0.0027, bounces: true, drag: 0.4}])");
  launch(*engine, Vec3::Zero(), Vec3(10, 0, 0));
  for (int i = 0; i < 500; ++i) engine->step();
  const double k = 0.5 * 1.2 * 0.4 * kPi * 0.02 * 0.02 / 0.0027;
  EXPECT_NEAR(velocity(*engine).x(), 10 / (1 + k * 10 * 0.5), 0.01);
}

TEST_P(BouncingTest, ARestoredBallGoesOnBitForBit) {
  const auto one = yaml(kTable), other = yaml(kTable);
  launch(*one, Vec3(0, 0, 0.1), Vec3(1, 0, 0));
  for (int i = 0; i < 1000 && one->contacts().empty(); ++i) one->step();  // in the step that bounces
  ASSERT_EQ(one->contacts().size(), 1u);
  other->restore(one->save());
  ASSERT_EQ(other->contacts().size(), 1u);
  EXPECT_EQ(one->contacts()[0].force, other->contacts()[0].force);
  for (int i = 0; i < 500; ++i) {
    one->step();
    other->step();
  }
  EXPECT_TRUE(std::equal(one->q().begin(), one->q().end(), other->q().begin()));
  EXPECT_TRUE(std::equal(one->v().begin(), one->v().end(), other->v().begin()));
}

// Two equal balls swap their velocities where nothing is lost.
TEST_P(BouncingTest, TwoBallsExchangeMomentum) {
  const auto engine = yaml(R"(
gravity: 0
ground: {present: false}
objects:
  - {name: one, shape: sphere, size: 0.1, mass: 1, bounces: true, friction: 0, restitution: 1}
  - {name: two, shape: sphere, size: 0.1, mass: 1, bounces: true, friction: 0, restitution: 1, position: [0.3, 0, 0]})");
  launch(*engine, Vec3::Zero(), Vec3(2, 0, 0));
  for (int i = 0; i < 300; ++i) engine->step();
  EXPECT_NEAR(velocity(*engine).x(), 0, 1e-9);
  EXPECT_NEAR(engine->v()[6], 2, 1e-9);
}

// What hangs swings: the period of a pendulum, T = 2 pi sqrt(I / (m g d)).
TEST_P(BouncingTest, WhatHangsSwingsLikeAPendulum) {
  const auto engine = yaml(R"(
ground: {present: false}
objects: [{shape: sphere, size: 0.2, mass: 5, position: [0.1, 0, 0], hangs_from: [0, 0, 1], swing_damping: 0}])");
  const double d = std::hypot(1, 0.1), I = 5 * d * d + 0.4 * 5 * 0.01;
  const double period = 2 * kPi * std::sqrt(I / (5 * 9.81 * d));
  double crossed = 0;
  int crossings = 0;
  double last = 0.1;
  for (int i = 0; i < 5000 && crossings < 3; ++i) {
    engine->step();
    const double x = engine->body_position(1).x();
    EXPECT_NEAR((engine->body_position(1) - Vec3(0, 0, 1)).norm(), d, 1e-3);
    if (x * last < 0 && crossings++ != 1) crossed = engine->time() - crossed;
    last = x;
  }
  EXPECT_NEAR(crossed, period, 0.01 * period);
}

INSTANTIATE_TEST_SUITE_P(All, BouncingTest, testing::Values("mujoco", "ode"),
                         [](const auto& engine) { return engine.param; });

}  // namespace
}  // namespace stunt
