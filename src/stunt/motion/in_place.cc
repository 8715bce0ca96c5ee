#include "stunt/motion/in_place.h"

#include <algorithm>
#include <cmath>

namespace stunt {
namespace {

constexpr double kLow = 0.20;          // of a foot's range of heights: lower than this it carries the body
constexpr double kLeastLift = 0.04;    // m, of a foot that walks
constexpr double kLeastSpeed = 0.3;    // m/s, of a slide that is one
constexpr double kSteady = 0.4;        // of that speed: what a low foot may differ from it
constexpr double kMostlySteady = 0.6;  // of the low frames must be so
constexpr double kLeastShare = 0.1;    // of the frames: how long each foot is low, and is not
constexpr double kUpright = 0.5;       // of their greatest height: how low the hips of a walker may come

double quantile(std::vector<double> values, double fraction) {
  const auto at =
      values.begin() + static_cast<std::ptrdiff_t>(fraction * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// Horizontal velocities of a foot's lower end from one frame in which it is low to the next such one; empty where it
// does not step. A foot that comes down or leaves is not yet, or no more, as fast as the ground.
std::vector<Vec3> velocities_while_low(const std::vector<Vec3>& path, double fps) {
  std::vector<double> heights;
  for (const Vec3& p : path) heights.push_back(p.z());
  const double low = quantile(heights, 0.02), high = quantile(heights, 0.98);
  if (high - low < kLeastLift) return {};
  const auto is_low = [&](std::size_t f) {
    return f < path.size() && path[f].z() < low + kLow * (high - low);
  };
  std::vector<Vec3> velocities;
  double share = 0;  // of the frames
  for (std::size_t f = 0; f < path.size(); ++f) {
    if (!is_low(f)) continue;
    share += 1.0 / static_cast<double>(path.size());
    if (!is_low(f + 1)) continue;
    Vec3 v = fps * (path[f + 1] - path[f]);
    v.z() = 0;
    velocities.push_back(v);
  }
  return share > kLeastShare && share < 1 - kLeastShare ? velocities : std::vector<Vec3>();
}

}  // namespace

std::optional<Vec3> missing_velocity(const Clip& clip, const Roles& roles) {
  if (clip.frame_count() < 8) return std::nullopt;
  std::vector<Vec3> paths[2];
  JointTransforms pose;
  double lowest_hips = INFINITY, highest_hips = 0;
  for (const Pose& frame : clip.frames) {
    forward_kinematics(clip.skeleton, frame, pose);
    const double hips =
        pose.positions[roles[Role::pelvis]].z() -
        std::min(pose.positions[roles[Role::left_foot]].z(), pose.positions[roles[Role::right_foot]].z());
    lowest_hips = std::min(lowest_hips, hips);
    highest_hips = std::max(highest_hips, hips);
    for (int side = 0; side < 2; ++side) {
      const int foot = roles[side == 0 ? Role::left_foot : Role::right_foot];
      const int toes = roles[side == 0 ? Role::left_toes : Role::right_toes];
      paths[side].push_back(pose.positions[toes >= 0 ? toes : foot]);
    }
  }
  if (lowest_hips < kUpright * highest_hips) return std::nullopt;
  std::vector<Vec3> all;
  for (const auto& path : paths) {
    const std::vector<Vec3> low = velocities_while_low(path, clip.fps);
    if (low.empty()) return std::nullopt;
    all.insert(all.end(), low.begin(), low.end());
  }
  Vec3 slide = Vec3::Zero();
  std::vector<double> sorted;
  for (int axis = 0; axis < 2; ++axis) {
    sorted.clear();
    for (const Vec3& v : all) sorted.push_back(v[axis]);
    slide[axis] = quantile(sorted, 0.5);
  }
  const double speed = slide.norm();
  Vec3 travelled = clip.frames.back().root_position - clip.frames.front().root_position;
  travelled.z() = 0;
  if (speed < kLeastSpeed || travelled.norm() > 0.25 * speed * clip.duration()) return std::nullopt;
  const auto steady = std::count_if(all.begin(), all.end(),
                                    [&](const Vec3& v) { return (v - slide).norm() < kSteady * speed; });
  if (static_cast<double>(steady) < kMostlySteady * static_cast<double>(all.size())) return std::nullopt;
  return Vec3(-slide);
}

void move_steadily(Clip& clip, const Vec3& velocity) {
  for (int f = 0; f < clip.frame_count(); ++f) clip.frames[f].root_position += f / clip.fps * velocity;
}

}  // namespace stunt
