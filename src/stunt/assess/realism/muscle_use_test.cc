#include "stunt/assess/realism/muscle_use.h"

#include <gtest/gtest.h>

#include "stunt/simulate/run_scene.h"

namespace stunt {
namespace {

TEST(MuscleUse, IsWhatAHumansMusclesWouldDo) {
  Recording run = run_scene(read_scene("", "test", {"actors.0.motion=walk", "duration=1.5", "name=walk"}));
  EXPECT_FALSE(moved_by_muscles(run.actors[0]));
  add_muscle_use(run);
  const ActorTrack& track = run.actors[0];
  EXPECT_FALSE(moved_by_muscles(track));
  const Channel& use = track.channels.at("muscle_use");
  ASSERT_EQ(use.rows(), run.samples());
  ASSERT_EQ(use.width(), static_cast<int>(track.muscles.size()));
  EXPECT_GT(use.width(), 200);
  const Realism judged = assess_realism(motion_of(run, 0));
  for (const RealismFrame& frame : judged.frames) {
    const auto row = use.row<float>(static_cast<int>(std::lround(frame.time * run.rate)));
    ASSERT_EQ(std::vector<float>(row.begin(), row.end()), frame.muscles.use) << frame.time;
  }
  add_muscle_use(run);  // once is enough
  EXPECT_EQ(&run.actors[0].channels.at("muscle_use"), &use);
}

TEST(MuscleUse, IsTheForceOfMusclesThatMoveABody) {
  Scene scene =
      read_scene("actors: [{name: human, character: human, controller: {type: muscle, file: human_walk}}]\n",
                 "test", {"duration=0.5", "name=walker"});
  Recording run = run_scene(scene);
  ASSERT_TRUE(moved_by_muscles(run.actors[0]));
  add_muscle_use(run);
  const ActorTrack& track = run.actors[0];
  const Channel& use = track.channels.at("muscle_use");
  ASSERT_EQ(use.rows(), run.samples());
  float most = 0;
  for (int i = 0; i < run.samples(); ++i) {
    for (std::size_t m = 0; m < track.muscles.size(); ++m) {
      const float now = use.row<float>(i)[m];
      EXPECT_FLOAT_EQ(now * static_cast<float>(track.muscles[m].max_force),
                      track.muscle_force(i)[static_cast<Eigen::Index>(m)]);
      most = std::max(most, now);
    }
  }
  EXPECT_GT(most, 0.1f);
}

}  // namespace
}  // namespace stunt
