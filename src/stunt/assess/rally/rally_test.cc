// A rally as a simulation of its scene has it: one player after the other, each on its side of the net.
#include "stunt/assess/rally/rally.h"

#include <gtest/gtest.h>

#include "stunt/simulate/run_scene.h"
#include "stunt/simulate/scene/scene.h"

namespace stunt {
namespace {

TEST(Rally, PlayersReturnTheBallInTurn) {
  Scene scene = load_scene("table_tennis");
  scene.duration = 3;
  const Recording recording = run_scene(scene);
  const auto rally = find_rally(recording);
  ASSERT_GE(rally.size(), 2u) << "fed at 0.8 s, the ball is with the first player a second later";
  EXPECT_NEAR(rally[0].time, 1.77, 0.2);
  EXPECT_EQ(rally[0].actor, 0);
  EXPECT_EQ(rally[1].actor, 1);
}

}  // namespace
}  // namespace stunt
