#include "stunt/reference/staging/apply_edits.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "places.h"
#include "stunt/core/error.h"
#include "stunt/core/settings.h"
#include "stunt/motion/edit/clip_ik.h"
#include "stunt/motion/edit/edit.h"
#include "stunt/motion/load.h"
#include "stunt/motion/readers/bvh.h"

namespace stunt {
namespace {

std::vector<Edit> edits_from(const std::string& yaml) {
  Config config = Config::parse(yaml, "test.yaml");
  std::vector<Edit> edits;
  read_described(config, [&](Fields& fields) { fields.list("edits", edits, ""); });
  config.done();
  return edits;
}

Vec3 joint_at(const Clip& clip, const Pose& pose, Role role) {
  JointTransforms world;
  forward_kinematics(clip.skeleton, pose, world);
  return world.positions[recognise_roles(clip.skeleton)[role]];
}

TEST(ApplyEdits, AListIsTheSameAsTheFunctionsInItsOrder) {
  const Clip clip = load_clip("walk");
  const Clip listed =
      apply_edits(clip, edits_from("edits: [{crop: [0.5, 2.5]}, {mirror: true}, {speed: 2}, {stride: 1.1}]"));
  const Clip called = with_stride(at_speed(mirrored(cropped(clip, 0.5, 2.5)), 2), 1.1);
  ASSERT_EQ(listed.frame_count(), called.frame_count());
  for (int i = 0; i < listed.frame_count(); i += 5) {
    for (const Role role : {Role::left_foot, Role::right_hand}) {
      EXPECT_LT((joint_at(clip, listed.frames[i], role) - joint_at(clip, called.frames[i], role)).norm(),
                1e-12);
    }
  }
}

TEST(ApplyEdits, EveryEditIsRead) {
  const auto edits = edits_from(R"(
edits:
  - resample: 60
  - loop: {seam: 0.2, cycles: 2}
  - transition: {motion: march, at: 1, duration: 0.4}
  - blend: {motion: squat, weight: 0.3, start: 0.2, end: 1, ramp: 0.1}
  - layer: wave
  - reach: {part: left_hand, offset: [0, 0, 0.1], start: 0.5, end: 1}
  - slope: {slope_deg: 5}
)");
  ASSERT_EQ(edits.size(), 7u);
  EXPECT_EQ(std::get<LoopEdit>(edits[1]).cycles, 2);
  EXPECT_EQ(std::get<TransitionEdit>(edits[2]).motion, "march");
  EXPECT_EQ(std::get<ReachTarget>(edits[5]).part, Role::left_hand);
  const Clip edited = apply_edits(load_clip("walk"), edits);
  EXPECT_EQ(edited.fps, 60);
  EXPECT_GT(edited.frame_count(), 60);
}

TEST(ApplyEdits, WrongEditsAreRefusedWithTheirPlace) {
  const std::pair<const char*, const char*> cases[] = {
      {"edits: [{turn: 3}]", "unknown key 'turn', expected exactly one of: crop, mirror"},
      {"edits: [{mirror: true, speed: 2}]", "both 'mirror' and 'speed', expected exactly one"},
      {"edits: [{mirror: false}]", "false"},
      {"edits: [{speed: 0}]", "above 0"},
      {"edits: [{crop: [1]}]", "crop"},
      {"edits: [{reach: {part: nose, offset: [0, 0, 1]}}]", "nose"},
      {"edits: [{reach: {part: head}}]", "no place"},
      {"edits: [{transition: {at: 1}}]", "no motion"},
      {"edits: [{loop: {seams: 1}}]", "seams"},
  };
  for (const auto& [yaml, expected] : cases) {
    try {
      edits_from(yaml);
      ADD_FAILURE() << yaml;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(expected), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("test.yaml"), std::string::npos) << error.what();
    }
  }
}

TEST(ApplyEdits, ASlopeLiftsTheClip) {
  const Clip clip = load_clip("walk");
  const Clip level = apply_slopes(clip, {SlopeEdit{1e-9, 0}});
  const Clip climbing = apply_slopes(clip, {SlopeEdit{8, 0}});
  ASSERT_EQ(climbing.frame_count(), clip.frame_count());
  for (int i = 0; i < clip.frame_count(); i += 10) {
    const Vec3 a = joint_at(clip, level.frames[i], Role::left_foot),
               b = joint_at(clip, climbing.frames[i], Role::left_foot);
    // Up by the plane below the ankle; the ankle's height above it leans with the plane.
    EXPECT_NEAR(b.z() - a.z(), std::tan(radians(8)) * a.x(), 0.01 + 0.02 * a.z()) << i;
  }
}

TEST(ApplyEdits, AMotionOfAnotherSkeletonTakesOver) {
  const std::filesystem::path mocap = in_source("../shared/mocap");
  if (!std::filesystem::exists(mocap)) GTEST_SKIP() << "no motion capture files in " << mocap;
  const Clip walk = load_clip((mocap / "cmu/walk_35_31.bvh").string());
  const std::string run = (mocap / "deepmimic/humanoid3d_run.txt").string();
  const Clip both = apply_edits(walk, {TransitionEdit{run, 2, 0.4}});
  EXPECT_NEAR(both.duration(), 2 + load_clip(run).duration(), 0.05);
  // The run's hips are as high above its feet as legs of this length make them, and its path goes on from the
  // walk's.
  const int middle = static_cast<int>(2.2 * both.fps);
  for (int i = middle; i < both.frame_count(); ++i) {
    const double height = both.frames[i].root_position.z() - walk.frames[0].root_position.z();
    EXPECT_LT(std::abs(height), 0.2) << i;
    EXPECT_LT((both.frames[i].root_position - both.frames[i - 1].root_position).norm() * both.fps, 6) << i;
  }
  // What was written can be read again.
  EXPECT_EQ(read_bvh(write_bvh(both), "both").frame_count(), both.frame_count());
}

}  // namespace
}  // namespace stunt
