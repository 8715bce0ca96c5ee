#include "stunt/motion/stance.h"

#include <algorithm>
#include <cmath>

#include "stunt/motion/axes.h"

namespace stunt {
namespace {

constexpr int kMostFramesLookedAt = 400;
constexpr double kMostMeanBend = 75 * kPi / 180;  // rad: of one joint of the trunk, while the body is tall

bool is_at_or_below(const Skeleton& skeleton, int joint, int ancestor) {
  while (joint > ancestor) joint = skeleton.joints[joint].parent;
  return joint == ancestor;
}

// How far above a joint the limb that begins there rises, as a share of how far it goes (1: straight up). Ends
// nearer than `least` say nothing.
double rise_of_end(const Skeleton& skeleton, const JointTransforms& pose, int joint, double least) {
  double rise = 0.0, reach = 0.0;
  const auto look = [&](const Vec3& point) {
    rise = std::max(rise, (point - pose.positions[joint]).z());
    reach = std::max(reach, (point - pose.positions[joint]).norm());
  };
  for (int j = joint; j < skeleton.size(); ++j) {
    if (is_at_or_below(skeleton, j, joint)) look(pose.positions[j]);
  }
  for (const SkeletonEnd& end : skeleton.ends) {
    if (is_at_or_below(skeleton, end.joint, joint))
      look(pose.positions[end.joint] + pose.rotations[end.joint] * end.offset);
  }
  return reach > least ? rise / reach : 1.0;
}

Vec3 toe_direction(const Skeleton& skeleton, const JointTransforms& pose, int foot, int toes) {
  if (toes >= 0) return pose.positions[toes] - pose.positions[foot];
  Vec3 longest = Vec3::Zero();
  for (const SkeletonEnd& end : skeleton.ends) {
    const Vec3 way =
        pose.positions[end.joint] + pose.rotations[end.joint] * end.offset - pose.positions[foot];
    if (is_at_or_below(skeleton, end.joint, foot) && way.norm() > longest.norm()) longest = way;
  }
  return longest;
}

Vec3 body_left(const JointTransforms& pose, const Roles& roles) {
  Vec3 left = pose.positions[roles[Role::left_thigh]] - pose.positions[roles[Role::right_thigh]];
  if (roles[Role::left_upper_arm] >= 0 && roles[Role::right_upper_arm] >= 0) {
    left += pose.positions[roles[Role::left_upper_arm]] - pose.positions[roles[Role::right_upper_arm]];
  }
  return left;
}

int top_of_trunk(const Roles& roles) {
  for (const Role role : {Role::neck, Role::head, Role::chest, Role::spine}) {
    if (roles[role] >= 0) return roles[role];
  }
  return -1;
}

// The frames in which the head is highest over the feet, at most one in five.
std::vector<int> tallest_frames(const Clip& clip, const Roles& roles) {
  std::vector<std::pair<double, int>> heights;
  JointTransforms pose;
  const int step = std::max(1, clip.frame_count() / kMostFramesLookedAt);
  for (int f = 0; f < clip.frame_count(); f += step) {
    forward_kinematics(clip.skeleton, clip.frames[f], pose);
    heights.emplace_back(feet_to_head(pose, roles).z(), f);
  }
  std::sort(heights.rbegin(), heights.rend());
  heights.resize(std::max<std::size_t>(1, heights.size() / 5));
  std::vector<int> frames;
  for (const auto& [height, frame] : heights) frames.push_back(frame);
  return frames;
}

// World rotations and joint places, averaged over frames that were turned to face x.
struct MeanBody {
  std::vector<Quat> rotations;
  std::vector<Vec3> places;  // from the middle of the hips
};
MeanBody average(const Clip& clip, const Roles& roles, const std::vector<int>& frames) {
  const int n = clip.skeleton.size();
  MeanBody mean{{}, std::vector<Vec3>(n, Vec3::Zero())};
  std::vector<Eigen::Vector4d> sums(n, Eigen::Vector4d::Zero());
  JointTransforms pose;
  for (const int f : frames) {
    forward_kinematics(clip.skeleton, clip.frames[f], pose);
    const Vec3 left = body_left(pose, roles);
    const Quat turn = yaw_rotation(0.5 * kPi - std::atan2(left.y(), left.x()));
    const Vec3 hips =
        0.5 * (pose.positions[roles[Role::left_thigh]] + pose.positions[roles[Role::right_thigh]]);
    for (int j = 0; j < n; ++j) {
      const Quat q = turn * pose.rotations[j];
      sums[j] += sums[j].dot(q.coeffs()) < 0 ? Eigen::Vector4d(-q.coeffs()) : q.coeffs();
      mean.places[j] += turn * (pose.positions[j] - hips) / static_cast<double>(frames.size());
    }
  }
  for (const Eigen::Vector4d& sum : sums) {
    mean.rotations.push_back(sum.norm() > 1e-9 ? Quat(Eigen::Vector4d(sum.normalized())) : Quat::Identity());
  }
  return mean;
}

}  // namespace

bool rest_pose_stands(const Skeleton& skeleton, const Roles& roles) {
  JointTransforms pose;
  forward_kinematics(skeleton, rest_pose(skeleton), pose);
  const auto rises = [&](Role from, Role to, double least) {
    if (roles[from] < 0 || roles[to] < 0) return true;
    const Vec3 way = pose.positions[roles[to]] - pose.positions[roles[from]];
    return way.z() > least * way.norm() || way.norm() == 0.0;
  };
  for (const auto& [lower, upper] : {std::pair{Role::left_shank, Role::left_thigh},
                                     {Role::left_foot, Role::left_shank},
                                     {Role::right_shank, Role::right_thigh},
                                     {Role::right_foot, Role::right_shank},
                                     {Role::pelvis, Role::chest},
                                     {Role::chest, Role::neck},
                                     {Role::chest, Role::head}}) {
    if (!rises(lower, upper, 0.6)) return false;
  }
  const double least = 0.03 * feet_to_head(pose, roles).norm();
  if (roles[Role::head] >= 0 && rise_of_end(skeleton, pose, roles[Role::head], least) < 0.3) return false;
  const Vec3 left = pose.positions[roles[Role::left_thigh]] - pose.positions[roles[Role::right_thigh]];
  const Vec3 forward = left.cross(Vec3::UnitZ());
  if (std::abs(left.z()) > 0.5 * left.norm()) return false;
  if (body_left(pose, roles).dot(left) < 0.0) return false;
  for (const auto& [foot, toes] :
       {std::pair{Role::left_foot, Role::left_toes}, {Role::right_foot, Role::right_toes}}) {
    const Vec3 ahead = toe_direction(skeleton, pose, roles[foot], roles[toes]);
    if (ahead.dot(forward.normalized()) < -0.5 * ahead.norm()) return false;
  }
  return true;
}

bool trunk_keeps_to_rest(const Clip& clip, const Roles& roles) {
  if (roles[Role::pelvis] < 0 || roles[Role::chest] < 0) return true;
  const MeanBody mean = average(clip, roles, tallest_frames(clip, roles));
  for (int j = roles[Role::chest]; j > roles[Role::pelvis]; j = clip.skeleton.joints[j].parent) {
    const Quat local = mean.rotations[clip.skeleton.joints[j].parent].conjugate() * mean.rotations[j];
    if (local.angularDistance(clip.skeleton.joints[j].rest) > kMostMeanBend) return false;
  }
  return true;
}

std::vector<Quat> stance_from_motion(const Clip& clip, const Roles& roles) {
  const Skeleton& skeleton = clip.skeleton;
  const MeanBody mean = average(clip, roles, tallest_frames(clip, roles));
  std::vector<Quat> correction(skeleton.size(), Quat::Identity());
  std::vector<char> decided(skeleton.size(), 0);
  const auto decide = [&](int joint, const Quat& by) {
    if (joint < 0) return;
    correction[joint] = by;
    decided[joint] = 1;
  };
  Quat trunk = Quat::Identity();
  if (const int top = top_of_trunk(roles); top >= 0) {
    trunk = rotation_between(mean.places[top].normalized(), Vec3::UnitZ());
  }
  decide(0, trunk);
  const auto hang = [&](Role upper, Role lower) {
    if (roles[upper] < 0 || roles[lower] < 0) return;
    const Vec3 bone = mean.places[roles[lower]] - mean.places[roles[upper]];
    if (bone.norm() > 1e-9) decide(roles[upper], rotation_between(bone.normalized(), -Vec3::UnitZ()));
  };
  hang(Role::left_thigh, Role::left_shank);
  hang(Role::left_shank, Role::left_foot);
  hang(Role::right_thigh, Role::right_shank);
  hang(Role::right_shank, Role::right_foot);
  hang(Role::left_upper_arm, Role::left_forearm);
  hang(Role::left_forearm, Role::left_hand);
  hang(Role::right_upper_arm, Role::right_forearm);
  hang(Role::right_forearm, Role::right_hand);
  decide(roles[Role::left_foot], Quat::Identity());
  decide(roles[Role::right_foot], Quat::Identity());

  std::vector<Quat> world(skeleton.size()), local(skeleton.size());
  for (int j = 0; j < skeleton.size(); ++j) {
    const int parent = skeleton.joints[j].parent;
    if (!decided[j]) correction[j] = correction[parent];
    world[j] = correction[j] * mean.rotations[j];
    local[j] = parent < 0 ? world[j] : (world[parent].conjugate() * world[j]).normalized();
  }
  return local;
}

}  // namespace stunt
