#include "stunt/control/parts/ground_sense.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/sample_actor.h"

namespace stunt {
namespace {

constexpr double kDt = 0.004;  // s

// A foot on ground of this normal at this point.
ActorContact underfoot(const Actor& actor, const Vec3& point, const Vec3& normal,
                       const Vec3& velocity = Vec3::Zero()) {
  return {actor.body(Role::left_foot), point, normal, Vec3::Zero(), velocity, true, 0};
}

TEST(GroundSense, FindsTheSlopeItStandsOn) {
  const ActorPtr actor = sample_actor();
  const double slope = radians(10);  // uphill along x
  const Vec3 normal(-std::sin(slope), 0, std::cos(slope));
  GroundSense ground;
  EXPECT_EQ(ground.height({3, 2, 1}), 1) << "level until something is felt";
  const ActorContact contacts[] = {underfoot(*actor, {0, 0.1, 0.5}, normal),
                                   underfoot(*actor, {1, 0.1, 0.5 + std::tan(slope)}, normal)};
  for (int i = 0; i < 1000; ++i) ground.feel(*actor, contacts, kDt);
  EXPECT_LT((ground.normal() - normal).norm(), 1e-9);
  for (const double x : {-2.0, 0.0, 3.0})
    EXPECT_NEAR(ground.height({x, 5, 0.7 + 0.5 + x * std::tan(slope)}), 0.7, 1e-9) << x;
}

TEST(GroundSense, FollowsAMovingGroundWithItsTimeConstantAndKeepsItInTheAir) {
  const ActorPtr actor = sample_actor();
  GroundSense ground;
  const ActorContact contact = underfoot(*actor, {0, 0, 0.3}, Vec3::UnitZ(), {0.8, -0.4, 2});
  for (int i = 1; i <= 20; ++i) {
    ground.feel(*actor, {&contact, 1}, kDt);
    const Vec3 expected = Vec3(0.8, -0.4, 0) * (1 - std::exp(-i * kDt / 0.05));
    EXPECT_LT((ground.velocity() - expected).norm(), 1e-12) << i;
  }
  const Vec3 kept = ground.velocity();
  ground.feel(*actor, {}, kDt);
  EXPECT_EQ(ground.velocity(), kept);
  EXPECT_NEAR(ground.height({0, 0, 1}), 0.7, 1e-12);
}

TEST(GroundSense, FeelsByTheFeetWhatOneCanStandOn) {
  const ActorPtr actor = sample_actor();
  ActorContact ball = underfoot(*actor, {0, 0, 0.5}, Vec3::UnitX(), Vec3::UnitX());
  ball.support = false;
  ActorContact hand = ball;
  hand.support = true;
  hand.body = actor->find_body("left_forearm");
  GroundSense ground;
  for (const ActorContact& contact : {ball, hand}) ground.feel(*actor, {&contact, 1}, kDt);
  EXPECT_EQ(ground.height({0, 0, 1}), 1);
  EXPECT_EQ(ground.velocity().norm(), 0);
}

}  // namespace
}  // namespace stunt
