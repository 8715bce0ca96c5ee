#include "stunt/report/files/motion_export.h"

#include <gtest/gtest.h>

#include "stunt/actor/dynamics.h"
#include "stunt/actor/fit/pose_map.h"
#include "stunt/motion/interpret.h"
#include "stunt/motion/load.h"
#include "stunt/motion/readers/bvh.h"
#include "stunt/simulate/motion_source.h"
#include "tests/sample_recording.h"

namespace stunt {
namespace {

// Where the joints of a clip are, against where the character's are by MuJoCo's kinematics.
void expect_same_places(const Clip& clip, const Recording& r, int stride, double tolerance) {
  const ActorSlot& slot = r.scene->actors[0];
  ActorDynamics dynamics(slot.actor);
  JointTransforms places;
  for (int frame = 0; frame < clip.frame_count(); ++frame) {
    dynamics.set_state(r.q(frame * stride, r.actors[0]), VecX::Zero(slot.nv));
    forward_kinematics(clip.skeleton, clip.frames[frame], places);
    for (std::size_t b = 0; b < slot.actor->bodies().size(); ++b) {
      const ActorBody& body = slot.actor->bodies()[b];
      const Vec3 expected =
          dynamics.point(static_cast<int>(b), slot.actor->joints()[body.first_joint].anchor);
      const int joint = clip.skeleton.find(body.name);
      ASSERT_GE(joint, 0) << body.name;
      ASSERT_LT((places.positions[joint] - expected).norm(), tolerance) << body.name << " at frame " << frame;
    }
  }
}

// Bodies turned against each other at rest, and a joint away from its body's origin.
constexpr const char* kCrooked = R"(<mujoco><worldbody>
  <body name="pelvis" pos="0 0 1" euler="0 0 90"><freejoint/><geom type="sphere" size="0.1"/>
    <body name="chest" pos="0.1 0 0.5" euler="30 20 0"><joint type="ball" pos="0 0 -0.2"/><geom type="sphere" size="0.1"/>
      <body name="head" pos="0 0 0.5" euler="0 45 0"><joint axis="1 0 0" pos="0.05 0 0"/>
        <geom type="sphere" size="0.1" pos="0 0 0.2"/></body>
    </body>
  </body></worldbody></mujoco>)";

TEST(MotionExport, OwnBodiesAreWhereTheSimulationHasThem) {
  for (const ActorPtr& actor : {sample_actor(), Actor::from_xml(kCrooked, "crooked", "crooked.xml")}) {
    const Recording r = sample_recording(sample_scene({actor}), 61);
    const Clip clip = simulated_clip(r, 0);
    EXPECT_EQ(clip.frame_count(), 61);
    EXPECT_EQ(clip.fps, 120);
    EXPECT_EQ(clip.skeleton.size(), static_cast<int>(actor->bodies().size()));
    expect_same_places(clip, r, 1, 1e-9);
    EXPECT_EQ(simulated_clip(r, 0, 30).frame_count(), 16);
    expect_same_places(simulated_clip(r, 0, 30), r, 4, 1e-9);
  }
}

TEST(MotionExport, SurvivesTheWayThroughBvh) {
  const Recording r = sample_recording(sample_scene({sample_actor()}), 31);
  Clip back = read_bvh(write_bvh(simulated_clip(r, 0)), "back.bvh");
  ImportOptions options;
  options.unit_m = 0.01;
  options.up_axis = "y";
  options.drop_rest_frame = false;
  options.force = true;  // it has legs only
  interpret(back, options, "back.bvh");
  EXPECT_EQ(back.frame_count(), 31);
  expect_same_places(back, r, 1, 2e-4);
}

TEST(MotionExport, InBetweenSamplesLieBetween) {
  const Recording r = sample_recording(sample_scene({sample_actor()}), 121);
  const Clip clip = simulated_clip(r, 0, 50);
  EXPECT_EQ(clip.frame_count(), 51);
  ActorDynamics dynamics(r.scene->actors[0].actor);
  for (const int frame : {1, 13, 49}) {
    dynamics.set_state(sample_reference(*r.scene->actors[0].actor, frame / 50.0),
                       VecX::Zero(dynamics.actor().nv()));
    EXPECT_LT((clip.frames[frame].root_position - dynamics.body_position(0)).norm(), 1e-4);
    EXPECT_LT(angle_between(clip.frames[frame].rotations[0], dynamics.body_rotation(0)), 1e-4);
  }
}

TEST(MotionExport, EndsWhereTheStateEnds) {
  Recording r = sample_recording(sample_scene({sample_actor()}), 61);
  row(r.channels, "q", 40)[r.scene->actors[0].first_q + 9] = std::nan("");
  EXPECT_EQ(simulated_clip(r, 0).frame_count(), 40);
  row(r.channels, "q", 0)[r.scene->actors[0].first_q] = std::nan("");
  EXPECT_EQ(simulated_clip(r, 0).frame_count(), 0);
}

// A character that follows its clip exactly gives the clip back, on the clip's own skeleton.
TEST(MotionExport, PerfectTrackingGivesTheClipBack) {
  const Clip clip = load_clip("walk");
  const FittedActor fitted = fit_actor(clip);
  MotionSource source;
  source.clip = clip;
  source.fitted = fitted;
  const auto scene = sample_scene({fitted.actor});
  const int frames = static_cast<int>(std::min(clip.duration(), 1.0) * 120) + 1;
  Recording r = sample_recording(scene, frames);
  const ActorSlot& slot = scene->actors[0];
  VecX q;
  for (int i = 0; i < frames; ++i) {
    clip_to_q(fitted, clip, sample(clip, i / 120.0), q);
    std::copy(q.begin(), q.end(), row(r.channels, "q", i) + slot.first_q);
  }
  const Clip out = simulated_clip(r, 0, source);
  EXPECT_EQ(out.fps, clip.fps);
  EXPECT_EQ(out.skeleton.size(), clip.skeleton.size());
  ASSERT_GT(out.frame_count(), 10);
  JointTransforms got, expected;
  double sum = 0, count = 0;
  for (int i = 0; i < out.frame_count(); ++i) {
    forward_kinematics(out.skeleton, out.frames[i], got);
    forward_kinematics(clip.skeleton, clip.frames[i], expected);
    EXPECT_LT((got.positions[0] - expected.positions[0]).norm(), 1e-6);
    for (int j = 0; j < out.skeleton.size(); ++j) {
      sum += (got.positions[j] - expected.positions[j]).norm();
      ++count;
    }
  }
  EXPECT_LT(sum / count, 0.02);  // knees and elbows are hinges: what they cannot do is lost
}

// 47 frames at 72 a second end between two samples of the recording.
TEST(MotionExport, AWholeRunHasAllFramesOfItsClip) {
  MotionSource source;
  source.clip = load_clip("walk");
  source.clip.fps = 72;
  source.fitted = fit_actor(source.clip);
  const Recording r = sample_recording(sample_scene({source.fitted.actor}), 77);
  const std::vector<Pose> all = source.clip.frames;
  source.clip.frames.resize(47);
  EXPECT_EQ(simulated_clip(r, 0, source).frame_count(), 47);
  source.clip.frames = all;  // of a longer one it has what was simulated
  EXPECT_EQ(simulated_clip(r, 0, source).frame_count(), 46);
}

}  // namespace
}  // namespace stunt
