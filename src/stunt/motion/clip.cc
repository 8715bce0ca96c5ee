#include "stunt/motion/clip.h"

#include <algorithm>
#include <cmath>

namespace stunt {

int Skeleton::find(const std::string& name) const {
  for (int i = 0; i < size(); ++i) {
    if (joints[i].name == name) return i;
  }
  return -1;
}

void forward_kinematics(const Skeleton& skeleton, const Pose& pose, JointTransforms& out) {
  const int n = skeleton.size();
  out.positions.resize(n);
  out.rotations.resize(n);
  for (int i = 0; i < n; ++i) {
    const SkeletonJoint& joint = skeleton.joints[i];
    if (joint.parent < 0) {
      out.positions[i] = pose.root_position;
      out.rotations[i] = pose.rotations[i];
    } else {
      out.positions[i] = out.positions[joint.parent] + out.rotations[joint.parent] * joint.offset;
      out.rotations[i] = out.rotations[joint.parent] * pose.rotations[i];
    }
  }
}

Pose rest_pose(const Skeleton& skeleton) {
  Pose pose;
  for (const SkeletonJoint& joint : skeleton.joints) pose.rotations.push_back(joint.rest);
  return pose;
}

Pose standing_pose(const Skeleton& skeleton) {
  if (skeleton.stance.empty()) return rest_pose(skeleton);
  Pose pose;
  pose.rotations = skeleton.stance;
  return pose;
}

Pose sample(const Clip& clip, double t) {
  const double at = std::clamp(t * clip.fps, 0.0, static_cast<double>(clip.frame_count() - 1));
  const int first = std::min(static_cast<int>(at), std::max(0, clip.frame_count() - 2));
  const int second = std::min(first + 1, clip.frame_count() - 1);
  const double blend = at - first;
  const Pose& a = clip.frames[first];
  const Pose& b = clip.frames[second];
  Pose pose;
  pose.root_position = (1.0 - blend) * a.root_position + blend * b.root_position;
  pose.rotations.resize(a.rotations.size());
  for (std::size_t i = 0; i < a.rotations.size(); ++i)
    pose.rotations[i] = a.rotations[i].slerp(blend, b.rotations[i]);
  return pose;
}

}  // namespace stunt
