#include "stunt/motion/edit/keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stunt/core/easing.h"
#include "stunt/core/error.h"
#include "stunt/motion/edit/clip_ik.h"
#include "stunt/motion/edit/edit.h"

namespace stunt {
namespace {

struct KeptLimb {
  bool arm;
  int upper, lower, end;
};

std::vector<KeptLimb> limbs_to_keep(const Roles& roles, const std::string& keep) {
  std::vector<KeptLimb> limbs;
  const auto add = [&](bool arm, Role end) {
    const int last = static_cast<int>(end);
    const KeptLimb limb{arm, roles[static_cast<Role>(last - 2)], roles[static_cast<Role>(last - 1)],
                        roles[end]};
    if (limb.upper < 0 || limb.lower < 0 || limb.end < 0)
      throw InputError("keys", "a skeleton without " + std::string(name(end)), "keep: what it has");
    limbs.push_back(limb);
  };
  if (keep == "hands" || keep == "both") {
    add(true, Role::left_hand);
    add(true, Role::right_hand);
  }
  if (keep == "feet" || keep == "both") {
    add(false, Role::left_foot);
    add(false, Role::right_foot);
  }
  return limbs;
}

Pose pose_between(const Pose& a, const Pose& b, double weight) {
  Pose pose;
  pose.root_position = (1 - weight) * a.root_position + weight * b.root_position;
  for (std::size_t j = 0; j < a.rotations.size(); ++j) {
    pose.rotations.push_back(a.rotations[j].slerp(weight, same_hemisphere(b.rotations[j], a.rotations[j])));
  }
  return pose;
}

}  // namespace

Clip interpolated(const Clip& clip, const std::vector<KeyPose>& keys) {
  if (keys.size() < 2) throw InputError("keys", fmt::format("{}", keys.size()), "two or more");
  for (const KeyPose& key : keys) {
    if (key.pose > clip.duration() + 1e-6) {
      throw InputError("keys", fmt::format("the pose at {} s", key.pose),
                       fmt::format("one within the motion's {:.3f} s", clip.duration()));
    }
  }
  if ((keys.back().at - keys.front().at) * clip.fps >= kMostFrames)
    throw InputError("keys", fmt::format("{} s", keys.back().at), "at most a million frames");
  const Skeleton& skeleton = clip.skeleton;
  const RestPose rest(skeleton);
  Clip out = clip;
  out.frames.clear();
  out.loops = false;
  JointTransforms world;
  const int count = static_cast<int>(std::floor((keys.back().at - keys.front().at) * clip.fps + 1e-6)) + 1;
  std::size_t k = 0;
  for (int i = 0; i < count; ++i) {
    const double t = keys.front().at + i / clip.fps;
    while (k + 2 < keys.size() && t >= keys[k + 1].at) ++k;
    const KeyPose &from = keys[k], &to = keys[k + 1];
    const double weight = quintic_ease((t - from.at) / (to.at - from.at));
    Pose pose = pose_between(sample(clip, from.pose), sample(clip, to.pose), weight);
    forward_kinematics(skeleton, pose, world);
    const JointTransforms unmoved = world;
    pose.root_position += (1 - weight) * from.root + weight * to.root;
    const double yaw = rest.heading(skeleton, pose);
    const Vec3 ahead(std::cos(yaw), std::sin(yaw), 0), left(-std::sin(yaw), std::cos(yaw), 0);
    const std::string& keep = to.keep != "none" ? to.keep : from.keep;
    for (const KeptLimb& limb : limbs_to_keep(rest.roles, keep)) {
      const Vec3 along = (unmoved.positions[limb.end] - unmoved.positions[limb.upper]).normalized();
      // A straight arm bends its elbow to the front and outwards, a straight leg its knee to the front.
      Vec3 spare = limb.arm ? Vec3(along.cross(ahead)) : left;
      spare = spare.norm() > 1e-3 ? Vec3(spare.normalized()) : left;
      reach_limb(skeleton, pose, limb.upper, limb.lower, limb.end, unmoved.positions[limb.end], spare);
    }
    out.frames.push_back(std::move(pose));
  }
  return out;
}

double step_length(const std::vector<Vec3>& root, const std::vector<Vec3>& left_foot,
                   const std::vector<Vec3>& right_foot) {
  if (root.size() < 2) return 0;
  Vec3 way = root.back() - root.front();
  way.z() = 0;
  if (way.norm() < 0.3) return 0;  // m: it goes nowhere
  way.normalize();
  int passes = 0;
  double first = 0, last = 0, before = 0;
  for (std::size_t i = 0; i < root.size(); ++i) {
    const double ahead = (left_foot[i] - right_foot[i]).dot(way);
    if (i > 0 && before * ahead < 0) {
      if (passes++ == 0) first = root[i].dot(way);
      last = root[i].dot(way);
    }
    if (ahead != 0) before = ahead;
  }
  return passes > 1 ? (last - first) / (passes - 1) : 0;
}

double step_length(const Clip& clip) {
  const RestPose rest(clip.skeleton);
  std::vector<Vec3> root, left, right;
  JointTransforms world;
  for (const Pose& pose : clip.frames) {
    forward_kinematics(clip.skeleton, pose, world);
    root.push_back(world.positions[0]);
    left.push_back(world.positions[rest.roles[Role::left_foot]]);
    right.push_back(world.positions[rest.roles[Role::right_foot]]);
  }
  const double length = step_length(root, left, right);
  if (length <= 0) throw InputError("stride", "a motion that does not walk", "one with two steps or more");
  return length;
}

// rate = 1 + (factor - 1) w, w = smooth_step up over the ramp, 1, and down again; own is its integral, of which
// smooth_step has x^3 - x^4/2.
WarpedTime warped_time(const WarpEdit& warp, double t) {
  const double change = warp.factor - 1, ramp = warp.ramp, s = t - warp.at;
  const auto area = [](double x) { return x * x * x * (1 - 0.5 * x); };
  const auto slope = [](double x) { return 6 * x * (1 - x); };
  if (s <= 0) return {t, 1, 0};
  if (s < ramp) {
    const double x = s / ramp;
    return {t + change * ramp * area(x), 1 + change * smooth_step(x), change * slope(x) / ramp};
  }
  if (s <= warp.duration - ramp) return {t + change * (s - 0.5 * ramp), warp.factor, 0};
  if (s < warp.duration) {
    const double x = (warp.duration - s) / ramp;
    return {t + change * (warp.duration - ramp - ramp * area(x)), 1 + change * smooth_step(x),
            -change * slope(x) / ramp};
  }
  return {t + change * (warp.duration - ramp), 1, 0};
}

double warp_delay(const WarpEdit& warp) { return (1 - warp.factor) * (warp.duration - warp.ramp); }

}  // namespace stunt
