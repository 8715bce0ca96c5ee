#include "stunt/motion/edit/keys.h"

#include <gtest/gtest.h>

#include "stunt/core/error.h"
#include "stunt/motion/edit/clip_ik.h"
#include "stunt/motion/edit/edit.h"
#include "stunt/motion/load.h"

namespace stunt {
namespace {

TEST(Warp, TheOwnTimeIsTheIntegralOfTheRate) {
  const WarpEdit warp{.factor = 0.6, .at = 1, .duration = 1.5, .ramp = 0.3};
  constexpr double kStep = 1e-4;  // s
  double own = 0, before = 1;
  for (int i = 0; i < 40000; ++i) {
    const double t = i * kStep;
    const WarpedTime now = warped_time(warp, t);
    ASSERT_NEAR(now.own, own, 1e-6) << t;
    ASSERT_LT(std::abs(now.rate - before), 1e-3) << "no jumps at " << t;
    const double ahead = warped_time(warp, t + 1e-6).rate, behind = warped_time(warp, t - 1e-6).rate;
    ASSERT_NEAR(now.rate_change, (ahead - behind) / 2e-6, 0.02) << t;
    own += kStep * warped_time(warp, t + 0.5 * kStep).rate;
    before = now.rate;
  }
  EXPECT_NEAR(warped_time(warp, 1.7).rate, 0.6, 1e-12);
  EXPECT_NEAR(4 - warped_time(warp, 4).own, warp_delay(warp), 1e-12);
}

TEST(Keys, PosesAreReachedAndWhatIsKeptStays) {
  const Clip hang = load_clip("hang");
  const RestPose rest(hang.skeleton);
  const int hands[2] = {rest.roles[Role::left_hand], rest.roles[Role::right_hand]};
  const Clip up = interpolated(hang, {{.at = 0, .pose = 0.5},
                                      {.at = 1, .pose = 0.5, .root = Vec3(-0.1, 0, 0.3), .keep = "hands"},
                                      {.at = 2, .pose = 0.5}});
  EXPECT_NEAR(up.duration(), 2, 0.01);
  JointTransforms at, first;
  forward_kinematics(hang.skeleton, sample(hang, 0.5), first);
  for (int i = 0; i < up.frame_count(); ++i) {
    forward_kinematics(up.skeleton, up.frames[i], at);
    for (const int hand : hands) EXPECT_LT((at.positions[hand] - first.positions[hand]).norm(), 0.001) << i;
  }
  const Pose middle = sample(up, 1), start = sample(hang, 0.5);
  EXPECT_LT((middle.root_position - start.root_position - Vec3(-0.1, 0, 0.3)).norm(), 1e-6);
  EXPECT_LT((up.frames.back().root_position - start.root_position).norm(), 1e-9);
  // At rest at the keys: the first frames hardly move.
  EXPECT_LT((up.frames[2].root_position - up.frames[0].root_position).norm(), 1e-4);
}

TEST(Keys, TheyNeedPosesOfTheMotion) {
  const Clip hang = load_clip("hang");
  EXPECT_THROW(interpolated(hang, {{.at = 0}}), InputError);
  EXPECT_THROW(interpolated(hang, {{.at = 0}, {.at = 1, .pose = 99}}), InputError);
}

TEST(Stride, StepsGetLongerByWhatIsAsked) {
  const Clip walk = load_clip("walk");
  const double length = step_length(walk);
  EXPECT_GT(length, 0.5);
  EXPECT_LT(length, 0.9);
  for (const double by : {0.1, -0.15}) {
    EXPECT_NEAR(step_length(with_stride(walk, 1 + by / length)), length + by, 0.01) << by;
  }
  EXPECT_THROW(step_length(load_clip("stand")), InputError);
}

}  // namespace
}  // namespace stunt
