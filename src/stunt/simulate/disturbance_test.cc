#include "stunt/simulate/disturbance.h"

#include <gtest/gtest.h>

#include "stunt/actor/dynamics.h"
#include "tests/sample_actor.h"
#include "tests/test_performers.h"

namespace stunt {
namespace {

using test::floating;
using test::simulation;

Vec3 momentum(Simulation& running, const ActorPtr& actor) {
  ActorDynamics dynamics(actor);
  dynamics.set_state(VecX::Map(running.engine().q().data(), actor->nq()),
                     VecX::Map(running.engine().v().data(), actor->nv()));
  return dynamics.linear_momentum();
}

class PushTest : public testing::TestWithParam<std::string> {};

// Nothing else acts on the floating character, so the push alone is its momentum, whatever its joints do.
TEST_P(PushTest, MomentumIsForceTimesTime) {
  const ActorPtr actor = sample_actor();
  const auto running = floating(
      actor, "type: pd",
      "engine: " + GetParam() +
          "\npushes:\n  - {force: [120, -40, 10], start: 0.1, duration: 0.25, every: 0.5, count: 2}");
  while (running->time() < 0.5) running->step();
  EXPECT_LT((momentum(*running, actor) - 0.25 * Vec3(120, -40, 10)).norm(), 1e-2);
  while (!running->done()) running->step();
  EXPECT_LT((momentum(*running, actor) - 0.5 * Vec3(120, -40, 10)).norm(), 2e-2);
  EXPECT_EQ(running->recording().marks.size(), 2u);
  EXPECT_NEAR(running->recording().marks[1], 0.6, 1.1e-3);
}

// The one who is pushed feels force and place, from the step after the first on; the sum of what is felt is the impulse.
TEST_P(PushTest, IsFelt) {
  const ActorPtr actor = sample_actor();
  const auto running = floating(
      actor, "type: pd",
      "engine: " + GetParam() + "\npushes:\n  - {force: [120, -40, 10], start: 0.1, duration: 0.25}");
  Vec3 impulse = Vec3::Zero();
  while (!running->done()) {
    running->step();
    for (const ActorContact& contact : running->acts()[0].observation.contacts) {
      EXPECT_EQ(contact.body, actor->body(Role::chest));
      EXPECT_FALSE(contact.support);
      impulse += 0.001 * contact.force;
    }
  }
  EXPECT_LT((impulse - 0.25 * Vec3(120, -40, 10)).norm(), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Both, PushTest, testing::Values("mujoco", "ode"),
                         [](const auto& row) { return row.param; });

TEST(Throw, ReachesItsTargetAlongTheParabola) {
  Random random(5);
  for (int i = 0; i < 200; ++i) {
    const auto anywhere = [&] {
      return Vec3(random.uniform(-3, 3), random.uniform(-3, 3), random.uniform(0, 2));
    };
    const Vec3 from = anywhere(), target = anywhere();
    const double speed = random.uniform(9, 20), g = 9.81;
    const Vec3 v = throw_velocity(from, target, speed, g);
    EXPECT_NEAR(v.norm(), speed, 1e-9);
    const double t = (target - from).head<2>().norm() / v.head<2>().norm();
    EXPECT_LT((from + v * t - Vec3(0, 0, 0.5 * g * t * t) - target).norm(), 1e-9) << i;
  }
}

TEST(Throw, GoesAtFortyFiveDegreesWhereTheTargetIsTooFar) {
  const Vec3 v = throw_velocity(Vec3::Zero(), Vec3(100, 0, 0), 6, 9.81);
  EXPECT_NEAR(v.x(), 6 / std::sqrt(2.0), 1e-12);
  EXPECT_NEAR(v.z(), v.x(), 1e-12);
}

class ThrowTest : public testing::TestWithParam<std::string> {};

TEST_P(ThrowTest, HitsWhomItIsAimedAt) {
  const auto running = simulation("engine: " + GetParam() +
                                  "\nduration: 2\n"
                                  "actors: [{motion: stand, controller: {type: pd, pedestal: true}}]\n"
                                  "throws: [{speed: 8, start: 0.2, distance: 3}]\n");
  const int ball = running->engine().scene().free_bodies.at(0).body;
  double hit_at = -1;
  while (running->time() < 1 && hit_at < 0) {
    running->step();
    for (const Contact& contact : running->engine().contacts()) {
      const int other = contact.body1 == ball ? contact.body2 : contact.body2 == ball ? contact.body1 : -1;
      if (other >= 0 && running->engine().scene().actor_of(other) == 0) hit_at = running->time();
    }
  }
  EXPECT_GT(hit_at, 0.2 + 2.5 / 8);
  EXPECT_LT(hit_at, 0.2 + 3.2 / 8);
  while (running->time() < 1.2) running->step();
  EXPECT_GT(running->engine().body_position(ball).y(), -0.2) << "the ball went through";
}

INSTANTIATE_TEST_SUITE_P(Both, ThrowTest, testing::Values("mujoco", "ode"),
                         [](const auto& row) { return row.param; });

TEST(Throw, RandomThrowsAreTheSameForTheSameSeed) {
  const auto balls = [](int seed) {
    const auto running = simulation(fmt::format(
        "seed: {}\nduration: 1\nactors: [{{motion: stand, controller: {{type: pd, pedestal: true}}}}]\n"
        "throws: [{{random: true, start: 0.1, every: 0.2, count: 3}}]\n",
        seed));
    while (running->time() < 0.6) running->step();
    std::vector<double> places;
    for (const FreeBodySlot& slot : running->engine().scene().free_bodies) {
      const Vec3 place = running->engine().body_position(slot.body);
      places.insert(places.end(), place.begin(), place.end());
    }
    EXPECT_EQ(running->recording().marks.size(), 3u);
    return places;
  };
  EXPECT_EQ(balls(4), balls(4));
  EXPECT_NE(balls(4), balls(5));
}

TEST(Throw, FromAnySideComesFromTheGivenHeight) {
  const auto running = simulation(
      "duration: 1\nactors: [{motion: stand, controller: {type: pd, pedestal: true}}]\n"
      "throws: [{any_side: true, speed: 5, distance: 3, height: 2.95, start: 0.1, every: 0.1, count: 3}]\n");
  while (running->time() < 0.305) running->step();
  std::vector<double> from;
  for (const FreeBodySlot& slot : running->engine().scene().free_bodies) {
    const Vec3 place = running->engine().body_position(slot.body);
    const double flown = 0.205 - 0.1 * static_cast<double>(from.size());
    EXPECT_NEAR(place.z(), 2.95 - 0.5 * 9.81 * flown * flown, 0.15) << "thrown about level";
    EXPECT_NEAR(place.head<2>().norm(), 3 - 5 * flown, 0.15);
    from.push_back(std::atan2(place.y(), place.x()));
  }
  ASSERT_EQ(from.size(), 3u);
  EXPECT_GT(std::abs(from[0] - from[1]) + std::abs(from[1] - from[2]), 0.1);
}

}  // namespace
}  // namespace stunt
