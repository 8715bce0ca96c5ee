#include "stunt/optimize/gait_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace stunt {
namespace {

MuscleGaitSettings guess_of(const std::string& creature) {
  MuscleGaitSettings settings;
  settings.creature = creature;
  settings.parameters = general_guess(*Creature::load(creature));
  return settings;
}

TEST(GaitSearch, SpeedErrorAgreesWithTheWayOfTheCentreOfMass) {
  const MuscleGaitSettings settings = guess_of("human");
  const GaitVerdict verdict = GaitTrial(Creature::load("human"), {.duration = 2}).run(settings, 1);
  EXPECT_EQ(verdict.ended, "");
  EXPECT_GE(verdict.steps, 3);
  // The first steps are slower than the rest, and the middle of the feet lags behind: the two agree roughly.
  EXPECT_NEAR(verdict.speed, 1 - verdict.travelled / (2 * settings.speed), 0.25);
  EXPECT_LT(verdict.slide, 0.2);
  EXPECT_GT(verdict.effort, 1);
}

TEST(GaitSearch, WhoFallsIsChargedTheRestOfTheTime) {
  MuscleGaitSettings limp = guess_of("human");
  for (auto& [name, value] : limp.parameters) {
    if (name.ends_with(".feedback") || name.ends_with(".stance")) value = 0;
  }
  const GaitVerdict verdict = GaitTrial(Creature::load("human"), {.duration = 10}).run(limp, 1);
  EXPECT_EQ(verdict.ended, "low");
  EXPECT_LT(verdict.lasted, 2);
  EXPECT_GE(verdict.speed, 1 - verdict.lasted / 10);
  EXPECT_FALSE(verdict.within);
}

TEST(GaitSearch, ResultDoesNotDependOnThreads) {
  const auto found = [](int threads) {
    const auto evaluator = thread_evaluator(threads);
    GaitSearchOptions options;
    options.task.duration = 0.5;
    options.population = 6;
    options.generations = 2;
    return write_gait(find_gait(guess_of("human"), options, *evaluator).settings);
  };
  EXPECT_EQ(found(1), found(3));
}

TEST(GaitSearch, ASpeedIsWorkedUpToAndOnlyTheLastOneCounts) {
  const auto evaluator = thread_evaluator(2);
  GaitSearchOptions options;
  options.task = {.duration = 3, .engine = "penalty", .friction = 10};
  options.first_speed = 1.2;
  options.generations = 8;
  MuscleGaitSettings start = guess_of("human");
  Config config = Config::parse("file: human_walk", "test");
  read_settings(config, start);  // keeps up with what it knows
  start.speed = 1.4;
  std::vector<double> wanted;
  const FoundGait found =
      find_gait(start, options, *evaluator, [&](const GaitGeneration& row, const FoundGait&) {
        wanted.push_back(row.speed);
        return true;
      });
  EXPECT_EQ(wanted.front(), 1.2);
  EXPECT_TRUE(std::is_sorted(wanted.begin(), wanted.end()));
  EXPECT_EQ(wanted.back(), 1.4);
  EXPECT_EQ(found.settings.speed, 1.4);
  EXPECT_GT(found.success_generation, 2) << "thresholds met at a lower speed are no success";
}

// Adults who choose their steps take about 110 a minute at 1.25 m/s (legs of 0.92 m), children with legs of 0.6 m 140 at 1.1.
TEST(GaitJudge, NaturalStepsAreThoseOfPeople) {
  EXPECT_NEAR(60 * 1.25 / natural_step(1.25, 0.92), 110, 6);
  EXPECT_NEAR(60 * 1.1 / natural_step(1.1, 0.6), 140, 10);
}

TEST(GaitTerrain, RampsMeetWhereTheyEndAndItsHeightIsTheirs) {
  const GaitTerrain terrain(5, 10, 7);
  const std::vector<ObjectSpec> all = terrain.ramps(1);
  double steepest = 0;
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    const auto end = [&](const ObjectSpec& ramp, double side) {
      const double angle = -radians(ramp.rotation_deg.y());
      const Vec3 along(std::cos(angle), 0, std::sin(angle)), up(-std::sin(angle), 0, std::cos(angle));
      steepest = std::max(steepest, std::abs(angle));
      return Vec3(ramp.position + side * 0.5 * along + 0.5 * ramp.size.z() * up);
    };
    EXPECT_LT((end(all[i], 1) - end(all[i + 1], -1)).norm(), 1e-9);
    for (const double side : {-0.9, 0.0, 0.9})
      EXPECT_NEAR(terrain.height(end(all[i], side).x()), end(all[i], side).z(), 1e-9);
  }
  EXPECT_GT(steepest, radians(1));
  EXPECT_LE(steepest, radians(5));
}

// A bird's foot is a long way above the ground: heights are measured from the ground, not from the feet.
TEST(GaitSearch, TerrainEndsNoCreaturesTryAtOnce) {
  for (const std::string& creature : built_in_creatures()) {
    const GaitTask task{.duration = 1, .engine = "penalty", .slope_deg = 3};
    EXPECT_GT(GaitTrial(Creature::load(creature), task).run(guess_of(creature), 5).lasted, 0.2) << creature;
  }
}

TEST(GaitTerrain, IsWideEnoughForWhoTurns) {
  for (const ObjectSpec& ramp : GaitTerrain(3, 30, 1).ramps(1))
    EXPECT_GT(0.5 * ramp.size.y(), 20 * 1.3) << "20 s straight to the side";
}

TEST(GaitSearch, AWantedHeadingThatTurnsIsFollowed) {
  MuscleGaitSettings settings;
  Config config = Config::parse("file: human_walk", "test");
  read_settings(config, settings);
  const GaitTask task{.duration = 20, .engine = "penalty", .turn_deg_s = 12};
  double farthest = 0;  // m to the side: straight on it would stay near 0
  const GaitVerdict verdict =
      GaitTrial(Creature::load("human"), task).run(settings, 101, [&](const GaitSample& now) {
        farthest = std::max(farthest, std::abs(now.q[1]));
      });
  EXPECT_EQ(verdict.ended, "") << "who does not follow is 45 degrees off sooner or later";
  EXPECT_GT(verdict.travelled, 0.75 * 20 * settings.speed) << "along the heading of the moment";
  EXPECT_GT(farthest, 0.7);
}

}  // namespace
}  // namespace stunt
