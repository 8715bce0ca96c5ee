#include "stunt/motion/edit/edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "stunt/core/easing.h"
#include "stunt/core/error.h"

namespace stunt {
namespace {

// A turn about the vertical through the origin, then a shift over the ground.
struct GroundMove {
  double yaw = 0;
  Vec3 shift = Vec3::Zero();
  Pose operator()(Pose pose) const {
    const Quat turn = yaw_rotation(yaw);
    pose.root_position = turn * pose.root_position + shift;
    pose.rotations[0] = turn * pose.rotations[0];
    return pose;
  }
  // Takes the ground position and heading of one pose to those of another.
  static GroundMove between(const Clip& clip, const RestPose& rest, const Pose& from, const Pose& to) {
    GroundMove move;
    move.yaw = rest.heading(clip.skeleton, to) - rest.heading(clip.skeleton, from);
    move.shift = to.root_position - yaw_rotation(move.yaw) * from.root_position;
    move.shift.z() = 0;
    return move;
  }
};

Pose mix(const Pose& a, const Pose& b, double weight) {
  Pose pose;
  pose.root_position = (1 - weight) * a.root_position + weight * b.root_position;
  pose.rotations.resize(a.rotations.size());
  for (std::size_t j = 0; j < a.rotations.size(); ++j) {
    pose.rotations[j] = a.rotations[j].slerp(weight, same_hemisphere(b.rotations[j], a.rotations[j]));
  }
  return pose;
}

Clip without_frames(const Clip& clip) {
  Clip out = clip;
  out.frames.clear();
  out.loops = false;
  return out;
}

void require_same_skeleton(const Clip& a, const Clip& b) {
  if (!same_skeleton(a.skeleton, b.skeleton)) {
    throw InputError(b.name, "another skeleton than that of " + a.name, "motions of one skeleton");
  }
}

[[noreturn]] void refuse(const Clip& clip, const std::string& found, const std::string& expected) {
  throw InputError(clip.name, found, expected);
}

std::string swapped_sides(const std::string& name) {
  static const std::pair<std::string, std::string> kWords[] = {
      {"Left", "Right"}, {"left", "right"}, {"LEFT", "RIGHT"}};
  for (const auto& [left, right] : kWords) {
    if (const auto at = name.find(left); at != std::string::npos)
      return std::string(name).replace(at, left.size(), right);
    if (const auto at = name.find(right); at != std::string::npos)
      return std::string(name).replace(at, right.size(), left);
  }
  // A single letter at the start or end, or set off from the rest: LThumb, Thumb_L, l_thumb, Thumb.R.
  const auto other = [](char c) {
    return c == 'L' ? 'R' : c == 'R' ? 'L' : c == 'l' ? 'r' : c == 'r' ? 'l' : '\0';
  };
  const auto letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  const auto upper = [](char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; };
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (!other(name[i])) continue;
    const bool starts = i == 0 || !letter(name[i - 1]), ends = i + 1 == name.size() || !letter(name[i + 1]);
    const bool camel = starts && upper(name[i]) && !ends && upper(name[i + 1]);
    if ((starts && ends) || camel) {
      std::string out = name;
      out[i] = other(name[i]);
      return out;
    }
  }
  return name;
}

}  // namespace

bool same_skeleton(const Skeleton& a, const Skeleton& b) {
  if (a.size() != b.size()) return false;
  for (int i = 0; i < a.size(); ++i) {
    if (a.joints[i].name != b.joints[i].name || a.joints[i].parent != b.joints[i].parent) return false;
  }
  return true;
}

RestPose::RestPose(const Skeleton& skeleton) : roles(recognise_roles(skeleton)) {
  forward_kinematics(skeleton, standing_pose(skeleton), world);
  for (const Role role : {Role::left_thigh, Role::right_thigh, Role::left_foot, Role::right_foot}) {
    if (roles[role] < 0)
      throw InputError("skeleton", "no " + std::string(name(role)), "a skeleton with two legs");
  }
  const auto at = [&](Role role) { return world.positions[roles[role]]; };
  left = (at(Role::left_thigh) - at(Role::right_thigh)).normalized();
  Vec3 top = at(Role::left_thigh) + at(Role::right_thigh);
  top *= 0.5;
  for (const Role role : {Role::chest, Role::neck, Role::head}) {
    if (roles[role] >= 0) top = at(role);
  }
  up = top - 0.5 * (at(Role::left_foot) + at(Role::right_foot));
  up = (up - left * left.dot(up)).normalized();
  forward = left.cross(up);
}

double RestPose::heading(const Skeleton& skeleton, const Pose& pose) const {
  // The pelvis may hang below other joints: its rotation is the product of theirs.
  const int pelvis = std::max(0, roles[Role::pelvis]);
  Quat rotation = Quat::Identity();
  for (int j = pelvis; j >= 0; j = skeleton.joints[j].parent) rotation = pose.rotations[j] * rotation;
  const Quat turn = rotation * world.rotations[pelvis].conjugate();
  Vec3 ahead = turn * forward;
  if (std::hypot(ahead.x(), ahead.y()) < 0.2) ahead = (ahead.z() > 0 ? -1.0 : 1.0) * (turn * up);  // lying
  return std::atan2(ahead.y(), ahead.x());
}

std::vector<int> mirror_joints(const Skeleton& skeleton) {
  const Roles roles = recognise_roles(skeleton);
  std::vector<int> other(skeleton.size(), -1);
  for (int i = 0; i < skeleton.size(); ++i) other[i] = skeleton.find(swapped_sides(skeleton.joints[i].name));
  for (int r = 0; r < kRoleCount; ++r) {
    const std::string role(name(static_cast<Role>(r)));
    if (!role.starts_with("left_")) continue;
    const int a = roles[static_cast<Role>(r)], b = roles[*role_from_name("right_" + role.substr(5))];
    if (a < 0 || b < 0) continue;
    other[a] = b;
    other[b] = a;
  }
  for (int i = 0; i < skeleton.size(); ++i) {
    if (other[i] < 0 || other[other[i]] != i) other[i] = i;
  }
  return other;
}

Clip cropped(const Clip& clip, double from, double to) {
  if (!(from >= 0 && to > from && from < clip.duration())) {
    refuse(clip, fmt::format("crop from {} to {} s", from, to),
           fmt::format("times from 0 to {:.3f} s", clip.duration()));
  }
  const int first = static_cast<int>(std::lround(from * clip.fps));
  const int last = std::min(static_cast<int>(std::lround(std::min(to, clip.duration()) * clip.fps)),
                            clip.frame_count() - 1);
  if (last <= first)
    refuse(clip, fmt::format("crop from {} to {} s: one frame", from, to), "at least 2 frames");
  Clip out = without_frames(clip);
  out.frames.assign(clip.frames.begin() + first, clip.frames.begin() + last + 1);
  return out;
}

Clip retimed(const Clip& clip, const std::function<double(double)>& source_time, double duration) {
  if (!(duration > 0 && duration * clip.fps < kMostFrames)) {
    refuse(clip, fmt::format("a duration of {} s", duration), "above 0 s and at most a million frames");
  }
  Clip out = without_frames(clip);
  const int count = static_cast<int>(std::floor(duration * clip.fps + 1e-6)) + 1;
  if (count < 2) refuse(clip, fmt::format("{} frame in {} s", count, duration), "at least 2 frames");
  for (int i = 0; i < count; ++i) out.frames.push_back(sample(clip, source_time(i / clip.fps)));
  return out;
}

Clip resampled(const Clip& clip, double fps) {
  if (!(fps >= 1 && clip.duration() * fps < kMostFrames)) {
    refuse(clip, fmt::format("{} frames per second", fps), "at least 1, and at most a million frames");
  }
  Clip out = without_frames(clip);
  out.fps = fps;
  out.loops = clip.loops;
  const int count = static_cast<int>(std::floor(clip.duration() * fps + 1e-6)) + 1;
  if (count < 2) refuse(clip, fmt::format("{} frames per second: one frame", fps), "at least 2 frames");
  for (int i = 0; i < count; ++i) out.frames.push_back(sample(clip, i / fps));
  return out;
}

Clip at_speed(const Clip& clip, double factor) {
  if (!(factor > 0 && factor <= 100))
    refuse(clip, fmt::format("speed {}", factor), "above 0 and at most 100");
  Clip out = retimed(
      clip, [&](double t) { return factor * t; }, clip.duration() / factor);
  out.loops = clip.loops;
  return out;
}

Clip mirrored(const Clip& clip) {
  const Skeleton& skeleton = clip.skeleton;
  const RestPose rest(skeleton);
  const std::vector<int> other = mirror_joints(skeleton);
  const Pose& start = clip.frames.front();
  const double yaw = rest.heading(skeleton, start);
  const Vec3 across(-std::sin(yaw), std::cos(yaw), 0);
  const Mat3 world_mirror = Mat3::Identity() - 2 * across * across.transpose();
  const Mat3 rest_mirror = Mat3::Identity() - 2 * rest.left * rest.left.transpose();

  // A pose turns the rest pose's joint by D = R B^-1. Seen in the mirror, what turns is the mirror image of
  // the other side's rest pose: D' = S D S0, with S the mirror in the world and S0 the one between the sides
  // of the rest pose.
  Clip out = without_frames(clip);
  out.loops = clip.loops;
  JointTransforms world;
  for (const Pose& pose : clip.frames) {
    forward_kinematics(skeleton, pose, world);
    Pose& seen = out.frames.emplace_back();
    seen.root_position = start.root_position + world_mirror * (pose.root_position - start.root_position);
    std::vector<Quat> turned(skeleton.size());
    for (int j = 0; j < skeleton.size(); ++j) {
      const Mat3 turn =
          (world.rotations[other[j]] * rest.world.rotations[other[j]].conjugate()).toRotationMatrix();
      turned[j] = Quat(Mat3(world_mirror * turn * rest_mirror)) * rest.world.rotations[j];
      const int parent = skeleton.joints[j].parent;
      const Quat local = parent < 0 ? turned[j] : turned[parent].conjugate() * turned[j];
      const auto before =
          out.frames.size() > 1 ? out.frames[out.frames.size() - 2].rotations[j] : pose.rotations[j];
      seen.rotations.push_back(same_hemisphere(local.normalized(), before));
    }
  }
  return out;
}

Clip joined(const Clip& a, const Clip& b) {
  require_same_skeleton(a, b);
  const Clip next = std::abs(b.fps - a.fps) < 1e-6 * a.fps ? b : resampled(b, a.fps);
  const auto move = GroundMove::between(a, RestPose(a.skeleton), next.frames.front(), a.frames.back());
  Clip out = a;
  out.loops = false;
  for (int i = 1; i < next.frame_count(); ++i) out.frames.push_back(move(next.frames[i]));
  return out;
}

Clip transition(const Clip& a, const Clip& b, double at, double duration) {
  require_same_skeleton(a, b);
  if (!(at >= 0 && duration > 0 && at + duration <= a.duration() + 1e-6)) {
    refuse(a, fmt::format("a transition from {} to {} s", at, at + duration),
           fmt::format("within the motion's {:.3f} s", a.duration()));
  }
  if (duration > b.duration() + 1e-6) {
    refuse(b, fmt::format("a transition of {} s", duration),
           fmt::format("at most the motion's {:.3f} s", b.duration()));
  }
  const auto move =
      GroundMove::between(a, RestPose(a.skeleton), sample(b, duration / 2), sample(a, at + duration / 2));
  Clip out = without_frames(a);
  const int count = static_cast<int>(std::floor((at + b.duration()) * a.fps + 1e-6)) + 1;
  for (int i = 0; i < count; ++i) {
    const double t = i / a.fps;
    if (t < at) {
      out.frames.push_back(a.frames[i]);
    } else {
      out.frames.push_back(mix(sample(a, t), move(sample(b, t - at)), quintic_ease((t - at) / duration)));
    }
  }
  return out;
}

Clip blended(const Clip& a, const Clip& b, double weight, double start, double end, double ramp) {
  require_same_skeleton(a, b);
  if (!(weight >= 0 && weight <= 1)) refuse(a, fmt::format("weight {}", weight), "from 0 to 1");
  if (!(start < end && ramp >= 0 && 2 * ramp <= end - start + 1e-9)) {
    refuse(a, fmt::format("a blend from {} to {} s with ramps of {} s", start, end, ramp),
           "start < end, room for both ramps");
  }
  const RestPose rest(a.skeleton);
  Clip out = without_frames(a);
  for (int i = 0; i < a.frame_count(); ++i) {
    const double t = i / a.fps, in = t - start, left = end - t;
    const double w = in < 0 || left < 0 ? 0
                     : ramp > 0         ? weight * quintic_ease(in / ramp) * quintic_ease(left / ramp)
                                        : weight;
    if (w == 0) {
      out.frames.push_back(a.frames[i]);
      continue;
    }
    const Pose other = sample(b, t);
    out.frames.push_back(mix(a.frames[i], GroundMove::between(a, rest, other, a.frames[i])(other), w));
  }
  return out;
}

Clip layered(const Clip& lower, const Clip& upper) {
  require_same_skeleton(lower, upper);
  const Skeleton& skeleton = lower.skeleton;
  const Roles roles = recognise_roles(skeleton);
  const int left = roles[Role::left_thigh], right = roles[Role::right_thigh];
  // Above: what is neither below a thigh nor on the way from the root to one.
  std::vector<char> above(skeleton.size(), 1);
  for (const int thigh : {left, right}) {
    for (int j = thigh; j >= 0; j = skeleton.joints[j].parent) above[j] = 0;
  }
  for (int j = 0; j < skeleton.size(); ++j) {
    for (int k = j; k >= 0; k = skeleton.joints[k].parent) {
      if (k == left || k == right) above[j] = 0;
    }
  }
  Clip out = lower;
  for (int i = 0; i < out.frame_count(); ++i) {
    const Pose pose = sample(upper, i / lower.fps);
    for (int j = 0; j < skeleton.size(); ++j) {
      if (above[j]) out.frames[i].rotations[j] = pose.rotations[j];
    }
  }
  return out;
}

Clip as_loop(const Clip& clip, double seam, int cycles) {
  if (!(seam > 0 && 3 * seam <= clip.duration())) {
    refuse(clip, fmt::format("a seam of {} s", seam),
           fmt::format("above 0 and at most a third of {:.3f} s", clip.duration()));
  }
  if (!(cycles >= 1 && cycles * clip.duration() * clip.fps < kMostFrames)) {
    refuse(clip, fmt::format("{} cycles", cycles), "at least 1, and at most a million frames");
  }
  // The cycle ends where the poses of the seam are most like those of the beginning.
  const RestPose rest(clip.skeleton);
  const int overlap = std::max(2, static_cast<int>(std::lround(seam * clip.fps)));
  int period = clip.frame_count() - 1 - overlap;
  double least = INFINITY;
  for (int p = std::max(2 * overlap, period / 3); p <= clip.frame_count() - 1 - overlap; ++p) {
    double cost = 0;
    for (const int k : {0, overlap / 2, overlap}) {
      const Pose &a = clip.frames[k], &b = clip.frames[p + k];
      const auto move = GroundMove::between(clip, rest, b, a);
      cost += 10 * std::pow(a.root_position.z() - b.root_position.z(), 2);
      cost += std::pow(angle_between(a.rotations[0], move(b).rotations[0]), 2);
      for (std::size_t j = 1; j < a.rotations.size(); ++j)
        cost += std::pow(angle_between(a.rotations[j], b.rotations[j]), 2);
    }
    // Of equally good ends the longer cycle: it keeps more of the motion.
    if (cost <= least * (1 + 1e-9)) {
      least = cost;
      period = p;
    }
  }
  const auto back =
      GroundMove::between(clip, rest, clip.frames[period + overlap / 2], clip.frames[overlap / 2]);
  Clip cycle = without_frames(clip);
  for (int i = 0; i <= period; ++i) {
    if (i < overlap) {
      cycle.frames.push_back(
          mix(back(clip.frames[period + i]), clip.frames[i], quintic_ease(static_cast<double>(i) / overlap)));
    } else {
      cycle.frames.push_back(clip.frames[i]);
    }
  }
  Clip out = cycle;
  for (int i = 1; i < cycles; ++i) out = joined(out, cycle);
  out.loops = true;
  return out;
}

}  // namespace stunt
