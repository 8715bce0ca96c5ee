#include "stunt/control/parts/capture_point.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/sample_actor.h"

namespace stunt {
namespace {

// A pendulum that stands on its capture point comes to rest above it: c'' = w^2 (c - p), stepped finely.
TEST(CapturePoint, IsWhereAPendulumComesToRest) {
  const double w = pendulum_rate(9.81, 0.9);
  EXPECT_NEAR(w, std::sqrt(9.81 / 0.9), 1e-12);
  const Vec3 start(0.3, -0.2, 0.9), push(0.8, 0.5, 0);
  const Vec2 p = capture_point(start, push, w);
  Vec2 c = start.head<2>(), v = push.head<2>();
  constexpr double kStep = 1e-5;
  for (int i = 0; i < 150000; ++i) {
    const Vec2 middle = c + 0.5 * kStep * v, speed = v + 0.5 * kStep * w * w * (c - p);
    c += kStep * speed;
    v += kStep * w * w * (middle - p);
  }
  EXPECT_LT((c - p).norm(), 0.01 * (start.head<2>() - p).norm());
  EXPECT_LT(v.norm(), 0.01 * push.norm());
}

TEST(CapturePoint, TheRateIsBoundedForBodiesThatLieOrFloat) {
  EXPECT_EQ(pendulum_rate(9.81, -1), std::sqrt(9.81 / 0.3));
  EXPECT_EQ(pendulum_rate(0, 1), std::sqrt(0.5));
}

// The soles of the sample character are boxes of 24 by 9 cm, side by side.
TEST(Support, IsTheHullOfTheSoles) {
  const ActorPtr actor = sample_actor();
  ActorDynamics body(actor);
  body.set_state(actor->rest_q(), VecX::Zero(actor->nv()));
  Vec2 low(1e9, 1e9), high = -low;
  for (const ContactPoint& point : actor->contact_points()) {
    const Vec2 at = body.point(point.body, point.position).head<2>();
    low = low.cwiseMin(at);
    high = high.cwiseMax(at);
  }
  Support support;
  EXPECT_TRUE(support.empty());
  for (const bool left : {true, false}) support.add_sole(*find_leg(*actor, left), body);
  const Vec2 centre = 0.5 * (low + high);
  EXPECT_EQ(support.distance(centre), 0) << "between the feet";
  EXPECT_NEAR(support.distance({high.x() + 0.1, centre.y()}), 0.1, 1e-12);
  EXPECT_NEAR(support.distance({centre.x(), low.y() - 0.2}), 0.2, 1e-12);
  EXPECT_NEAR(support.distance(high + Vec2(0.3, 0.4)), 0.5, 1e-12);
  EXPECT_LT((support.nearest(high + Vec2(0.3, 0.4)) - high).norm(), 1e-12);
  // One foot alone ends at its inner edge.
  support.clear();
  support.add_sole(*find_leg(*actor, true), body);
  EXPECT_NEAR(support.distance(centre), 0.1 - 0.045, 0.01);
}

}  // namespace
}  // namespace stunt
