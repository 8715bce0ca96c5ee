#include "stunt/motion/sliding_joints.h"

#include <fmt/format.h>

#include <algorithm>

#include "stunt/motion/readers/scanner.h"

namespace stunt {
namespace {

constexpr double kNoticeableShare = 0.0006;  // of the figure: the thousandth part of its height, about
constexpr double kLocomotionShare = 0.02;

Vec3 median_of(const std::vector<Vec3>& values) {
  Vec3 out;
  std::vector<double> sorted(values.size());
  for (int axis = 0; axis < 3; ++axis) {
    std::transform(values.begin(), values.end(), sorted.begin(), [&](const Vec3& v) { return v[axis]; });
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    out[axis] = *middle;
  }
  return out;
}

// The root moves so that the joint is where the file has it while its bone keeps its length.
void give_to_root(Clip& clip, const SlidingJoint& sliding) {
  const Vec3 bone = clip.skeleton.joints[sliding.joint].offset = sliding.rest;
  for (int f = 0; f < clip.frame_count(); ++f) {
    Pose& pose = clip.frames[f];
    Quat above = Quat::Identity();
    for (int j = clip.skeleton.joints[sliding.joint].parent; j >= 0; j = clip.skeleton.joints[j].parent) {
      above = pose.rotations[j] * above;
    }
    pose.root_position += above * (sliding.offsets[f] - bone);
  }
}

}  // namespace

void settle_sliding_joints(Clip& clip, const Roles& roles) {
  double size = 0.0;  // of the figure: the sum of its bones is some four times its height
  for (const auto& joint : clip.skeleton.joints) size += 0.25 * joint.offset.norm();
  const auto carries_hips = [&](int joint) {
    int at = roles[Role::pelvis];
    while (at > joint) at = clip.skeleton.joints[at].parent;
    return at == joint;
  };
  std::vector<std::string> moved;
  double largest = 0.0;
  for (const SlidingJoint& sliding : clip.sliding) {
    SkeletonJoint& joint = clip.skeleton.joints[sliding.joint];
    const Vec3 middle = median_of(sliding.offsets);
    double spread = 0.0;
    for (const Vec3& offset : sliding.offsets) spread = std::max(spread, (offset - middle).norm());
    if (carries_hips(sliding.joint) && spread > kLocomotionShare * size) {
      give_to_root(clip, sliding);
      clip.notes.push_back(
          fmt::format("{} is moved against the joint above it; as it carries the hips, this is "
                      "taken as the motion of the whole body.",
                      quote(joint.name)));
      continue;
    }
    joint.offset = middle;
    if (spread > kNoticeableShare * size) {
      moved.push_back(quote(joint.name));
      largest = std::max(largest, spread);
    }
  }
  if (!moved.empty()) {
    std::string names = moved[0];
    for (std::size_t i = 1; i < moved.size() && i < 4; ++i) names += ", " + moved[i];
    if (moved.size() > 4) names += fmt::format(" and {} more", moved.size() - 4);
    clip.warnings.push_back(
        fmt::format("{} {} moved against the joint above by up to {:.3g} file units; bones are rigid here, "
                    "so the median place is used.",
                    names, moved.size() > 1 ? "are" : "is", largest));
  }
  clip.sliding.clear();
}

}  // namespace stunt
