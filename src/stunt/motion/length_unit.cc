#include "stunt/motion/length_unit.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace stunt {
namespace {

constexpr double kSmallest = 1.45 / 1.18, kTallest = 2.1 * 1.18;  // m, with what the estimate may be off

}  // namespace

double standing_height(const Skeleton& skeleton, const Roles& roles) {
  JointTransforms pose;
  forward_kinematics(skeleton, standing_pose(skeleton), pose);
  const auto distance = [&](Role a, Role b) {
    return roles[a] < 0 || roles[b] < 0 ? 0.0 : (pose.positions[roles[a]] - pose.positions[roles[b]]).norm();
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
        0.5 * (pose.positions[roles[Role::left_thigh]] + pose.positions[roles[Role::right_thigh]]);
    estimates.push_back((pose.positions[roles[Role::head]] - hips).norm() / 0.34);
  }
  // The leg says it best: hips, knees and ankles are where every skeleton has them. Figures with legs of
  // their own kind are measured by the middle one of the three.
  const double by_leg = estimates[0];
  std::sort(estimates.begin(), estimates.end());
  const double middle = 0.5 * (estimates[estimates.size() / 2] + estimates[(estimates.size() - 1) / 2]);
  return std::abs(by_leg - middle) < 0.25 * middle ? by_leg : middle;
}

LengthUnit find_length_unit(double height) {
  struct Unit {
    double metres;
    const char* name;
  };
  static constexpr std::array<Unit, 5> kUnits = {{{1.0, "a metre"},
                                                  {0.01, "a centimetre"},
                                                  {0.001, "a millimetre"},
                                                  {0.0254, "an inch"},
                                                  {0.0254 / 0.45, "1/0.45 inch, as in the CMU database"}}};
  const Unit* best = &kUnits[0];
  const auto off = [&](const Unit& unit) { return std::abs(std::log(height * unit.metres / kUsualHeight)); };
  for (const Unit& unit : kUnits) {
    if (off(unit) < off(*best)) best = &unit;
  }
  const double metres = height * best->metres;
  if (metres > kSmallest && metres < kTallest) return {best->metres, best->name, metres};
  return {kUsualHeight / height, "", kUsualHeight};
}

}  // namespace stunt
