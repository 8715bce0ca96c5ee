#include "stunt/motion/edit/edit.h"

#include <gtest/gtest.h>

#include "stunt/core/error.h"
#include "stunt/motion/edit/clip_ik.h"
#include "stunt/motion/load.h"

namespace stunt {
namespace {

JointTransforms world_of(const Clip& clip, const Pose& pose) {
  JointTransforms world;
  forward_kinematics(clip.skeleton, pose, world);
  return world;
}

// The largest distance (m) between the joints of two poses of one skeleton.
double distance(const Clip& clip, const Pose& a, const Pose& b) {
  const JointTransforms wa = world_of(clip, a), wb = world_of(clip, b);
  double largest = 0;
  for (int j = 0; j < clip.skeleton.size(); ++j)
    largest = std::max(largest, (wa.positions[j] - wb.positions[j]).norm());
  return largest;
}

double largest_distance(const Clip& a, const Clip& b) {
  EXPECT_EQ(a.frame_count(), b.frame_count());
  double largest = 0;
  for (int i = 0; i < std::min(a.frame_count(), b.frame_count()); ++i) {
    largest = std::max(largest, distance(a, a.frames[i], b.frames[i]));
  }
  return largest;
}

// The fastest joint (m/s) and the largest jump of a joint's velocity between frames (m/s).
std::pair<double, double> speed_and_jerk(const Clip& clip) {
  double fastest = 0, jump = 0;
  std::vector<JointTransforms> world;
  for (const Pose& pose : clip.frames) world.push_back(world_of(clip, pose));
  for (std::size_t i = 1; i + 1 < world.size(); ++i) {
    for (int j = 0; j < clip.skeleton.size(); ++j) {
      const Vec3 before = (world[i].positions[j] - world[i - 1].positions[j]) * clip.fps;
      const Vec3 after = (world[i + 1].positions[j] - world[i].positions[j]) * clip.fps;
      fastest = std::max(fastest, after.norm());
      jump = std::max(jump, (after - before).norm());
    }
  }
  return {fastest, jump};
}

TEST(Edit, MirroredTwiceIsTheSame) {
  for (const char* name : {"walk", "jab", "run"}) {
    const Clip clip = load_clip(name);
    EXPECT_LT(largest_distance(mirrored(mirrored(clip)), clip), 1e-6) << name;
  }
}

TEST(Edit, TheMirrorSwapsThePathsOfHandsAndFeet) {
  const Clip clip = load_clip("jab");
  const Clip seen = mirrored(clip);
  const RestPose rest(clip.skeleton);
  const Vec3 start = clip.frames.front().root_position;
  const double yaw = rest.heading(clip.skeleton, clip.frames.front());
  const Vec3 across(-std::sin(yaw), std::cos(yaw), 0);
  const std::pair<Role, Role> pairs[] = {{Role::left_hand, Role::right_hand},
                                         {Role::left_foot, Role::right_foot},
                                         {Role::left_shank, Role::right_shank},
                                         {Role::head, Role::head}};
  for (int i = 0; i < clip.frame_count(); i += 9) {
    const JointTransforms a = world_of(clip, clip.frames[i]), b = world_of(seen, seen.frames[i]);
    for (const auto& [left, right] : pairs) {
      if (rest.roles[left] < 0) continue;
      const Vec3 p = a.positions[rest.roles[left]];
      const Vec3 image = p - 2 * across * across.dot(p - start);
      // Real skeletons are not quite symmetric.
      EXPECT_LT((image - b.positions[rest.roles[right]]).norm(), 0.02) << name(left) << " " << i;
    }
  }
}

TEST(Edit, CroppedAndJoinedAgainIsTheSame) {
  const Clip clip = load_clip("walk");
  const double middle = std::floor(clip.duration() / 2 * clip.fps) / clip.fps;
  const Clip again = joined(cropped(clip, 0, middle), cropped(clip, middle, clip.duration()));
  EXPECT_LT(largest_distance(again, clip), 1e-9);
  EXPECT_THROW(cropped(clip, 2, 1), InputError);
  EXPECT_THROW(cropped(clip, clip.duration() + 1, clip.duration() + 2), InputError);
}

TEST(Edit, TimeChangesWhenNotWhere) {
  const Clip clip = load_clip("walk");
  EXPECT_LT(largest_distance(resampled(resampled(clip, 2 * clip.fps), clip.fps), clip), 1e-9);
  const Clip fast = at_speed(clip, 2);
  EXPECT_NEAR(fast.duration(), clip.duration() / 2, 1 / clip.fps);
  EXPECT_LT(distance(clip, fast.frames[20], clip.frames[40]), 1e-9);
  const Clip back = retimed(
      clip, [&](double t) { return clip.duration() - t; }, clip.duration());
  EXPECT_LT(distance(clip, back.frames.front(), clip.frames.back()), 1e-9);
  EXPECT_THROW(at_speed(clip, 0), InputError);
}

TEST(Edit, ALoopGoesOnWithoutAJump) {
  const Clip clip = load_clip("walk");
  const Clip loop = as_loop(clip, 0.25, 3);
  const Clip cycle = as_loop(clip, 0.25);
  EXPECT_TRUE(loop.loops);
  EXPECT_EQ(loop.frame_count(), 3 * (cycle.frame_count() - 1) + 1);
  const auto [speed, jump] = speed_and_jerk(clip);
  const auto [loop_speed, loop_jump] = speed_and_jerk(loop);
  EXPECT_LT(loop_speed, 1.3 * speed);
  EXPECT_LT(loop_jump, 1.5 * jump + 0.05);
  EXPECT_THROW(as_loop(clip, clip.duration()), InputError);
}

TEST(Edit, ATransitionLeavesBothMotionsAsTheyWere) {
  const Clip a = load_clip("walk"), b = mirrored(at_speed(a, 0.8));
  const double at = 1.0, duration = 0.5;
  const Clip out = transition(a, b, at, duration);
  EXPECT_NEAR(out.duration(), at + b.duration(), 1.5 / a.fps);
  for (int i = 0; i < static_cast<int>(at * a.fps); ++i)
    EXPECT_LT(distance(a, out.frames[i], a.frames[i]), 1e-12);
  // After the blend the poses are b's, moved over the ground: heights and local rotations are the same.
  const int after = static_cast<int>(std::ceil((at + duration) * a.fps)) + 1;
  for (int i = after; i < out.frame_count(); i += 10) {
    const Pose pose = sample(b, i / a.fps - at);
    EXPECT_NEAR(out.frames[i].root_position.z(), pose.root_position.z(), 1e-9);
    for (std::size_t j = 1; j < pose.rotations.size(); ++j) {
      EXPECT_LT(angle_between(out.frames[i].rotations[j], pose.rotations[j]), 1e-6);
    }
  }
  EXPECT_LT(speed_and_jerk(out).second, 2 * std::max(speed_and_jerk(a).second, speed_and_jerk(b).second));
  EXPECT_THROW(transition(a, b, a.duration(), 0.5), InputError);
}

TEST(Edit, BlendsAndLayersTakeWhatTheySay) {
  const Clip a = load_clip("walk"), b = mirrored(a);
  const Clip out = blended(a, b, 1, 0.5, 1.5, 0.2);
  EXPECT_LT(distance(a, out.frames[2], a.frames[2]), 1e-12);
  EXPECT_LT(distance(a, out.frames.back(), a.frames.back()), 1e-12);
  const int middle = static_cast<int>(a.fps);
  for (std::size_t j = 1; j < a.frames[0].rotations.size(); ++j) {
    EXPECT_LT(angle_between(out.frames[middle].rotations[j], b.frames[middle].rotations[j]), 1e-6);
  }
  EXPECT_LT((out.frames[middle].root_position - a.frames[middle].root_position).head<2>().norm(), 1e-9);

  const Clip both = layered(a, b);
  const RestPose rest(a.skeleton);
  const JointTransforms low = world_of(a, a.frames[middle]), now = world_of(a, both.frames[middle]);
  EXPECT_LT((low.positions[rest.roles[Role::left_foot]] - now.positions[rest.roles[Role::left_foot]]).norm(),
            1e-12);
  const int arm = rest.roles[Role::left_upper_arm];
  EXPECT_LT(angle_between(both.frames[middle].rotations[arm], b.frames[middle].rotations[arm]), 1e-9);
}

TEST(ClipIk, TheHandIsWhereItWasSentAndBonesKeepTheirLength) {
  const Clip clip = load_clip("walk");
  const RestPose rest(clip.skeleton);
  for (const Role part : {Role::right_hand, Role::left_foot, Role::head, Role::pelvis}) {
    ReachTarget target;
    target.part = part;
    target.offset = part == Role::right_hand ? Vec3(0.05, -0.05, 0.15)
                                             : Vec3(0.02, 0.01, part == Role::head ? -0.05 : 0.04);
    if (part == Role::pelvis) target.offset = Vec3(0.02, 0, -0.08);
    target.start = 0.5;
    target.end = 1.5;
    target.ramp = 0.2;
    const Clip out = with_target(clip, target);
    const int joint = part == Role::pelvis ? 0 : rest.roles[part];
    for (int i = 0; i < clip.frame_count(); i += 4) {
      const JointTransforms before = world_of(clip, clip.frames[i]), after = world_of(out, out.frames[i]);
      const double t = i / clip.fps;
      const Vec3 shift = after.positions[joint] - before.positions[joint];
      if (t < 0.5 || t > 1.5) {
        EXPECT_LT(shift.norm(), 1e-12);
      }
      if (t > 0.7 && t < 1.3) {
        EXPECT_LT((shift - target.offset).norm(), 2e-3) << name(part) << " " << t;
      }
      EXPECT_LT(angle_between(before.rotations[joint], after.rotations[joint]), 1e-6) << name(part);
      if (part == Role::pelvis) {
        const int foot = rest.roles[Role::left_foot];
        EXPECT_LT((after.positions[foot] - before.positions[foot]).norm(), 1e-3) << t;
      }
    }
    // No pop where it eases in and out.
    EXPECT_LT(speed_and_jerk(out).second, speed_and_jerk(clip).second + 0.3) << name(part);
  }
}

TEST(ClipIk, LongerStridesGoFurtherOnFeetThatStandStill) {
  const Clip clip = load_clip("walk");
  const RestPose rest(clip.skeleton);
  for (const double factor : {0.7, 1.15}) {
    const Clip out = with_stride(clip, factor);
    const auto way = [](const Clip& c) {
      return (c.frames.back().root_position - c.frames.front().root_position).head<2>().norm();
    };
    EXPECT_NEAR(way(out), factor * way(clip), 1e-6);
    for (const Role foot : {Role::left_foot, Role::right_foot}) {
      const int ankle = rest.roles[foot];
      for (int i = 1; i < clip.frame_count(); ++i) {
        const Vec3 a0 = world_of(clip, clip.frames[i - 1]).positions[ankle],
                   a1 = world_of(clip, clip.frames[i]).positions[ankle];
        const Vec3 b0 = world_of(out, out.frames[i - 1]).positions[ankle],
                   b1 = world_of(out, out.frames[i]).positions[ankle];
        EXPECT_LE((b1 - b0).norm(), std::max(1.0, factor) * (a1 - a0).norm() + 1.5e-3) << i;
        EXPECT_NEAR(b1.z(), a1.z(), 5e-3);
      }
    }
  }
  EXPECT_LT(largest_distance(with_stride(clip, 1), clip), 5e-3);
}

}  // namespace
}  // namespace stunt
