#include "stunt/experiment/hit_react_games.h"

#include <gtest/gtest.h>

#include "stunt/simulate/simulation.h"

namespace stunt {
namespace {

// Flown by the engine, off the racket that the simulated arm swings.
TEST(HitReactGames, BallsComeDownWhereTheyAreWanted) {
  const std::vector<Vec3> targets = landing_targets();
  int down = 0;
  for (const std::size_t i : {1, 3, 8}) down += run_feed({{}, targets[i], 1000 + i}).completed;
  EXPECT_GE(down, 2) << "of 3 within 15 cm";
}

// In the middle of a swing.
TEST(HitReactGames, ASwingGoesOnBitForBit) {
  Scene scene = load_scene("table_tennis");
  scene.actors.resize(1);
  Simulation run(scene);
  while (run.time() < 1.45) run.step();
  const auto saved = run.save();
  const auto end = [&] {
    while (run.time() < 2) run.step();
    return std::vector<double>(run.engine().q().begin(), run.engine().q().end());
  };
  const auto first = end();
  run.restore(*saved);
  EXPECT_EQ(first, end());
}

}  // namespace
}  // namespace stunt
