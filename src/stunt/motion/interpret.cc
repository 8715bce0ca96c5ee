#include "stunt/motion/interpret.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "stunt/core/error.h"
#include "stunt/motion/flight.h"
#include "stunt/motion/roles.h"

namespace stunt {
namespace {

constexpr double kSmallest = 1.45 / 1.18, kTallest = 2.1 * 1.18;  // m, with what the estimate may be off
constexpr std::array<const char*, 6> kAxes = {"y", "z", "x", "-y", "-z", "-x"};

Vec3 axis_vector(const std::string& axis, const std::string& place) {
  const bool minus = axis.starts_with('-');
  const std::string letter = axis.substr(minus || axis.starts_with('+') ? 1 : 0);
  if (letter.size() != 1 || letter[0] < 'x' || letter[0] > 'z') {
    throw InputError(place, fmt::format("axis '{}'", axis), "x, y, z, -x, -y or -z");
  }
  return (minus ? -1.0 : 1.0) * Vec3::Unit(letter[0] - 'x');
}

std::string nearest_axis(const Vec3& direction) {
  int axis = 0;
  direction.cwiseAbs().maxCoeff(&axis);
  return fmt::format("{}{}", direction[axis] < 0 ? "-" : "", static_cast<char>('x' + axis));
}

double seconds(const Clip& clip, int frame) { return frame / clip.fps; }

// --- frames that are no motion
// -------------------------------------------------------------------------------------

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
    clip.warnings.push_back(fmt::format("the last {} frames are all zero and were left out", zeros));
  }
}

double mean_angle(const Pose& a, const Pose& b) {
  double sum = 0.0;
  for (std::size_t j = 0; j < a.rotations.size(); ++j) sum += angle_between(a.rotations[j], b.rotations[j]);
  return sum / static_cast<double>(a.rotations.size());
}

// A first frame in which most joints are exactly at rest and from which the body jumps into the motion.
bool starts_with_rest_frame(const Clip& clip) {
  if (clip.frame_count() < 4) return false;
  const auto at_rest = [&](const Pose& pose) {
    int count = 0;
    for (int j = 0; j < clip.skeleton.size(); ++j) {
      if (angle_between(pose.rotations[j], clip.skeleton.joints[j].rest) < radians(0.01)) ++count;
    }
    return static_cast<double>(count) / clip.skeleton.size();
  };
  const double first = at_rest(clip.frames[0]);
  if (first < 0.6 || first < at_rest(clip.frames[1]) + 0.2) return false;
  std::vector<double> later;
  for (int f = 1; f + 1 < std::min(clip.frame_count(), 120); ++f) {
    later.push_back(mean_angle(clip.frames[f], clip.frames[f + 1]));
  }
  std::nth_element(later.begin(), later.begin() + static_cast<std::ptrdiff_t>(later.size() / 2), later.end());
  const double usual = later[later.size() / 2];
  return mean_angle(clip.frames[0], clip.frames[1]) > std::max(radians(2.0), 5.0 * usual);
}

void drop_rest_frame(Clip& clip, const ImportOptions& options) {
  if (!options.drop_rest_frame.value_or(starts_with_rest_frame(clip))) return;
  clip.frames.erase(clip.frames.begin());
  clip.rest_frame_dropped = true;
  clip.notes.emplace_back(
      "The first frame is a rest pose (T-pose) from which the body jumps into the motion; it was left out.");
}

// --- the rest skeleton
// ---------------------------------------------------------------------------------------------

JointTransforms rest_pose(const Skeleton& skeleton) {
  Pose pose;
  for (const auto& joint : skeleton.joints) pose.rotations.push_back(joint.rest);
  JointTransforms transforms;
  forward_kinematics(skeleton, pose, transforms);
  return transforms;
}

// Axes change for world and joints alike, so that rest rotations of the identity stay so.
void rotate_and_scale(Skeleton& skeleton, const Quat& rotation, double scale) {
  for (auto& joint : skeleton.joints) {
    joint.offset = rotation * joint.offset * scale;
    joint.rest = rotation * joint.rest * rotation.conjugate();
  }
  for (auto& end : skeleton.ends) end.offset = rotation * end.offset * scale;
}

double largest_extent(const JointTransforms& pose) {
  Vec3 low = pose.positions[0], high = low;
  for (const Vec3& p : pose.positions) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  return (high - low).maxCoeff();
}

// Roles before unit and axes are known: as if the rest pose were of a person's size and `up` were up.
Roles provisional_roles(const Skeleton& skeleton, const std::string& up, const std::string& place) {
  const double extent = largest_extent(rest_pose(skeleton));
  if (!(extent > 0.0)) throw InputError(place, "a skeleton whose bones have no length", "a body");
  Skeleton trial = skeleton;
  rotate_and_scale(trial, axes_to_stunt(up, "", place), kUsualHeight / extent);
  return recognise_roles(trial);
}

bool has_legs(const Roles& roles) { return roles[Role::left_foot] >= 0 && roles[Role::right_foot] >= 0; }

// --- up
// ------------------------------------------------------------------------------------------------------------

// From the middle of the feet to the head, or the highest joint there is a role for.
Vec3 feet_to_head(const JointTransforms& pose, const Roles& roles) {
  int top = roles[Role::pelvis];
  for (const Role role : {Role::spine, Role::chest, Role::neck, Role::head}) {
    if (roles[role] >= 0) top = roles[role];
  }
  return pose.positions[top] -
         0.5 * (pose.positions[roles[Role::left_foot]] + pose.positions[roles[Role::right_foot]]);
}

// Which axis the body is upright along, in most frames; the rest pose decides where the motion is that of
// someone lying.
std::string guess_up_axis(const Clip& clip, const Roles& roles) {
  const JointTransforms rest = rest_pose(clip.skeleton);
  JointTransforms pose;
  std::array<double, 6> votes{};
  const int step = std::max(1, clip.frame_count() / 200);
  double total = 0.0, height = 0.0;
  Vec3 low = clip.frames[0].root_position, high = low;
  for (int f = 0; f < clip.frame_count(); f += step) {
    forward_kinematics(clip.skeleton, clip.frames[f], pose);
    const Vec3 body = feet_to_head(pose, roles);
    const std::string axis = nearest_axis(body);
    votes[std::find(kAxes.begin(), kAxes.end(), axis) - kAxes.begin()] += 1.0;
    total += 1.0;
    height = std::max(height, body.norm());
    low = low.cwiseMin(clip.frames[f].root_position);
    high = high.cwiseMax(clip.frames[f].root_position);
  }
  const auto best = std::max_element(votes.begin(), votes.end());
  const std::string by_motion = kAxes[best - votes.begin()];

  // A rest pose says something only when it stands: legs and trunk in one line, one up and one down.
  const Vec3 trunk = feet_to_head(rest, roles);
  const Vec3 hips = rest.positions[roles[Role::pelvis]];
  const Vec3 feet = 0.5 * (rest.positions[roles[Role::left_foot]] + rest.positions[roles[Role::right_foot]]);
  const Vec3 head = feet + trunk;
  const bool stands = trunk.norm() > 0.0 &&
                      (head - hips).normalized().dot((hips - feet).normalized()) > 0.8 &&
                      trunk.cwiseAbs().maxCoeff() > 0.9 * trunk.norm();
  const std::string by_rest = nearest_axis(trunk);
  if (!stands || by_rest == by_motion) return by_motion;
  // They differ: someone lying, sitting or hanging upside down stays about where he is; whoever travels is
  // upright.
  const bool travels = (high - low).maxCoeff() > 1.5 * height;
  return *best > 0.6 * total && travels ? by_motion : by_rest;
}

// --- length unit
// ---------------------------------------------------------------------------------------------------

// Standing height in the skeleton's unit: leg, trunk and arm against the height of a person
// (Drillis and Contini's proportions as in Winter, Biomechanics and Motor Control of Human Movement,
// fig. 4.1).
double standing_height(const Skeleton& skeleton, const Roles& roles) {
  const JointTransforms rest = rest_pose(skeleton);
  const auto distance = [&](Role a, Role b) {
    return roles[a] < 0 || roles[b] < 0 ? 0.0 : (rest.positions[roles[a]] - rest.positions[roles[b]]).norm();
  };
  const double legs =
      distance(Role::left_thigh, Role::left_shank) + distance(Role::left_shank, Role::left_foot) +
      distance(Role::right_thigh, Role::right_shank) + distance(Role::right_shank, Role::right_foot);
  std::vector<double> estimates = {0.5 * legs / 0.491};
  const double left_arm =
      distance(Role::left_upper_arm, Role::left_forearm) + distance(Role::left_forearm, Role::left_hand);
  if (roles[Role::left_hand] >= 0 && left_arm > 0.0) estimates.push_back(left_arm / 0.332);
  if (roles[Role::head] >= 0) {
    const Vec3 hips =
        0.5 * (rest.positions[roles[Role::left_thigh]] + rest.positions[roles[Role::right_thigh]]);
    estimates.push_back((rest.positions[roles[Role::head]] - hips).norm() / 0.34);
  }
  // The leg says it best: hips, knees and ankles are where every skeleton has them. Figures with legs of
  // their own kind are measured by the middle one of the three.
  const double by_leg = estimates[0];
  std::sort(estimates.begin(), estimates.end());
  const double middle = estimates[estimates.size() / 2];
  return std::abs(by_leg - middle) < 0.25 * middle ? by_leg : middle;
}

double guess_unit(Clip& clip, const Roles& roles, const std::string& place) {
  struct Unit {
    double metres;
    const char* name;
  };
  static constexpr std::array<Unit, 5> kUnits = {{{1.0, "a metre"},
                                                  {0.01, "a centimetre"},
                                                  {0.001, "a millimetre"},
                                                  {0.0254, "an inch"},
                                                  {0.0254 / 0.45, "1/0.45 inch, as in the CMU database"}}};
  const double height = standing_height(clip.skeleton, roles);
  if (!(height > 0.0)) throw InputError(place, "legs without length", "a body");
  const Unit* best = &kUnits[0];
  const auto off = [&](const Unit& unit) { return std::abs(std::log(height * unit.metres / kUsualHeight)); };
  for (const Unit& unit : kUnits) {
    if (off(unit) < off(*best)) best = &unit;
  }
  const double metres = height * best->metres;
  if (metres > kSmallest && metres < kTallest) {
    clip.notes.push_back(
        fmt::format("One length unit of the file is taken as {}: the body is then about {:.2f} m tall.",
                    best->name, metres));
    return best->metres;
  }
  const double unit = kUsualHeight / height;
  clip.warnings.push_back(
      fmt::format("no usual length unit makes this body a person's size, so it was scaled to {} m: one file "
                  "unit is taken as "
                  "{:.4g} m",
                  kUsualHeight, unit));
  return unit;
}

// --- checks
// --------------------------------------------------------------------------------------------------------

void check_frame_rate(Clip& clip, const ImportOptions& options, const std::string& place) {
  if (options.fps) {
    clip.notes.push_back(fmt::format("The frame rate is {:.6g} as asked, instead of the file's {:.6g}.",
                                     *options.fps, clip.fps));
    clip.fps = *options.fps;
  }
  if (!(clip.fps > 0.0) || clip.fps > 1000.0) {
    throw InputError(place, fmt::format("{:.6g} frames per second", clip.fps), "a frame rate up to 1000");
  }
  if (clip.fps < 10.0) {
    clip.warnings.push_back(
        fmt::format("only {:.3g} frames per second: quick motion is lost between frames", clip.fps));
  }
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
          "joint '{}' flips by half a turn within one frame at {:.2f} s{}", clip.skeleton.joints[j].name,
          seconds(clip, first), of_joint > 1 ? fmt::format(" and {} times more", of_joint - 1) : ""));
    }
  }
  if (flips > std::max(20, clip.frame_count() / 10)) {
    throw InputError(
        place, fmt::format("{} flips by half a turn within one frame ({})", flips, clip.warnings.back()),
        "a continuous motion");
  }
}

void check_free_fall(Clip& clip, const Roles& roles) {
  const auto fall = flight_acceleration(clip, roles);
  if (!fall || (*fall > 9.81 / 1.5 && *fall < 9.81 * 1.5)) return;
  std::string hint = "the frame rate or the length unit is wrong";
  const double rate = clip.fps * std::sqrt(9.81 / *fall);
  for (const double factor : {0.5, 2.0, 0.25, 4.0}) {
    if (std::abs(std::log(rate / (factor * clip.fps))) < 0.15) {
      hint = fmt::format("the frame rate is probably {:.4g}, not {:.4g}", factor * clip.fps, clip.fps);
    }
  }
  clip.warnings.push_back(
      fmt::format("in the air the body falls with {:.1f} m/s^2 instead of 9.8: {}", *fall, hint));
}

// Which way the rest pose looks, in our axes; the motion is left as it is.
void note_facing(Clip& clip, const Roles& roles) {
  const JointTransforms rest = rest_pose(clip.skeleton);
  const Vec3 left = rest.positions[roles[Role::left_thigh]] - rest.positions[roles[Role::right_thigh]];
  const Vec3 facing = left.cross(Vec3::UnitZ());
  if (feet_to_head(rest, roles).normalized().z() < 0.8 || facing.norm() < 1e-6) return;  // it does not stand
  const std::string axis = nearest_axis(facing);
  if (axis != "x")
    clip.notes.push_back(fmt::format("The rest pose faces {}; the motion keeps its direction.", axis));
}

}  // namespace

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

void interpret(Clip& clip, const ImportOptions& options, const std::string& place) {
  if (clip.skeleton.joints.empty()) throw InputError(place, "no skeleton", "one");
  check_frame_rate(clip, options, place);
  drop_zero_frames_at_the_end(clip, place);
  if (clip.frame_count() < 2)
    throw InputError(place, fmt::format("{} frame", clip.frame_count()), "at least 2 frames");
  drop_rest_frame(clip, options);
  if (clip.frame_count() < 2) throw InputError(place, "one frame after the rest pose", "at least 2 frames");

  // Roles may depend on what is up and up is found by the roles: take the first assumption that confirms
  // itself.
  std::string up = options.up_axis.value_or("");
  Roles roles;
  for (const char* assumed : kAxes) {
    if (options.up_axis && *options.up_axis != assumed) continue;
    const Roles found = provisional_roles(clip.skeleton, assumed, place);
    if (!has_legs(found)) continue;
    const std::string axis = options.up_axis ? *options.up_axis : guess_up_axis(clip, found);
    if (up.empty() || axis == assumed) {
      roles = found;
      up = axis;
    }
    if (axis == assumed) break;
  }
  if (!has_legs(roles)) {
    throw InputError(
        place, fmt::format("no legs could be found among the {} joints of this skeleton ({}{})",
                           clip.skeleton.size(), clip.skeleton.joints[0].name,
                           clip.skeleton.size() > 1 ? ", " + clip.skeleton.joints[1].name + ", ..." : ""));
  }
  if (!options.up_axis)
    clip.notes.push_back(fmt::format("{} is taken as up: the body is upright along it.", up));
  if (options.unit_m && !(*options.unit_m > 0.0 && *options.unit_m <= 1e6)) {
    throw InputError(place, fmt::format("a length unit of {} m", *options.unit_m), "a length above 0");
  }
  const double unit = options.unit_m ? *options.unit_m : guess_unit(clip, roles, place);

  clip.source.up_axis = up;
  clip.source.unit_m = unit;
  clip.source.to_stunt = axes_to_stunt(up, options.forward_axis.value_or(""), place);
  const Quat& turn = clip.source.to_stunt;
  rotate_and_scale(clip.skeleton, turn, unit);
  for (Pose& pose : clip.frames) {
    pose.root_position = turn * pose.root_position * unit;
    for (Quat& q : pose.rotations) q = turn * q * turn.conjugate();
  }
  note_facing(clip, roles);
  check_flips(clip, roles, place);
  check_free_fall(clip, roles);
}

}  // namespace stunt
