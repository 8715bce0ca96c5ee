// Foreseen flights against the engines' own, and against closed forms.
#include "stunt/world/ball_flight.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/test_scenes.h"

namespace stunt {
namespace {

constexpr const char* kRoom = R"(
ground: {present: true}
objects:
  - {name: table, shape: box, size: [2.74, 1.5, 0.03], position: [0, 0, 0.745], fixed: true, restitution: 0.876, friction: 0.25}
  - {name: ball, shape: sphere, size: 0.04, mass: 0.0027, hollow: true, bounces: true, drag: 0.4, position: [0, 0, 2]}
)";

class BallFlightTest : public testing::TestWithParam<std::string> {};

// A ball that flies, bounces on the table with spin and flies on is where the engine has it a second later.
TEST_P(BallFlightTest, TheEngineDoesWhatWasForeseen) {
  auto engine = make_engine(GetParam(), test::compile_yaml(kRoom, test::kSmallActor));
  const BallSlot& slot = engine->scene().balls.at(0);
  engine->place_free_body(slot.body, {-1.2, 0.1, 1.1}, Quat::Identity(), {2.6, 0.3, 1.2}, {5, -40, 10});
  const BallFlight flight(engine->scene(), slot, engine->timestep());
  Ball foreseen = ball_now(*engine, slot);
  int bounces = 0;
  for (int i = 0; i < static_cast<int>(1 / engine->timestep()); ++i) {
    bounces += flight.step(foreseen) >= 0 ? 1 : 0;
    engine->step();
  }
  EXPECT_GE(bounces, 1);
  const Ball real = ball_now(*engine, slot);
  EXPECT_LT((foreseen.place - real.place).norm(), 2e-3);
  EXPECT_LT((foreseen.velocity - real.velocity).norm(), 1e-2);
}

INSTANTIATE_TEST_SUITE_P(Engines, BallFlightTest, testing::Values("mujoco", "ode"));

TEST(BallFlight, WithoutSpinAndFrictionItLeavesLikeLight) {
  auto scene = test::compile_yaml(kRoom, test::kSmallActor);
  const BallFlight flight(*scene, scene->balls.at(0), 0.001);
  Ball ball;
  ball.velocity = {-3, 1, 0.5};
  const Vec3 n = Vec3(1, 0, 0.4).normalized();
  const Vec3 out = flight.off(ball, n, Vec3::Zero(), 1, 0).velocity;
  EXPECT_LT((out - (ball.velocity - 2 * ball.velocity.dot(n) * n)).norm(), 1e-9);
  // Off a wall that comes at it with u it has 2 u more.
  const Vec3 faster = flight.off(ball, n, 2 * n, 1, 0).velocity;
  EXPECT_LT((faster - out - 4 * n).norm(), 1e-9);
  // One that goes away is not hit.
  EXPECT_EQ(flight.off(ball, -n, Vec3::Zero(), 1, 0).velocity, ball.velocity);
}

// With friction enough a thin-walled ball loses two fifths of its sliding.
TEST(BallFlight, AStickyWallTakesTwoFifthsOfTheSliding) {
  auto scene = test::compile_yaml(kRoom, test::kSmallActor);
  const BallFlight flight(*scene, scene->balls.at(0), 0.001);
  Ball ball;
  ball.velocity = {1, 0, -3};
  const Ball out = flight.off(ball, Vec3::UnitZ(), Vec3::Zero(), 0.8, 10);
  EXPECT_NEAR(out.velocity.x(), 0.6, 0.01);
  EXPECT_NEAR(out.velocity.z(), 2.4, 1e-9);
}

}  // namespace
}  // namespace stunt
