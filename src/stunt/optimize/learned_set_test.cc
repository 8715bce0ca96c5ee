#include "stunt/optimize/learned_set.h"

#include <gtest/gtest.h>

#include "stunt/simulate/performer.h"

namespace stunt {
namespace {

MotionFeatures features_of_motion(const std::string& motion) {
  const Scene scene =
      read_scene("actors: [{motion: " + motion + ", character: biped28, controller: pd}]\n", "test");
  return features_of(*make_performers(scene).front().shown);
}

TEST(LearnedSet, FeaturesTellMotionsApart) {
  const MotionFeatures squat = features_of_motion("squat"), walk = features_of_motion("walk"),
                       kick = features_of_motion("kick");
  EXPECT_EQ(squat.steps, 0);
  EXPECT_EQ(squat.one_foot, 0);
  EXPECT_GT(squat.dip, 0.2);
  EXPECT_GT(walk.travel, 0.8);
  EXPECT_GT(walk.steps, 1);
  EXPECT_GT(kick.high_foot, 0.2);
  EXPECT_EQ(distance(squat, squat), 0);
  EXPECT_GT(distance(squat, walk), 1);
  EXPECT_DOUBLE_EQ(distance(squat, kick), distance(kick, squat));
}

TEST(LearnedSet, EveryShippedSetPassedItsTestsAndSuitsItsOwnMotion) {
  const std::vector<LearnedSet> all = learned_sets();
  ASSERT_FALSE(all.empty());
  for (const LearnedSet& set : all) {
    EXPECT_GE(set.passes, 4) << set.motion;
    EXPECT_GE(set.reward, 1.8) << set.motion;
    const auto found = learned_set_for(features_of_motion(set.motion));
    ASSERT_TRUE(found) << set.motion;
    EXPECT_EQ(found->motion, set.motion);
  }
}

TEST(LearnedSet, WhatIsUnlikeAllGetsTheUniversalSet) {
  EXPECT_FALSE(learned_set_for(features_of_motion("run")));
}

}  // namespace
}  // namespace stunt
