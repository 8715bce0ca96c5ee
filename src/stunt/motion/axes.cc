#include "stunt/motion/axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "stunt/core/error.h"
#include "stunt/motion/flight.h"

namespace stunt {
namespace {

constexpr std::array<const char*, 6> kUpAxes = {"y", "z", "x", "-y", "-z", "-x"};

// How the body lies along the axes, over the clip.
struct Uprightness {
  std::array<double, 6> share{};  // of the frames in which feet to head is nearest to each of kUpAxes
  double height = 0.0;            // file units, feet to head at most
  Vec3 low, high;                 // of the root
  std::vector<Vec3> lowest;       // per looked-at frame: the least coordinate of any joint on each axis
  std::vector<Vec3> highest;
  std::vector<Vec3> body;  // feet to head
  std::vector<Vec3> legs;  // feet to hips
};

Uprightness watch_body(const Clip& clip, const Roles& roles) {
  Uprightness seen;
  seen.low = seen.high = clip.frames[0].root_position;
  JointTransforms pose;
  const int step = std::max(1, clip.frame_count() / 200);
  for (int f = 0; f < clip.frame_count(); f += step) {
    forward_kinematics(clip.skeleton, clip.frames[f], pose);
    const Vec3 body = feet_to_head(pose, roles);
    seen.share[std::find(kUpAxes.begin(), kUpAxes.end(), nearest_axis(body)) - kUpAxes.begin()] += 1.0;
    seen.height = std::max(seen.height, body.norm());
    seen.low = seen.low.cwiseMin(clip.frames[f].root_position);
    seen.high = seen.high.cwiseMax(clip.frames[f].root_position);
    Vec3 lowest = pose.positions[0], highest = lowest;
    for (const Vec3& p : pose.positions) {
      lowest = lowest.cwiseMin(p);
      highest = highest.cwiseMax(p);
    }
    seen.lowest.push_back(lowest);
    seen.highest.push_back(highest);
    seen.body.push_back(body);
    seen.legs.push_back(
        pose.positions[roles[Role::pelvis]] -
        0.5 * (pose.positions[roles[Role::left_foot]] + pose.positions[roles[Role::right_foot]]));
  }
  for (double& share : seen.share) share /= static_cast<double>(seen.body.size());
  return seen;
}

// The axis a rest pose stands along: legs and trunk in one line, one up and one down. Empty where it does not.
std::string rest_stands_along(const Skeleton& skeleton, const Roles& roles) {
  JointTransforms rest;
  forward_kinematics(skeleton, rest_pose(skeleton), rest);
  const Vec3 trunk = feet_to_head(rest, roles);
  const Vec3 hips = rest.positions[roles[Role::pelvis]];
  const Vec3 feet = 0.5 * (rest.positions[roles[Role::left_foot]] + rest.positions[roles[Role::right_foot]]);
  const Vec3 head = feet + trunk;
  const bool stands = trunk.norm() > 0.0 &&
                      (head - hips).normalized().dot((hips - feet).normalized()) > 0.8 &&
                      trunk.cwiseAbs().maxCoeff() > 0.9 * trunk.norm();
  return stands ? nearest_axis(trunk) : "";
}

// Is this the way someone stands along `up`, and not lies: in line with the axis all the time, or at least their legs
// where they bow, on feet that are level with the origin? Whoever lies does so in any direction, around any place.
bool stands_on_origin(const Uprightness& seen, const std::string& up) {
  const Vec3 axis = axis_vector(up, "");
  int in_line = 0, on_floor = 0;
  for (std::size_t i = 0; i < seen.body.size(); ++i) {
    in_line += std::max(seen.body[i].normalized().dot(axis), seen.legs[i].normalized().dot(axis)) >
               std::cos(radians(20));
    int index = 0;
    axis.cwiseAbs().maxCoeff(&index);
    const double lowest = axis[index] > 0 ? seen.lowest[i][index] : -seen.highest[i][index];
    on_floor += std::abs(lowest) < 0.12 * seen.height;
  }
  const double most = 0.9 * static_cast<double>(seen.body.size());
  return in_line > most && on_floor > most;
}

// Does the body, thrown into the air, fall along this axis as bodies do? For a person of usual height.
bool falls_along(const Clip& clip, const Roles& roles, const std::string& up, double height) {
  Clip trial = clip;
  change_axes(trial, axes_to_stunt(up, "", ""), 0.85 * kUsualHeight / height);
  const auto fall = flight_acceleration(trial, roles);
  return fall && *fall > 9.81 / 1.5 && *fall < 9.81 * 1.5;
}

}  // namespace

std::string nearest_axis(const Vec3& direction) {
  int axis = 0;
  direction.cwiseAbs().maxCoeff(&axis);
  return fmt::format("{}{}", direction[axis] < 0 ? "-" : "", static_cast<char>('x' + axis));
}

Vec3 axis_vector(const std::string& axis, const std::string& place) {
  const bool minus = axis.starts_with('-');
  const std::string letter = axis.substr(minus || axis.starts_with('+') ? 1 : 0);
  const int index = letter.size() == 1 ? (letter[0] | 0x20) - 'x' : -1;  // capitals too
  if (index < 0 || index > 2) throw InputError(place, fmt::format("'{}'", axis), "x, y, z, -x, -y or -z");
  return (minus ? -1.0 : 1.0) * Vec3::Unit(index);
}

Quat axes_to_stunt(const std::string& up, const std::string& forward, const std::string& place) {
  const Vec3 z = axis_vector(up, place);
  int index = 0;
  z.cwiseAbs().maxCoeff(&index);
  const Vec3 x = forward.empty() ? Vec3(Vec3::Unit((index + 1) % 3)) : axis_vector(forward, place);
  if (std::abs(x.dot(z)) > 0.5)
    throw InputError(place, fmt::format("forward axis '{}'", forward), "one at right angles to up");
  Mat3 rows;
  rows << x.transpose(), z.cross(x).transpose(), z.transpose();
  return Quat(rows);
}

void change_axes(Clip& clip, const Quat& rotation, double scale) {
  const auto turned = [&](const Quat& q) { return rotation * q * rotation.conjugate(); };
  for (SkeletonJoint& joint : clip.skeleton.joints) {
    joint.offset = rotation * joint.offset * scale;
    joint.rest = turned(joint.rest);
  }
  for (SkeletonEnd& end : clip.skeleton.ends) end.offset = rotation * end.offset * scale;
  for (Quat& q : clip.skeleton.stance) q = turned(q);
  for (Pose& pose : clip.frames) {
    pose.root_position = rotation * pose.root_position * scale;
    for (Quat& q : pose.rotations) q = turned(q);
  }
}

Vec3 feet_to_head(const JointTransforms& pose, const Roles& roles) {
  int top = roles[Role::pelvis];
  for (const Role role : {Role::spine, Role::chest, Role::neck, Role::head}) {
    if (roles[role] >= 0) top = roles[role];
  }
  return pose.positions[top] -
         0.5 * (pose.positions[roles[Role::left_foot]] + pose.positions[roles[Role::right_foot]]);
}

UpAxis find_up_axis(const Clip& clip, const Roles& roles) {
  const Uprightness seen = watch_body(clip, roles);
  const auto best = std::max_element(seen.share.begin(), seen.share.end());
  const std::string by_motion = kUpAxes[best - seen.share.begin()];
  const std::string by_rest = rest_stands_along(clip.skeleton, roles);
  const auto share = [&](const std::string& axis) {
    return seen.share[std::find(kUpAxes.begin(), kUpAxes.end(), axis) - kUpAxes.begin()];
  };
  const auto below = [&](const std::string& axis) {
    return fmt::format("the feet are below the head along it in {:.0f} % of the frames", 100 * share(axis));
  };
  if (by_rest.empty() || by_rest == by_motion) return {by_motion, below(by_motion)};

  // They differ. Someone who gets up, bends or does a handstand is seen upright along the rest pose's axis too.
  const bool mostly = *best > 0.6, never_as_rest = share(by_rest) < 0.1;
  // No one hangs head down all the time: cameras have y down.
  const bool upside_down =
      never_as_rest && *best > 0.9 && axis_vector(by_motion, "") == -axis_vector(by_rest, "");
  const bool travels = (seen.high - seen.low).maxCoeff() > 1.5 * seen.height;
  const bool stands = never_as_rest && stands_on_origin(seen, by_motion);
  if (mostly && (travels || stands || upside_down ||
                 (never_as_rest && falls_along(clip, roles, by_motion, seen.height)))) {
    return {by_motion, below(by_motion) + ", though the rest pose stands along " + by_rest};
  }
  return {by_rest,
          fmt::format("the rest pose stands along it, though the body is along {} in {:.0f} % of the frames",
                      by_motion, 100 * *best)};
}

}  // namespace stunt
