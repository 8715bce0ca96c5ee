#include "stunt/motion/flight.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace stunt {
namespace {

constexpr double kShortestFlight = 0.15;  // s; jumps that play at double speed last half as long
constexpr double kFootClearance = 0.05;   // m above the foot's usual lowest height

double low_percentile(std::vector<double> values) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 10);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// Height of the centre of mass by segment masses (Dempster's fractions, rounded): trunk and head, and two of
// each limb.
double com_height(const JointTransforms& pose, const Roles& roles) {
  double mass = 0.0, moment = 0.0;
  const auto add = [&](double fraction, Role from, Role to) {
    const int a = roles[from], b = roles[to] >= 0 ? roles[to] : roles[from];
    if (a < 0) return;
    mass += fraction;
    moment += fraction * 0.5 * (pose.positions[a].z() + pose.positions[b].z());
  };
  const Role top = roles[Role::neck] >= 0 ? Role::neck : (roles[Role::head] >= 0 ? Role::head : Role::chest);
  add(0.50, Role::pelvis, top);
  add(0.08, Role::head, Role::head);
  add(0.10, Role::left_thigh, Role::left_shank);
  add(0.10, Role::right_thigh, Role::right_shank);
  add(0.06, Role::left_shank, Role::left_foot);
  add(0.06, Role::right_shank, Role::right_foot);
  add(0.05, Role::left_upper_arm, Role::left_hand);
  add(0.05, Role::right_upper_arm, Role::right_hand);
  return mass > 0.0 ? moment / mass : 0.0;
}

// Both hands above the head: perhaps hanging from something.
bool hands_up(const JointTransforms& pose, const Roles& roles) {
  const int head = roles[Role::head], left = roles[Role::left_hand], right = roles[Role::right_hand];
  if (head < 0 || left < 0 || right < 0) return false;
  const double top = pose.positions[head].z();
  return pose.positions[left].z() > top && pose.positions[right].z() > top;
}

// The parabola z = c0 + c1 t + c2 t^2 through frames [begin, end): -2 c2, when it fits.
std::optional<double> fall_of_parabola(const std::vector<double>& heights, int begin, int end, double fps) {
  const int n = end - begin;
  const auto basis = [&](int i) {
    const double t = (i - 0.5 * (n - 1)) / fps;
    return Vec3(1.0, t, t * t);
  };
  Mat3 normal = Mat3::Zero();
  Vec3 right = Vec3::Zero();
  for (int i = 0; i < n; ++i) {
    normal += basis(i) * basis(i).transpose();
    right += basis(i) * heights[begin + i];
  }
  const Vec3 c = normal.inverse() * right;
  double squares = 0.0;
  for (int i = 0; i < n; ++i) squares += std::pow(basis(i).dot(c) - heights[begin + i], 2);
  const double residual = std::sqrt(squares / n);
  const double half = 0.5 * n / fps;
  const double rise = std::abs(c[2]) * half * half;  // height of the arc
  if (c[2] >= -0.5 || residual > 0.1 * rise) return std::nullopt;
  return -2.0 * c[2];
}

}  // namespace

bool falls_too_fast(const Clip& clip, const Roles& roles) {
  constexpr double kWindow = 0.08, kTooFast = 2.5 * 9.81, kOften = 0.1;  // s, m/s^2, of the frames
  const int frames = clip.frame_count(), window = std::max(6, static_cast<int>(kWindow * clip.fps));
  std::vector<double> com;
  JointTransforms pose;
  for (const Pose& frame : clip.frames) {
    forward_kinematics(clip.skeleton, frame, pose);
    com.push_back(com_height(pose, roles));
  }
  int fast = 0;
  for (int begin = 0; begin + window <= frames; ++begin) {
    if (fall_of_parabola(com, begin, begin + window, clip.fps).value_or(0) > kTooFast) ++fast;
  }
  return fast > kOften * frames;
}

std::optional<double> flight_acceleration(const Clip& clip, const Roles& roles) {
  if (roles[Role::left_foot] < 0 || roles[Role::right_foot] < 0) return std::nullopt;
  const int frames = clip.frame_count();
  std::vector<int> foot_joints;
  for (const Role role : {Role::left_foot, Role::right_foot, Role::left_toes, Role::right_toes}) {
    if (roles[role] >= 0) foot_joints.push_back(roles[role]);
  }
  std::vector<std::vector<double>> feet(foot_joints.size(), std::vector<double>(frames));
  std::vector<double> com(frames), pelvis(frames);
  std::vector<char> flying(frames, 1);
  JointTransforms pose;
  for (int f = 0; f < frames; ++f) {
    forward_kinematics(clip.skeleton, clip.frames[f], pose);
    for (std::size_t i = 0; i < foot_joints.size(); ++i) feet[i][f] = pose.positions[foot_joints[i]].z();
    com[f] = com_height(pose, roles);
    pelvis[f] = pose.positions[roles[Role::pelvis]].z();
    if (hands_up(pose, roles)) flying[f] = 0;
  }
  for (const auto& heights : feet) {
    const double floor = low_percentile(heights);
    for (int f = 0; f < frames; ++f) {
      if (heights[f] < floor + kFootClearance || heights[f] > pelvis[f]) flying[f] = 0;
    }
  }
  std::vector<double> accelerations;
  for (int f = 0; f < frames;) {
    const int begin = f;
    while (f < frames && flying[f]) ++f;
    if (f - begin >= std::max(6.0, kShortestFlight * clip.fps)) {
      if (const auto fall = fall_of_parabola(com, begin, f, clip.fps)) accelerations.push_back(*fall);
    }
    ++f;
  }
  if (accelerations.empty()) return std::nullopt;
  std::sort(accelerations.begin(), accelerations.end());
  return accelerations[accelerations.size() / 2];
}

}  // namespace stunt
