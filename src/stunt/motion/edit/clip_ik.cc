#include "stunt/motion/edit/clip_ik.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "stunt/core/easing.h"
#include "stunt/core/error.h"
#include "stunt/motion/edit/edit.h"

namespace stunt {
namespace {

constexpr double kLongestReach = 0.999;  // of the stretched limb: a straight one would snap

// Turns a joint, and all below it, by a rotation given in world axes.
void turn_joint(const Skeleton& skeleton, const JointTransforms& world, int joint, const Quat& turn,
                Pose& pose) {
  const int parent = skeleton.joints[joint].parent;
  const Quat above = parent < 0 ? Quat::Identity() : world.rotations[parent];
  pose.rotations[joint] = (above.conjugate() * turn * world.rotations[joint]).normalized();
}

struct Limb {
  int upper, lower, end;
};

Limb limb_of(const Roles& roles, Role part) {
  const int last = static_cast<int>(part);
  const Limb limb{roles[static_cast<Role>(last - 2)], roles[static_cast<Role>(last - 1)], roles[part]};
  if (limb.upper < 0 || limb.lower < 0 || limb.end < 0) {
    throw InputError(std::string(name(part)), "a skeleton without it", "a skeleton with the whole limb");
  }
  return limb;
}

// The spine from below the neck down to above the pelvis turns, each joint by a share, until the joint is
// there.
void reach_by_chain(const Skeleton& skeleton, Pose& pose, int first_above, int end, const Vec3& position) {
  JointTransforms world;
  for (int iteration = 0; iteration < 40; ++iteration) {
    for (int j = skeleton.joints[end].parent; j >= 0 && j != first_above; j = skeleton.joints[j].parent) {
      forward_kinematics(skeleton, pose, world);
      if ((position - world.positions[end]).norm() < 1e-4) return;
      const Vec3 from = world.positions[end] - world.positions[j], to = position - world.positions[j];
      if (from.norm() < 1e-6 || to.norm() < 1e-6) continue;
      const Vec3 turn = log_map(rotation_between(from.normalized(), to.normalized()));
      turn_joint(skeleton, world, j, exp_map(0.5 * turn), pose);
    }
  }
}

double envelope(const ReachTarget& target, double end, double t) {
  if (t < target.start || t > end) return 0;
  if (target.ramp <= 0) return 1;
  // A target that holds from the first or to the last frame needs no ramp there.
  const double in = target.start <= 0 ? 1 : quintic_ease((t - target.start) / target.ramp);
  const double out = target.end <= 0 ? 1 : quintic_ease((end - t) / target.ramp);
  return in * out;
}

// The widest need within a window, then smoothed: never less than the need, by much.
std::vector<double> smooth_cover(const std::vector<double>& need, int window) {
  const int n = static_cast<int>(need.size());
  std::vector<double> wide(n), out(n);
  for (int i = 0; i < n; ++i) {
    wide[i] = *std::max_element(need.begin() + std::max(0, i - window),
                                need.begin() + std::min(n - 1, i + window) + 1);
  }
  for (int i = 0; i < n; ++i) {
    double sum = 0, weights = 0;
    for (int k = std::max(0, i - window); k <= std::min(n - 1, i + window); ++k) {
      const double weight = 1 + std::cos(kPi * (k - i) / (window + 1.0));
      sum += weight * wide[k];
      weights += weight;
    }
    out[i] = sum / weights;
  }
  return out;
}

}  // namespace

double reach_limb(const Skeleton& skeleton, Pose& pose, int upper, int lower, int end, const Vec3& position,
                  const Vec3& spare_axis) {
  JointTransforms world;
  forward_kinematics(skeleton, pose, world);
  const Quat end_rotation = world.rotations[end];
  const Vec3 a = world.positions[upper], b = world.positions[lower], c = world.positions[end];
  const double thigh = (b - a).norm(), shank = (c - b).norm();
  const double shortest = std::abs(thigh - shank) + 0.05 * (thigh + shank);
  const double far = std::clamp((position - a).norm(), shortest, kLongestReach * (thigh + shank));

  // The lower part turns about the axis of the bend until the end is as far from the upper joint as it has to
  // be (law of cosines), then the upper part points it there.
  Vec3 axis = (b - a).cross(c - b);
  axis = axis.norm() > 0.02 * thigh * shank ? Vec3(axis.normalized()) : spare_axis;
  const double cosine = (far * far - thigh * thigh - shank * shank) / (2 * thigh * shank);
  const double bend_now = std::atan2((b - a).cross(c - b).dot(axis), (b - a).dot(c - b));
  turn_joint(skeleton, world, lower, axis_angle(axis, std::acos(std::clamp(cosine, -1.0, 1.0)) - bend_now),
             pose);
  forward_kinematics(skeleton, pose, world);
  const Vec3 reached = world.positions[end] - a, wanted = position - a;
  if (reached.norm() > 1e-9 && wanted.norm() > 1e-9) {
    turn_joint(skeleton, world, upper, rotation_between(reached.normalized(), wanted.normalized()), pose);
  }
  forward_kinematics(skeleton, pose, world);
  turn_joint(skeleton, world, end, end_rotation * world.rotations[end].conjugate(), pose);
  return (world.positions[end] - position).norm();
}

Clip with_target(const Clip& clip, const ReachTarget& target) {
  const Skeleton& skeleton = clip.skeleton;
  const RestPose rest(skeleton);
  const double end = target.end > 0 ? target.end : clip.duration();
  if (!(target.start >= 0 && target.start < end && target.ramp >= 0)) {
    throw InputError("reach", fmt::format("from {} to {} s, ramp {} s", target.start, end, target.ramp),
                     "0 <= start < end, ramp at least 0");
  }
  const Role part = target.part;
  const bool foot = part == Role::left_foot || part == Role::right_foot;
  const bool hand = part == Role::left_hand || part == Role::right_hand;
  if (!foot && !hand && part != Role::head && part != Role::pelvis) {
    throw InputError("reach", std::string(name(part)), "a hand, a foot, head or pelvis");
  }
  const int joint = part == Role::pelvis ? 0 : rest.roles[part];
  if (joint < 0)
    throw InputError("reach", "a skeleton without " + std::string(name(part)), "a part that it has");
  Clip out = clip;
  JointTransforms world;
  for (int i = 0; i < clip.frame_count(); ++i) {
    const double weight = envelope(target, end, i / clip.fps);
    if (weight == 0) continue;
    Pose& pose = out.frames[i];
    forward_kinematics(skeleton, pose, world);
    const Vec3 from = world.positions[joint];
    const Vec3 to = from + weight * (target.position ? Vec3(*target.position - from) : target.offset);
    const double yaw = rest.heading(skeleton, pose);
    const Vec3 left(-std::sin(yaw), std::cos(yaw), 0);
    if (foot || hand) {
      const Limb limb = limb_of(rest.roles, part);
      const Vec3 along = (world.positions[limb.end] - world.positions[limb.upper]).normalized();
      const Vec3 ahead(std::cos(yaw), std::sin(yaw), 0);
      const Vec3 spare = foot ? left : Vec3(along.cross(ahead).normalized());
      reach_limb(skeleton, pose, limb.upper, limb.lower, limb.end, to, spare);
    } else if (part == Role::head) {
      const int pelvis = std::max(0, rest.roles[Role::pelvis]);
      const Quat rotation = world.rotations[joint];
      reach_by_chain(skeleton, pose, pelvis, joint, to);
      forward_kinematics(skeleton, pose, world);
      turn_joint(skeleton, world, joint, rotation * world.rotations[joint].conjugate(), pose);
    } else {
      const JointTransforms before = world;
      pose.root_position = to;
      for (const Role side : {Role::left_foot, Role::right_foot}) {
        const Limb limb = limb_of(rest.roles, side);
        reach_limb(skeleton, pose, limb.upper, limb.lower, limb.end, before.positions[limb.end], left);
      }
    }
  }
  return out;
}

Clip with_stride(const Clip& clip, double factor) {
  if (!(factor > 0 && factor <= 3))
    throw InputError("stride", fmt::format("{}", factor), "above 0 and at most 3");
  const Skeleton& skeleton = clip.skeleton;
  const RestPose rest(skeleton);
  const Vec3 start = clip.frames.front().root_position;
  Vec3 way = clip.frames.back().root_position - start;
  way.z() = 0;
  double path = 0;
  for (int i = 1; i < clip.frame_count(); ++i) {
    path += (clip.frames[i].root_position - clip.frames[i - 1].root_position).head<2>().norm();
  }
  // One map for all times, so that a foot that stood still stands still.
  Mat3 scale = Mat3::Identity();
  if (way.norm() > 0.5 * path) {
    scale += (factor - 1) * way.normalized() * way.normalized().transpose();
  } else {
    scale(0, 0) = scale(1, 1) = factor;
  }
  const auto moved = [&](const Vec3& p) { return Vec3(start + scale * (p - start)); };

  const Limb limbs[2] = {limb_of(rest.roles, Role::left_foot), limb_of(rest.roles, Role::right_foot)};
  Clip out = clip;
  JointTransforms world;
  std::vector<double> drop(clip.frame_count(), 0.0);
  std::vector<std::array<Vec3, 2>> ankles(clip.frame_count());
  for (int i = 0; i < clip.frame_count(); ++i) {
    Pose& pose = out.frames[i];
    forward_kinematics(skeleton, pose, world);
    const Vec3 shift = moved(pose.root_position) - pose.root_position;
    pose.root_position += shift;
    for (int side = 0; side < 2; ++side) {
      const Limb& limb = limbs[side];
      const auto& at = world.positions;
      ankles[i][side] = moved(at[limb.end]);
      const double length =
          kLongestReach * ((at[limb.lower] - at[limb.upper]).norm() + (at[limb.end] - at[limb.lower]).norm());
      const Vec3 leg = ankles[i][side] - (at[limb.upper] + shift);
      const double flat = leg.head<2>().squaredNorm();
      const double height = flat < length * length ? std::sqrt(length * length - flat) : 0;
      drop[i] = std::max(drop[i], -leg.z() - height);
    }
  }
  drop = smooth_cover(drop, std::max(1, static_cast<int>(0.15 * clip.fps)));
  for (int i = 0; i < clip.frame_count(); ++i) {
    Pose& pose = out.frames[i];
    pose.root_position.z() -= drop[i];
    const double yaw = rest.heading(skeleton, pose);
    for (int side = 0; side < 2; ++side) {
      const Limb& limb = limbs[side];
      reach_limb(skeleton, pose, limb.upper, limb.lower, limb.end, ankles[i][side],
                 Vec3(-std::sin(yaw), std::cos(yaw), 0));
    }
  }
  return out;
}

}  // namespace stunt
