#include "stunt/reference/bodies_apart.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "stunt/world/engine.h"

namespace stunt {
namespace {

// Two rods of 0.5 m, 2 kg, hang 0.3 m from each other on hinges, each on a hip of its own, and can swing into each other.
const char* const kTwoRods = R"(<mujoco><worldbody><body name="base" pos="0 0 2"><geom size=".05" mass="5"/>
  <body name="hip1" pos="0 .15 0"><geom size=".01" mass=".1" contype="0" conaffinity="0"/>
    <body name="rod1"><joint name="swing1" axis="1 0 0"/>
    <geom type="capsule" fromto="0 0 0 0 0 -.5" size=".04" mass="2"/></body></body>
  <body name="hip2" pos="0 -.15 0"><geom size=".01" mass=".1" contype="0" conaffinity="0"/>
    <body name="rod2"><joint name="swing2" axis="1 0 0"/>
    <geom type="capsule" fromto="0 0 0 0 0 -.5" size=".04" mass="2"/></body></body>
</body></worldbody></mujoco>)";

SampledReference swing(const ActorPtr& actor, double inwards) {
  std::vector<VecX> q;
  for (int i = 0; i <= 60; ++i) {
    const double angle = inwards * std::sin(M_PI * i / 60);
    q.push_back((VecX(2) << -angle, angle).finished());
  }
  return {actor, 60, q, std::vector<std::vector<std::uint8_t>>(q.size())};
}

TEST(BodiesApart, TheMotionDecidesWhoMayTouch) {
  const ActorPtr actor = Actor::from_xml(kTwoRods, "two rods", "test");
  const auto index = [&](const std::string& name) {
    const auto& bodies = actor->bodies();
    return static_cast<int>(
        std::find_if(bodies.begin(), bodies.end(), [&](const ActorBody& b) { return b.name == name; }) -
        bodies.begin());
  };
  const std::pair<int, int> rods = std::minmax({index("rod1"), index("rod2")});
  // The rods' ends touch where 0.15 - 0.5 sin(angle) is their radius: 0.2218 rad.
  EXPECT_EQ(bodies_apart(swing(actor, 0.19)), std::vector{rods});
  EXPECT_TRUE(bodies_apart(swing(actor, 0.23)).empty());
}

// Let go from 30 degrees outside, the rods meet in the middle: 0.15 - 0.5 sin(angle) = 0.04 where they stop each other.
TEST(BodiesApart, RodsStopEachOtherOnEveryEngine) {
  const ActorPtr actor = Actor::from_xml(kTwoRods, "two rods", "test");
  const auto pairs = bodies_apart(swing(actor, 0.1));
  Environment environment;
  environment.ground.present = false;
  for (const char* name : {"mujoco", "ode"}) {
    for (const bool touching : {false, true}) {
      const auto scene = compile(environment, {{"rods", actor, 1, touching ? pairs : decltype(pairs){}}}, {});
      const auto engine = make_engine(name, scene);
      const double q[2] = {radians(30), radians(-30)}, v[2] = {0, 0};
      engine->set_state(q, v);
      double inmost = 1;
      for (int i = 0; i < 1000; ++i) {
        engine->step();
        inmost = std::min(inmost, engine->q()[0]);
      }
      if (touching) {
        EXPECT_NEAR(inmost, -std::asin(0.11 / 0.5), 0.03) << name;
      } else {
        EXPECT_LT(inmost, radians(-25)) << name;
      }
    }
  }
}

}  // namespace
}  // namespace stunt
