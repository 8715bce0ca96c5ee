#include "stunt/motion/interpret.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "stunt/core/error.h"
#include "stunt/motion/axes.h"
#include "stunt/motion/flight.h"
#include "stunt/motion/in_place.h"
#include "stunt/motion/length_unit.h"
#include "stunt/motion/rest_frames.h"
#include "stunt/motion/roles.h"
#include "stunt/motion/sliding_joints.h"
#include "stunt/motion/stance.h"

namespace stunt {
namespace {

double seconds(const Clip& clip, int frame) { return frame / clip.fps; }

// --- which frames ---------------------------------------------------------------------------------

void check_frame_rate(Clip& clip, const ImportOptions& options, const std::string& place) {
  if (options.fps) {
    clip.notes.push_back(fmt::format("The frame rate is {:.6g} as asked, instead of the file's {:.6g}.",
                                     *options.fps, clip.fps));
    clip.fps = *options.fps;
  }
  if (!(clip.fps >= 1.0) || clip.fps > 1000.0) {
    throw InputError(place, fmt::format("{:.6g} frames per second", clip.fps),
                     "a frame rate from 1 to 1000; --fps gives the right one");
  }
  if (clip.fps < 10.0) {
    clip.warnings.push_back(fmt::format(
        "Only {:.3g} frames per second: quick motion is lost between frames (--fps corrects the rate).",
        clip.fps));
  }
}

bool is_zero_frame(const Clip& clip, const Pose& pose) {
  if (!pose.root_position.isZero(1e-12)) return false;
  for (int j = 0; j < clip.skeleton.size(); ++j) {
    if (angle_between(pose.rotations[j], clip.skeleton.joints[j].rest) > 1e-9) return false;
  }
  return true;
}

// Some recordings end in frames of zeros where the capture had stopped.
void drop_zero_frames_at_the_end(Clip& clip, const std::string& place) {
  int zeros = 0;
  while (!clip.frames.empty() && is_zero_frame(clip, clip.frames.back())) {
    clip.frames.pop_back();
    ++zeros;
  }
  if (clip.frames.empty()) throw InputError(place, "only frames of zeros", "a motion");
  if (zeros > 0) {
    clip.warnings.push_back(fmt::format("The last {} frames are all zero and were left out.", zeros));
  }
}

void keep_between(Clip& clip, const ImportOptions& options, const std::string& place) {
  if (!options.start && !options.end) return;
  const double start = options.start.value_or(0.0), end = options.end.value_or(clip.duration());
  if (!(start >= 0.0) || !(end > start) || start >= clip.duration()) {
    throw InputError(place, fmt::format("--start {} and --end {}", start, end),
                     fmt::format("times from 0 to {:.4g} s, the end after the start", clip.duration()));
  }
  const int first = static_cast<int>(std::lround(start * clip.fps));
  const int last = std::min(clip.frame_count() - 1,
                            static_cast<int>(std::lround(std::min(end, clip.duration()) * clip.fps)));
  clip.frames.erase(clip.frames.begin() + last + 1, clip.frames.end());
  clip.frames.erase(clip.frames.begin(), clip.frames.begin() + first);
  for (SlidingJoint& sliding : clip.sliding) {
    sliding.offsets = {sliding.offsets.begin() + first, sliding.offsets.begin() + last + 1};
  }
}

void drop_rest_frames(Clip& clip, const ImportOptions& options) {
  // Whoever says where the motion starts has seen to it.
  if (options.start && !options.drop_rest_frame) return;
  int count = options.drop_rest_frame.value_or(true) ? count_rest_frames(clip) : 0;
  if (count == 0 && options.drop_rest_frame.value_or(false)) count = 1;
  if (count == 0) return;
  clip.frames.erase(clip.frames.begin(), clip.frames.begin() + count);
  for (SlidingJoint& sliding : clip.sliding) {
    sliding.offsets.erase(sliding.offsets.begin(), sliding.offsets.begin() + count);
  }
  clip.rest_frame_dropped = true;
  clip.notes.push_back(
      count == 1 ? "The first frame is a rest pose (T-pose) from which the body jumps into the motion; "
                   "it was left out (--keep-rest-frame keeps it)."
                 : fmt::format("The first {} frames are a rest pose (T-pose) and its way into the motion; "
                               "they were left out (--keep-rest-frame keeps them).",
                               count));
}

// --- the body -------------------------------------------------------------------------------------

bool has_legs(const Roles& roles) {
  for (const Role role : {Role::left_thigh, Role::left_shank, Role::left_foot, Role::right_thigh,
                          Role::right_shank, Role::right_foot}) {
    if (roles[role] < 0) return false;
  }
  return true;
}

bool has_trunk(const Roles& roles) {
  for (const Role role : {Role::spine, Role::chest, Role::neck, Role::head}) {
    if (roles[role] >= 0) return true;
  }
  return false;
}

double largest_extent(const JointTransforms& pose) {
  Vec3 low = pose.positions[0], high = low;
  for (const Vec3& p : pose.positions) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  return (high - low).maxCoeff();
}

// Roles before unit and axes are known: as if the body were of a person's size and `up` were up. Where the rest
// pose shows no legs, a pose of the motion may.
Roles provisional_roles(const Clip& clip, const std::string& up, const std::string& place) {
  Clip trial;
  trial.skeleton = clip.skeleton;
  JointTransforms pose;
  forward_kinematics(clip.skeleton, rest_pose(clip.skeleton), pose);
  const double extent = largest_extent(pose);
  if (!(extent > 0.0)) throw InputError(place, "a skeleton whose bones have no length", "a body");
  trial.skeleton.stance = clip.frames[clip.frame_count() / 2].rotations;
  change_axes(trial, axes_to_stunt(up, "", place), kUsualHeight / extent);
  std::vector<Quat> stance;
  stance.swap(trial.skeleton.stance);
  const Roles by_rest = recognise_roles(trial.skeleton);
  if (has_legs(by_rest)) return by_rest;
  stance.swap(trial.skeleton.stance);
  return recognise_roles(trial.skeleton);
}

void use_asked_roles(Roles& roles, const Skeleton& skeleton, const ImportOptions& options,
                     const std::string& place) {
  for (const RoleOption& asked : options.roles) {
    const auto role = role_from_name(asked.role);
    if (!role) {
      std::string known;
      for (int i = 0; i < kRoleCount; ++i) {
        known += (i ? ", " : "") + std::string(name(static_cast<Role>(i)));
      }
      throw InputError("--role " + asked.role, "no such role", "one of: " + known);
    }
    const int joint = skeleton.find(asked.joint);
    if (joint < 0 && asked.joint != "none") {
      std::string known;
      for (int i = 0; i < skeleton.size() && i < 60; ++i) known += (i ? ", " : "") + skeleton.joints[i].name;
      throw InputError(fmt::format("--role {}={}", asked.role, asked.joint), "no such joint in " + place,
                       "one of: " + known + (skeleton.size() > 60 ? ", ..." : ""));
    }
    roles[*role] = joint;
  }
}

// Up and roles, each found by the other: the first assumption that confirms itself.
std::pair<UpAxis, Roles> find_up_and_roles(const Clip& clip, const ImportOptions& options,
                                           const std::string& place) {
  UpAxis up;
  Roles roles;
  for (const char* assumed : {"y", "z", "x", "-y", "-z", "-x"}) {
    if (options.up_axis && *options.up_axis != assumed) continue;
    Roles found = provisional_roles(clip, assumed, place);
    use_asked_roles(found, clip.skeleton, options, place);
    if (!has_legs(found)) continue;
    if (found[Role::pelvis] < 0) found[Role::pelvis] = 0;
    const UpAxis axis = options.up_axis ? UpAxis{assumed, "--up says so"} : find_up_axis(clip, found);
    if (up.axis.empty() || axis.axis == assumed) {
      roles = found;
      up = axis;
    }
    if (axis.axis == assumed) break;
  }
  return {up, roles};
}

void find_unit(Clip& clip, const Roles& roles, const ImportOptions& options, const std::string& place) {
  if (options.unit_m) {
    if (!(*options.unit_m > 0.0 && *options.unit_m <= 1e6)) {
      throw InputError(place, fmt::format("a length unit of {} m", *options.unit_m), "a length above 0");
    }
    clip.source.unit_m = *options.unit_m;
    return;
  }
  const double height = standing_height(clip.skeleton, roles);
  if (!(height > 0.0)) throw InputError(place, "legs without length", "a body");
  const LengthUnit unit = find_length_unit(height);
  clip.source.unit_m = unit.metres;
  if (!unit.name.empty()) {
    clip.notes.push_back(fmt::format(
        "One length unit of the file is taken as {}: the body is then about {:.2f} m tall (--unit "
        "changes it).",
        unit.name, unit.body_height));
  } else {
    clip.warnings.push_back(fmt::format(
        "No usual length unit makes this body a person's size, so it was scaled to {} m: one file "
        "unit is taken as {:.4g} m (--unit changes it).",
        kUsualHeight, unit.metres));
  }
}

// The feet of a cycle on the spot slide back under the body: the body gets the speed that makes them stand.
void walk_off_the_spot(Clip& clip, const Roles& roles, const ImportOptions& options) {
  const auto velocity = missing_velocity(clip, roles);
  if (!velocity) return;
  if (options.in_place) {
    clip.notes.push_back(
        fmt::format("The motion is a cycle on the spot, whose feet slide at {:.2f} m/s; it stays "
                    "there as asked.",
                    velocity->norm()));
    return;
  }
  move_steadily(clip, *velocity);
  clip.notes.push_back(
      fmt::format("The feet slide back under a body that stays where it is: it was given the {:.2f} m/s "
                  "that make them stand (--in-place keeps it on the spot).",
                  velocity->norm()));
}

// --- checks ---------------------------------------------------------------------------------------

// An animal's trunk lies across its legs, front and hind, in its rest pose and in nearly all of the motion. Someone who
// crawls has a rest pose that stands upright, or none that stands. Up does not matter: along a dog, the head is as far
// from the hind feet as a person's is above theirs.
bool walks_on_four_legs(const Clip& clip, const Roles& roles) {
  int top = -1;
  for (const Role role : {Role::chest, Role::neck, Role::head}) {
    if (roles[role] >= 0 && top < 0) top = roles[role];
  }
  if (top < 0) return false;
  const auto limbs = [&](const JointTransforms& pose, Role left, Role left_end, Role right, Role right_end) {
    return Vec3(pose.positions[roles[left_end]] - pose.positions[roles[left]] +
                pose.positions[roles[right_end]] - pose.positions[roles[right]])
        .normalized();
  };
  const bool front_legs = roles[Role::left_upper_arm] >= 0 && roles[Role::left_hand] >= 0 &&
                          roles[Role::right_upper_arm] >= 0 && roles[Role::right_hand] >= 0;
  const auto stands_on_four = [&](const JointTransforms& pose) {
    const Vec3 trunk = (pose.positions[top] - pose.positions[roles[Role::pelvis]]).normalized();
    const Vec3 hind = limbs(pose, Role::left_thigh, Role::left_foot, Role::right_thigh, Role::right_foot);
    if (!(std::abs(trunk.dot(hind)) < 0.5)) return false;
    if (!front_legs) return hind.z() < -0.7;
    return limbs(pose, Role::left_upper_arm, Role::left_hand, Role::right_upper_arm, Role::right_hand)
               .dot(hind) > 0.6;
  };
  JointTransforms pose;
  forward_kinematics(clip.skeleton, rest_pose(clip.skeleton), pose);
  if (!stands_on_four(pose)) return false;
  int count = 0, looked_at = 0;
  for (int f = 0; f < clip.frame_count(); f += std::max(1, clip.frame_count() / 100)) {
    forward_kinematics(clip.skeleton, clip.frames[f], pose);
    count += stands_on_four(pose);
    ++looked_at;
  }
  return count > 0.9 * looked_at;
}

// Half a turn from one frame to the next is an error of the capture or of its conversion, not a motion.
// Fingers are left out: where they were not captured they are noise, and nothing depends on them.
void check_flips(Clip& clip, const Roles& roles, const std::string& place) {
  std::vector<char> finger(clip.skeleton.joints.size(), 0);
  const double still = std::cos(0.5 * radians(150.0));
  int flips = 0, named = 0;
  for (int j = 0; j < clip.skeleton.size(); ++j) {
    const int parent = clip.skeleton.joints[j].parent;
    if (parent >= 0 &&
        (finger[parent] || parent == roles[Role::left_hand] || parent == roles[Role::right_hand])) {
      finger[j] = 1;
      continue;
    }
    int of_joint = 0, first = 0;
    for (int f = 1; f < clip.frame_count(); ++f) {
      if (std::abs(clip.frames[f - 1].rotations[j].dot(clip.frames[f].rotations[j])) > still) continue;
      if (of_joint++ == 0) first = f;
    }
    flips += of_joint;
    if (of_joint > 0 && ++named <= 5) {
      clip.warnings.push_back(fmt::format(
          "Joint '{}' flips by half a turn within one frame at {:.2f} s{}.", clip.skeleton.joints[j].name,
          seconds(clip, first), of_joint > 1 ? fmt::format(" and {} times more", of_joint - 1) : ""));
    }
  }
  if (flips > std::max(20, clip.frame_count() / 10)) {
    throw InputError(
        place, fmt::format("{} flips by half a turn within one frame ({})", flips, clip.warnings.back()),
        "a continuous motion");
  }
}

// Who leaves the ground falls with g. Captures of 60 frames a second that say 120 fall four times as fast: they are slowed
// down. What else falls wrongly is told.
void check_free_fall(Clip& clip, const Roles& roles, const ImportOptions& options) {
  constexpr double kGravity = 9.81;    // m/s^2
  constexpr double kSlowestRate = 24;  // Hz: nobody captures slower
  const auto fall = flight_acceleration(clip, roles);
  if (!options.fps && 0.5 * clip.fps >= kSlowestRate &&
      (fall ? std::abs(std::log(*fall / (4 * kGravity))) < 0.3 : falls_too_fast(clip, roles))) {
    clip.notes.push_back(fmt::format(
        "In the air the body falls {} as fast as it can: the file is taken to have {:.4g} frames a "
        "second, not {:.4g} (--fps changes it).",
        fall ? "four times" : "several times", 0.5 * clip.fps, clip.fps));
    clip.fps *= 0.5;
    return;
  }
  if (!fall || (*fall > kGravity / 1.5 && *fall < kGravity * 1.5)) return;
  if (*fall < 2.0) return;  // less than at half the frame rate: something carries it, which is told elsewhere
  const double rate = clip.fps * std::sqrt(kGravity / *fall);
  std::string hint = fmt::format(
      "the frame rate or the length unit is wrong (--fps {:.0f} would make it fall as it should, or --unit)",
      rate);
  for (const double factor : {0.5, 2.0, 0.25, 4.0}) {
    if (std::abs(std::log(rate / (factor * clip.fps))) < 0.15) {
      hint =
          fmt::format("the frame rate is probably {:.4g}, not {:.4g} (--fps)", factor * clip.fps, clip.fps);
    }
  }
  clip.warnings.push_back(
      fmt::format("In the air the body falls with {:.1f} m/s^2 instead of 9.8: {}.", *fall, hint));
}

// Which way the rest pose looks, in our axes; the motion is left as it is.
void note_facing(Clip& clip, const Roles& roles) {
  JointTransforms stand;
  forward_kinematics(clip.skeleton, rest_pose(clip.skeleton), stand);
  const Vec3 left = stand.positions[roles[Role::left_thigh]] - stand.positions[roles[Role::right_thigh]];
  const Vec3 facing = left.cross(Vec3::UnitZ());
  if (feet_to_head(stand, roles).normalized().z() < 0.8 || facing.norm() < 1e-6) return;  // it does not stand
  const std::string axis = nearest_axis(facing);
  if (axis != "x") {
    clip.notes.push_back(
        fmt::format("The rest pose faces {}; the motion keeps its direction (--facing changes it).", axis));
  }
}

}  // namespace

void interpret(Clip& clip, const ImportOptions& options, const std::string& place) {
  if (clip.skeleton.joints.empty()) throw InputError(place, "no skeleton", "one");
  check_frame_rate(clip, options, place);
  drop_zero_frames_at_the_end(clip, place);
  keep_between(clip, options, place);
  if (clip.duration() > kLongestMotion) {
    throw InputError(place, fmt::format("a motion of {:.0f} s", clip.duration()),
                     fmt::format("at most {:.0f} s; --start and --end choose a part, --fps corrects the rate",
                                 kLongestMotion));
  }
  if (clip.frame_count() < 2)
    throw InputError(place, fmt::format("{} frame", clip.frame_count()), "at least 2 frames");
  drop_rest_frames(clip, options);
  if (clip.frame_count() < 2) throw InputError(place, "one frame after the rest pose", "at least 2 frames");

  settle_sliding_joints(clip, find_up_and_roles(clip, options, place).second);
  auto [up, roles] = find_up_and_roles(clip, options, place);
  if (!has_legs(roles)) {
    std::string names;
    for (int j = 0; j < clip.skeleton.size() && j < 5; ++j)
      names += (j ? ", " : "") + clip.skeleton.joints[j].name;
    throw InputError(
        place, fmt::format("this is not a human body: no legs could be found among its {} joints ({}{}); "
                           "--role left_foot=NAME and the like name them",
                           clip.skeleton.size(), names, clip.skeleton.size() > 5 ? ", ..." : ""));
  }
  if (!options.force && !has_trunk(roles)) {
    throw InputError(
        place,
        "this is not a human body: what could be its legs has no trunk above it (--role chest=NAME "
        "names one, --force goes on)");
  }
  if (!options.up_axis)
    clip.notes.push_back(fmt::format("{} is taken as up: {} (--up changes it).", up.axis, up.reason));
  clip.source.up_axis = up.axis;
  clip.source.to_stunt = axes_to_stunt(up.axis, options.forward_axis.value_or(""), place);
  change_axes(clip, clip.source.to_stunt, 1.0);

  const bool stands = rest_pose_stands(clip.skeleton, roles);
  if (!stands || !trunk_keeps_to_rest(clip, roles)) {
    clip.skeleton.stance = stance_from_motion(clip, roles);
    clip.notes.push_back(
        fmt::format("The {}: the body's shape is taken from the motion.",
                    stands ? "motion turns the trunk further from its rest pose than a person can"
                           : "rest pose does not stand"));
  }
  find_unit(clip, roles, options, place);
  change_axes(clip, Quat::Identity(), clip.source.unit_m);
  if (!clip.skeleton.stance.empty()) {  // left and right may show now
    Roles again = recognise_roles(clip.skeleton);
    use_asked_roles(again, clip.skeleton, options, place);
    if (has_legs(again) && again[Role::pelvis] >= 0) roles = again;
  }
  clip.skeleton.roles = roles;
  clip.source.floor_m = options.floor_m;
  if (!options.force && walks_on_four_legs(clip, roles)) {
    throw InputError(place, "this is not a human body: it walks on four legs (--force goes on)");
  }
  check_free_fall(clip, roles, options);
  walk_off_the_spot(clip, roles, options);
  note_facing(clip, roles);
  check_flips(clip, roles, place);
}

}  // namespace stunt
