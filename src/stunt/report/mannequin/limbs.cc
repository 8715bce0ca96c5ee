#include <algorithm>

#include "stunt/report/mannequin/sculpt.h"

namespace stunt {
namespace {

// Half widths of a limb at a share of its length, in radii of its physical shape.
struct Girth {
  double share, side, front, back;
};
using Girths = std::vector<Girth>;

// clang-format off
const Girths kThigh = {{0.00, 1.02, 1.04, 1.10}, {0.25, 1.10, 1.16, 1.10}, {0.48, 0.99, 1.08, 0.98},
                       {0.72, 0.81, 0.88, 0.80}, {0.89, 0.70, 0.74, 0.72}, {1.00, 0.68, 0.70, 0.72}};
const Girths kShank = {{0.00, 0.98, 0.94, 0.98}, {0.12, 1.02, 0.93, 1.16}, {0.28, 1.05, 0.90, 1.34},
                       {0.48, 0.90, 0.80, 1.10}, {0.72, 0.66, 0.67, 0.72}, {0.90, 0.58, 0.63, 0.62},
                       {1.00, 0.58, 0.65, 0.64}};
const Girths kUpperArm = {{0.00, 1.04, 1.10, 1.10}, {0.20, 1.16, 1.22, 1.18}, {0.45, 1.00, 1.12, 1.04},
                          {0.75, 0.80, 0.88, 0.86}, {1.00, 0.76, 0.80, 0.80}};
const Girths kForearm = {{0.00, 0.92, 0.92, 0.92}, {0.20, 1.18, 1.12, 1.10}, {0.40, 1.08, 1.08, 1.04},
                         {0.70, 0.76, 0.84, 0.82}, {0.92, 0.58, 0.78, 0.76}, {1.00, 0.56, 0.78, 0.76}};
// clang-format on

// A limb that leaves `start` and `end` metres of its bone to the joints, rounded there.
TriangleMesh limb(const Bone& bone, const Girths& girths, double start, double end, double round_start,
                  double round_end) {
  std::vector<Ring> keys;
  for (const Girth& g : girths) {
    const double place = start + g.share * (bone.length - start - end);
    keys.push_back({bone.start + place * bone.along, bone.inner, bone.front, g.side * bone.radius,
                    g.front * bone.radius, g.back * bone.radius, 2, 2});
  }
  return loft(rounded_ends(smooth(keys, 11), round_start, round_end), kAroundLimb);
}

struct Roles3 {
  Role first, upper, lower, end;
};
Roles3 arm_roles(Side side) {
  return side == Side::left
             ? Roles3{Role::left_clavicle, Role::left_upper_arm, Role::left_forearm, Role::left_hand}
             : Roles3{Role::right_clavicle, Role::right_upper_arm, Role::right_forearm, Role::right_hand};
}

// The bones of a limb, of which the upper one must lead straight to the lower one.
struct Limb {
  int upper, lower;
  Bone upper_bone, lower_bone;
};
Limb find_limb(const Anatomy& anatomy, Role upper_role, Role lower_role, Role end_role) {
  const int upper = anatomy.body(upper_role), lower = anatomy.body(lower_role), end = anatomy.body(end_role);
  const auto parent = [&](int body) {
    return anatomy.actor().bodies()[static_cast<std::size_t>(body)].parent;
  };
  const int next = end >= 0 && parent(end) == lower ? end : -1;
  return {upper, lower, anatomy.bone(upper, parent(lower) == upper ? lower : -1), anatomy.bone(lower, next)};
}

}  // namespace

TriangleMesh ball(const Vec3& centre, double radius) {
  return ellipsoid(centre, Vec3::UnitX(), Vec3::UnitY(), Vec3::Constant(radius), kAroundBall);
}

void sculpt_leg(const Anatomy& anatomy, Side side, Pieces& pieces) {
  const bool left = side == Side::left;
  const auto [thigh, shank, upper, lower] =
      find_limb(anatomy, left ? Role::left_thigh : Role::right_thigh,
                left ? Role::left_shank : Role::right_shank, left ? Role::left_foot : Role::right_foot);
  const double knee = 0.46 * (0.74 * upper.radius + 0.98 * lower.radius);
  pieces.push_back({thigh, Surface::joint, ball(upper.start, 0.86 * upper.radius)});
  pieces.push_back({thigh, Surface::skin,
                    limb(upper, kThigh, -0.75 * upper.radius, 0.45 * knee, 1.25 * upper.radius, 0.6 * knee)});
  pieces.push_back({shank, Surface::joint, ball(lower.start, knee)});
  const double ankle = 0.62 * lower.radius;
  pieces.push_back(
      {shank, Surface::skin, limb(lower, kShank, 0.45 * knee, 0.6 * ankle, 0.6 * knee, 0.4 * ankle)});
}

void sculpt_arm(const Anatomy& anatomy, Side side, Pieces& pieces) {
  const auto [collar_role, upper_role, lower_role, hand_role] = arm_roles(side);
  const auto [arm, forearm, upper, lower] = find_limb(anatomy, upper_role, lower_role, hand_role);
  const int collar = anatomy.body(collar_role);
  if (collar >= 0) {
    // From the collar bone's joint over the shoulder: it moves with the shoulder and fills the gap to the trunk.
    const Bone bone = anatomy.bone(collar, arm);
    const double thick = 0.9 * upper.radius;
    std::vector<Ring> keys;
    for (const auto& [share, size] : {std::pair{0.0, 1.15}, {0.35, 1.12}, {0.7, 1.05}, {1.0, 0.95}})
      keys.push_back(
          {bone.at(share), bone.inner, bone.front, size * thick, size * thick, size * thick, 2, 2});
    pieces.push_back(
        {collar, Surface::skin, loft(rounded_ends(smooth(keys, 8), thick, 0.5 * thick), kAroundLimb)});
  }
  const double elbow = 0.49 * (0.85 * upper.radius + 0.95 * lower.radius);
  pieces.push_back({arm, Surface::joint, ball(upper.start, 1.06 * upper.radius)});
  pieces.push_back(
      {arm, Surface::skin,
       limb(upper, kUpperArm, 0.2 * upper.radius, 0.45 * elbow, 0.8 * upper.radius, 0.6 * elbow)});
  pieces.push_back({forearm, Surface::joint, ball(lower.start, elbow)});
  const double wrist = 0.72 * lower.radius;
  pieces.push_back(
      {forearm, Surface::skin, limb(lower, kForearm, 0.45 * elbow, 0.4 * wrist, 0.6 * elbow, 0.3 * wrist)});
}

}  // namespace stunt
