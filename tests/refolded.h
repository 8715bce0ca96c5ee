// The same motion as a program with other joint axes would write it: its zero pose is folded.
#pragma once

#include <vector>

#include "stunt/core/random.h"
#include "stunt/motion/clip.h"

namespace stunt {

// Joint j's axes are turned by s[j]: a rotation B in the world becomes B s[j]. No joint and no end moves, but
// the pose of zero rotations becomes another.
inline Clip refolded(Clip clip, const std::vector<Quat>& s) {
  Skeleton& skeleton = clip.skeleton;
  for (int j = 0; j < skeleton.size(); ++j) {
    const int parent = skeleton.joints[j].parent;
    if (parent >= 0) skeleton.joints[j].offset = s[parent].conjugate() * skeleton.joints[j].offset;
    for (Pose& pose : clip.frames) {
      pose.rotations[j] = (parent < 0 ? pose.rotations[j] : s[parent].conjugate() * pose.rotations[j]) * s[j];
    }
  }
  for (SkeletonEnd& end : skeleton.ends) end.offset = s[end.joint].conjugate() * end.offset;
  skeleton.stance.clear();
  skeleton.roles.reset();
  return clip;
}

// All bones along x, as in files whose programs give each bone its own axes.
inline std::vector<Quat> bones_along_x(const Skeleton& skeleton) {
  std::vector<Quat> s(skeleton.joints.size(), Quat::Identity());
  std::vector<double> longest(s.size(), 0.0);
  const auto look = [&](int joint, const Vec3& bone) {
    if (joint < 0 || bone.norm() <= longest[joint]) return;
    longest[joint] = bone.norm();
    s[joint] = rotation_between(Vec3::UnitX(), bone.normalized());
  };
  for (const SkeletonJoint& joint : skeleton.joints) look(joint.parent, joint.offset);
  for (const SkeletonEnd& end : skeleton.ends) look(end.joint, end.offset);
  return s;
}

inline std::vector<Quat> random_turns(const Skeleton& skeleton, int seed) {
  Random random(seed);
  std::vector<Quat> s;
  for (int j = 0; j < skeleton.size(); ++j) {
    s.push_back(exp_map({2 * random.normal(), 2 * random.normal(), 2 * random.normal()}));
  }
  return s;
}

}  // namespace stunt
