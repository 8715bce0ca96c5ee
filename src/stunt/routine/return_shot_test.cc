// A ball hit as return_shot says comes down where it was wanted: flown again step by step.
#include "stunt/routine/return_shot.h"

#include <gtest/gtest.h>

#include "tests/test_scenes.h"

namespace stunt {
namespace {

constexpr const char* kTable = R"(
objects:
  - {name: table, size: [2.74, 1.525, 0.03], position: [2.27, 0, 0.745], fixed: true, restitution: 0.876, friction: 0.25}
  - {name: net, size: [0.01, 1.83, 0.1525], position: [2.27, 0, 0.836], fixed: true, restitution: 0.1}
  - {name: ball, shape: sphere, size: 0.04, mass: 0.0027, hollow: true, bounces: true, drag: 0.4, position: [0, 0, 2]}
)";

class ReturnShot : public testing::Test {
 protected:
  std::shared_ptr<const CompiledScene> scene = test::compile_yaml(kTable, test::kSmallActor);
  BallFlight flight{*scene, scene->balls.at(0), 0.001};
  Ball ball{Vec3(0.5, -0.4, 1.0), Vec3(-2.3, -0.4, -0.5), Vec3(15, -80, 0)};
  Racket racket{Vec3(0.95, 0.2, 0.24).normalized(), 3, Vec3::UnitX(), 1.0, 4.0, 0.2, 0.8, 1};
};

TEST_F(ReturnShot, ComesDownWhereItIsWanted) {
  for (const Vec3& target : {Vec3(3.2, 0.2, 0.78), Vec3(2.9, -0.4, 0.78), Vec3(3.4, 0.5, 0.78)}) {
    const auto shot = return_shot(flight, ball, racket, target);
    ASSERT_TRUE(shot);
    EXPECT_GE(shot->speed, racket.slow);
    EXPECT_LE(shot->speed, racket.fast);
    EXPECT_NEAR(shot->face.norm(), 1, 1e-9);
    Ball out = flight.off(ball, shot->face, shot->speed * racket.way, racket.restitution, racket.friction);
    int bounced = -1;
    double t = 0;
    for (; bounced < 0 && t < 2; t += flight.timestep()) bounced = flight.step(out);
    ASSERT_GE(bounced, 0);
    EXPECT_EQ(std::string(mj_id2name(scene->model.get(), mjOBJ_BODY, scene->model->geom_bodyid[bounced])),
              "table");
    EXPECT_LT((out.place - target).head<2>().norm(), 0.02);
    EXPECT_NEAR(t, shot->flight, 0.01);
  }
}

// With the speed that the racket has there are two ways, a flat one and a high one.
TEST_F(ReturnShot, ComesDownThereAtTheSpeedThatItHas) {
  const Vec3 target(3.1, 0.1, 0.78);
  racket.speed = return_shot(flight, ball, racket, target)->speed * 1.08;
  const auto flat = return_shot_at_speed(flight, ball, racket, target, 0.3);
  const auto high = return_shot_at_speed(flight, ball, racket, target, 0.9);
  ASSERT_TRUE(flat && high);
  EXPECT_LT(flat->flight + 0.05, high->flight);
  for (const Shot& shot : {*flat, *high}) {
    EXPECT_NEAR(shot.speed, racket.speed, 2e-3);
    Ball out = flight.off(ball, shot.face, racket.speed * racket.way, racket.restitution, racket.friction);
    for (int bounced = -1; bounced < 0;) bounced = flight.step(out);
    EXPECT_LT((out.place - target).head<2>().norm(), 0.02);
  }
  racket.speed *= 0.5;
  EXPECT_FALSE(return_shot_at_speed(flight, ball, racket, target, 0.5)) << "too slow for it";
}

TEST_F(ReturnShot, SaysWhenThereIsNoWay) {
  racket.fast = 1.001 * racket.slow;  // too slow for the whole table
  EXPECT_FALSE(return_shot(flight, ball, racket, Vec3(30, 0, 0.78)));
}

TEST_F(ReturnShot, AFirmRacketKeepsItsSpeed) {
  const Vec3 target(3.2, 0.2, 0.78);
  const auto free = return_shot(flight, ball, racket, target);
  racket.firm = 10;
  racket.speed = free->speed * 1.1;
  const auto firm = return_shot(flight, ball, racket, target);
  ASSERT_TRUE(free && firm);
  EXPECT_LT(std::abs(firm->speed - racket.speed), std::abs(free->speed - racket.speed));
}

}  // namespace
}  // namespace stunt
