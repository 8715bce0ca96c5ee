// The collision filter of a crowd: every two characters meet, none meets itself, all meet the ground and what flies.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "stunt/core/error.h"
#include "stunt/world/scene/compiled_scene.h"

namespace stunt {
namespace {

std::vector<PlacedActor> crowd(int size) {
  const auto actor = Actor::from_xml(
      "<mujoco><worldbody><body name='trunk'><freejoint/><geom size='.1'/>"
      "<body name='leg' pos='0 0 -.5'><joint/><geom size='.1'/>"
      "<body name='foot' pos='0 0 -.5'><joint/><geom size='.1'/></body></body></body></worldbody></mujoco>",
      "puppet", "test");
  std::vector<PlacedActor> actors;
  for (int i = 0; i < size; ++i) actors.push_back({fmt::format("a{}", i), actor});
  return actors;
}

TEST(ManyActors, EveryTwoMeetAndNoneMeetsItself) {
  const auto scene = compile(Environment{}, crowd(kMostActors), {BallSpec{}});
  const mjModel& m = *scene->model;
  ASSERT_EQ(scene->actors.size(), static_cast<std::size_t>(kMostActors));
  const auto meet = [&](const int* contype, const int* conaffinity, int a, int b) {
    return (contype[a] & conaffinity[b]) != 0 || (contype[b] & conaffinity[a]) != 0;
  };
  int wrong = 0;
  for (int a = 0; a < m.ngeom; ++a) {
    for (int b = a + 1; b < m.ngeom; ++b) {
      const int one = m.geom_bodyid[a], other = m.geom_bodyid[b];
      if (scene->actor_of(one) < 0 && scene->actor_of(other) < 0) continue;
      const bool expected = scene->actor_of(one) != scene->actor_of(other);
      wrong += meet(m.geom_contype, m.geom_conaffinity, a, b) != expected;
      if (one > 0 && other > 0) wrong += meet(m.body_contype, m.body_conaffinity, one, other) != expected;
    }
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_THROW(compile(Environment{}, crowd(kMostActors + 1)), InputError);
}

}  // namespace
}  // namespace stunt
