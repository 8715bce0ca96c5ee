#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "stunt/actor/creature/skeleton.h"

namespace stunt {
namespace {

using Point = Creature::Point;

const Vec3 kForward(0, -1, 0);  // turns what hangs down forward
const Vec3 kBackward(0, 1, 0);  // and back
const Vec3 kOutward(1, 0, 0);   // turns what hangs down to the left
const Vec3 kAxial(0, 0, 1);

void add_both(SkeletonDraft& draft, Bone left) {
  Bone right = left;
  right.name = mirrored_name(left.name);
  right.parent = mirrored_name(left.parent);
  right.offset = mirrored(left.offset);
  for (BoneJoint& joint : right.joints) {
    joint.name = mirrored_name(joint.name);
    if (joint.axis.x() != 0 || joint.axis.z() != 0) joint.axis = -joint.axis;
  }
  for (BoneShape& shape : right.shapes) {
    shape.from = mirrored(shape.from);
    shape.to = mirrored(shape.to);
  }
  draft.bones.push_back(std::move(left));
  draft.bones.push_back(std::move(right));
}

BoneShape sphere(const Vec3& at, double radius, bool sole = false) { return {at, at, radius, sole}; }

double turn(double degrees) { return radians(degrees); }

// Muscles of the front and back of a joint between two bodies of a trunk that goes on along `along` (unit), as far off its
// centre as these say.
void add_pair_at_joint(SkeletonDraft& draft, const std::string& front, const std::string& back,
                       const std::string& below, const std::string& above, const Vec3& joint_below,
                       const Vec3& along, double force, double reach, double wide) {
  const double length = 0.12 * reach;
  const Vec3 ahead(along.z(), 0, -along.x());  // across, in the plane of the body
  const auto place = [&](double x, double y, double z) {
    return Vec3(x * ahead + z * along + Vec3(0, y, 0));
  };
  const auto one = [&](const std::string& kind, double x, double y, double free_x) {
    const Vec3 free = free_x * ahead.cwiseAbs() + 0.03 * reach * along.cwiseAbs() + Vec3(0, 0.03 * wide, 0);
    draft.muscles.push_back({kind,
                             force,
                             0.5 * length,
                             12,
                             {{below, place(x, y * wide, -0.05 * reach), free, joint_below},
                              {above, place(x, y * wide, 0.07 * reach), free}}});
  };
  one(front, 0.09 * wide, 0.07, 0.03 * wide);
  one(back, -0.06 * wide, 0.05, 0.02 * wide);
}

}  // namespace

Vec3 mirrored(const Vec3& left) { return {left.x(), -left.y(), left.z()}; }

std::string mirrored_name(const std::string& left) {
  return left.starts_with("left_") ? "right_" + left.substr(5) : left;
}

// Ten muscles for each leg, roughly those of a human (Wang et al. 2012), two of the hip flexors and two of the abductors out
// of the plane.
void add_humanoid_legs(const CreatureSpec& spec, SkeletonDraft& draft) {
  const LegDimensions& d = spec.dimensions;
  const double w = 0.5 * d.hip_width, up = d.thigh, low = d.shank, f = d.foot;
  const double ankle = 0.07;  // m above the ground
  draft.hip_height = up + low + ankle;
  add_both(draft, {"left_thigh",
                   "pelvis",
                   {0, w, 0},
                   7.5 * up / 0.4,
                   {{"left_hip_bend", kForward, turn(-35), turn(110)},
                    {"left_hip_side", kOutward, turn(-25), turn(35)},
                    {"left_hip_turn", kAxial, turn(-35), turn(35), 0, 0.5, "passive.hip_turn"}},
                   {{Vec3(0, 0, -0.04), Vec3(0, 0, -up + 0.04), 0.06}}});
  add_both(draft, {"left_shank",
                   "left_thigh",
                   {0, 0, -up},
                   3.2 * low / 0.4,
                   {{"left_knee", kBackward, 0, turn(140)}},
                   {{Vec3(0, 0, 0), Vec3(0, 0, -low + 0.02), 0.045}}});
  add_both(draft, {"left_foot",
                   "left_shank",
                   {0, 0, -low},
                   0.95,
                   {{"left_ankle_bend", kForward, turn(-50), turn(35)},
                    {"left_ankle_side", kOutward, turn(-20), turn(20), 0, 0.5, "passive.ankle"},
                    {"left_ankle_turn", kAxial, turn(-20), turn(20), 0, 0.5, "passive.ankle"}},
                   {{Vec3(-0.16 * f, 0, -0.035), Vec3(0.42 * f, 0, -0.045), 0.025},
                    sphere({-0.2 * f, 0.025, -0.045}, 0.025, true),
                    sphere({-0.2 * f, -0.025, -0.045}, 0.025, true),
                    sphere({0.48 * f, 0.04, -0.05}, 0.02, true),
                    sphere({0.48 * f, -0.035, -0.05}, 0.02, true)}});
  add_both(draft, {"left_toes",
                   "left_foot",
                   {0.5 * f, 0, -0.05},
                   0.25,
                   {{"left_toes", kForward, turn(-30), turn(60), 30, 0.3}},
                   {{Vec3(0.02, 0, 0), Vec3(0.2 * f, 0, 0), 0.02},
                    sphere({0.22 * f, 0.03, 0}, 0.02, true),
                    sphere({0.2 * f, -0.03, 0}, 0.02, true)}});
  const double stronger = draft.hip_height / kUsualLeg;  // a longer leg has more to hold, over the same arms
  // Calves that are best stretched with the ankle bent up let the shank roll over the foot.
  const auto longer = [](std::string_view kind) {
    return kind == "VAS" || kind == "SOL" ? 0.2 : kind == "GAS" ? 0.15 : 0.0;
  };
  const auto muscle = [&](const char* kind, double force, double fibre, double speed,
                          std::vector<Point> path) {
    draft.muscles.push_back({kind, stronger * force, fibre, speed, std::move(path), true, longer(kind)});
  };
  const std::string pelvis = "pelvis", thigh = "left_thigh", shank = "left_shank", foot = "left_foot";
  const double lean = up / 0.4;  // what lies along the thigh grows with it
  muscle("HFM", 2000, 0.10, 12,
         {{pelvis, {0.06, w - 0.04, 0.07}, {0.03, 0.04, 0}},
          {pelvis, {0.05, w - 0.01, 0.005}},
          {thigh, {0.02, 0, -0.08 * lean}, {0, 0, 0.04}}});
  muscle("HFL", 1200, 0.11, 12,
         {{pelvis, {0.05, w + 0.04, 0.08}, {0.03, 0.04, 0}},
          {thigh, {0.03, 0.045, -0.12 * lean}, {0, 0, 0.05}}});
  muscle("GMX", 2500, 0.11, 12,
         {{pelvis, {-0.08, w, 0.06}, {0, 0.04, 0}},
          {pelvis, {-0.08, w + 0.02, -0.02}, {0.03, 0.04, 0}},
          {thigh, {-0.03, 0.03, -0.12 * lean}, {0, 0, 0.05}}});
  muscle(
      "GMD", 3000, 0.08, 12,
      {{pelvis, {-0.01, w + 0.03, 0.10}, {0.05, 0.03, 0}}, {thigh, {-0.01, 0.06, -0.03}, {0.03, 0.02, 0}}});
  muscle("HAM", 3000, 0.10, 12,
         {{pelvis, {-0.055, w - 0.02, -0.03}, {0.03, 0.04, 0}},
          {thigh, {-0.04, 0, -up + 0.03}},
          {shank, {-0.035, 0, -0.05}, {0.015, 0, 0}}});
  muscle("RF", 1200, 0.08, 12,
         {{pelvis, {0.05, w, 0.03}, {0.02, 0, 0}},
          {thigh, {0.055, 0, -up}, {0.015, 0, 0}},
          {shank, {0.045, 0, -0.07}}});
  muscle("VAS", 6000, 0.08, 12,
         {{thigh, {0.03, 0, -0.4 * up}, {0, 0, 0.05}},
          {thigh, {0.055, 0, -up}, {0.015, 0, 0}},
          {shank, {0.045, 0, -0.07}}});
  muscle("GAS", 1500, 0.05, 12,
         {{thigh, {-0.03, 0, -up + 0.02}, {0.015, 0, 0}},
          {shank, {-0.04, 0, -0.06}},
          {foot, {-0.05, 0, -0.03}, {0.015, 0, 0}}});
  muscle("SOL", 4000, 0.04, 6,
         {{shank, {-0.03, 0, -0.3 * low}, {0, 0, 0.05}}, {foot, {-0.05, 0, -0.03}, {0.015, 0, 0}}});
  muscle("TA", 800, 0.06, 12,
         {{shank, {0.03, 0, -0.3 * low}},
          {shank, {0.04, 0, -low + 0.03}},
          {foot, {0.08, 0, -0.02}, {0.02, 0, 0}}});
  draft.slack_pose = {{"hip_bend", turn(20)}, {"knee", turn(30)}};
}

void add_humanoid_body(const CreatureSpec& spec, SkeletonDraft& draft) {
  const double w = 0.5 * spec.dimensions.hip_width;
  const Vec3 spine(0, 0, 0.12), chest(0, 0, 0.16), neck(0, 0, 0.27);
  const auto trunk_joints = [](const std::string& name, double damping) {
    return std::vector<BoneJoint>{{name + "_bend", kForward, turn(-30), turn(30), 0, damping},
                                  {name + "_side", kOutward, turn(-25), turn(25), 0, damping},
                                  {name + "_turn", kAxial, turn(-30), turn(30), 0, damping, "passive.spine"}};
  };
  draft.bones.insert(
      draft.bones.begin(),
      {"pelvis", "", {0, 0, 0}, 10, {}, {{Vec3(0, -w + 0.02, 0.04), Vec3(0, w - 0.02, 0.04), 0.085}}});
  draft.bones.push_back({"spine",
                         "pelvis",
                         spine,
                         10,
                         trunk_joints("spine", 2),
                         {{Vec3(0, -0.05, 0.08), Vec3(0, 0.05, 0.08), 0.09}}});
  draft.bones.push_back({"chest",
                         "spine",
                         chest,
                         18,
                         trunk_joints("chest", 2),
                         {{Vec3(0, -0.07, 0.13), Vec3(0, 0.07, 0.13), 0.11}}});
  draft.bones.push_back(
      {"head",
       "chest",
       neck,
       5,
       trunk_joints("neck", 0.5),
       {{Vec3(0.01, 0, 0.09), Vec3(0.01, 0, 0.16), 0.085}, {Vec3(0, 0, 0), Vec3(0, 0, 0.06), 0.045}}});
  add_both(draft, {"left_upper_arm",
                   "chest",
                   {0, 0.18, 0.2},
                   2.1,
                   {{"left_shoulder_bend", kForward, turn(-60), turn(150), 0, 0.3},
                    {"left_shoulder_side", kOutward, turn(-5), turn(120), 20, 1},
                    {"left_shoulder_turn", kAxial, turn(-40), turn(40), 10, 0.3}},
                   {{Vec3(0, 0.02, 0), Vec3(0, 0.02, -0.28), 0.04}}});
  add_both(draft, {"left_forearm",
                   "left_upper_arm",
                   {0, 0.02, -0.28},
                   1.7,
                   {{"left_elbow", kForward, turn(5), turn(140), 2, 0.3}},
                   {{Vec3(0, 0, 0), Vec3(0, 0, -0.33), 0.032}}});
  add_pair_at_joint(draft, "SA", "SP", "pelvis", "spine", spine, Vec3::UnitZ(), 1500, 1, 1);
  add_pair_at_joint(draft, "SA", "SP", "spine", "chest", chest, Vec3::UnitZ(), 1500, 1, 1);
  add_pair_at_joint(draft, "SA", "SP", "chest", "head", neck, Vec3::UnitZ(), 600, 1, 1);
  const std::string chest_body = "chest", arm = "left_upper_arm", forearm = "left_forearm";
  draft.muscles.push_back(
      {"SHF", 400, 0.10, 12, {{chest_body, {0.05, 0.17, 0.2}}, {arm, {0.03, 0.02, -0.12}}}});
  draft.muscles.push_back(
      {"SHE", 400, 0.10, 12, {{chest_body, {-0.05, 0.17, 0.2}}, {arm, {-0.03, 0.02, -0.12}}}});
  draft.muscles.push_back({"BIC", 300, 0.10, 12, {{arm, {0.03, 0.02, -0.08}}, {forearm, {0.03, 0, -0.05}}}});
  draft.muscles.push_back(
      {"TRI",
       300,
       0.10,
       12,
       {{arm, {-0.03, 0.02, -0.08}}, {arm, {-0.03, 0.02, -0.28}}, {forearm, {-0.02, 0, -0.05}}}});
}

// A bird's leg: a short thigh, the knee inside the body, and a long foot that stands on its toes, so that the hock bends where
// a human has an ankle.
void add_inverted_legs(const CreatureSpec& spec, SkeletonDraft& draft) {
  const LegDimensions& d = spec.dimensions;
  const double w = 0.5 * d.hip_width, up = d.thigh, low = d.shank, f = d.foot;
  // In the base pose: thigh forward, shank back, foot forward again.
  const double thigh_angle = turn(60), shank_angle = turn(-35), foot_angle = turn(25);
  const auto along = [](double angle, double length) {
    return Vec3(std::sin(angle) * length, 0, -std::cos(angle) * length);
  };
  const Vec3 knee = along(thigh_angle, up), hock = along(shank_angle, low), ball = along(foot_angle, f);
  const double sole = 0.03;
  draft.hip_height = -(knee + hock + ball).z() + sole;
  add_both(draft, {"left_thigh",
                   "pelvis",
                   {0, w, 0},
                   5.0 * up / 0.2,
                   {{"left_hip_bend", kForward, turn(-60), turn(50)},
                    {"left_hip_side", kOutward, turn(-25), turn(35)},
                    {"left_hip_turn", kAxial, turn(-35), turn(35), 0, 0.5, "passive.hip_turn"}},
                   {{0.2 * knee, 0.9 * knee, 0.06}}});
  add_both(draft, {"left_shank",
                   "left_thigh",
                   knee,
                   3.0 * low / 0.45,
                   {{"left_knee", kBackward, turn(-80), turn(60)}},
                   {{0.05 * hock, 0.97 * hock, 0.045}}});
  add_both(draft, {"left_foot",
                   "left_shank",
                   hock,
                   1.2 * f / 0.45,
                   {{"left_ankle_bend", kForward, turn(-55), turn(60)},
                    {"left_ankle_side", kOutward, turn(-20), turn(20), 0, 0.5, "passive.ankle"},
                    {"left_ankle_turn", kAxial, turn(-20), turn(20), 0, 0.5, "passive.ankle"}},
                   {{0.05 * ball, 0.95 * ball, 0.03},
                    sphere(ball + Vec3(-0.03, 0.04, 0), sole, true),
                    sphere(ball + Vec3(-0.03, -0.04, 0), sole, true)}});
  add_both(draft, {"left_toes",
                   "left_foot",
                   ball,
                   0.4,
                   {{"left_toes", kForward, turn(-40), turn(60), 30, 0.5}},
                   {{Vec3(0.01, 0, -0.005), Vec3(0.10, 0, -0.005), 0.025},
                    sphere({0.12, 0.045, 0}, sole, true),
                    sphere({0.12, -0.045, 0}, sole, true)}});
  // A bent leg stands on its extensors: they are stretched in the base pose.
  const auto stretched = [](std::string_view kind) {
    return kind == "SOL" ? -0.45 : kind == "VAS" ? -0.35 : kind == "GAS" ? -0.25 : kind == "GMX" ? -0.1 : 0.0;
  };
  const auto muscle = [&](const char* kind, double force, double fibre, double speed,
                          std::vector<Point> path) {
    draft.muscles.push_back({kind, force, fibre, speed, std::move(path), true, stretched(kind)});
  };
  const std::string pelvis = "pelvis", thigh = "left_thigh", shank = "left_shank", foot = "left_foot";
  const Vec3 front(std::cos(shank_angle), 0, std::sin(shank_angle));  // of the shank, across it
  const Vec3 foot_front(std::cos(foot_angle), 0, std::sin(foot_angle));
  muscle("HFM", 2000, 0.10, 12,
         {{pelvis, {0.13, w - 0.04, 0.06}, {0.04, 0.04, 0}},
          {thigh, 0.5 * knee + Vec3(0.02, 0, 0.03), {0.03, 0, 0.02}}});
  muscle("HFL", 1200, 0.11, 12,
         {{pelvis, {0.12, w + 0.04, 0.08}, {0.04, 0.04, 0}},
          {thigh, 0.6 * knee + Vec3(0.02, 0.045, 0.03), {0.03, 0, 0.02}}});
  muscle("GMX", 2500, 0.12, 12,
         {{pelvis, {-0.10, w, 0.02}, {0.04, 0.04, 0}},
          {thigh, 0.6 * knee + Vec3(-0.03, 0.03, -0.03), {0.03, 0, 0.02}}});
  muscle("GMD", 3000, 0.08, 12,
         {{pelvis, {-0.01, w + 0.03, 0.10}, {0.05, 0.03, 0}}, {thigh, {0.01, 0.06, -0.02}, {0.03, 0.02, 0}}});
  muscle("HAM", 3000, 0.14, 12,
         {{pelvis, {-0.12, w - 0.02, 0}, {0.04, 0.04, 0}},
          {shank, 0.2 * hock - 0.045 * front, {0.02, 0, 0.02}}});
  muscle("RF", 1200, 0.08, 12,
         {{pelvis, {0.08, w, 0.04}, {0.03, 0, 0}},
          {thigh, 1.0 * knee + Vec3(0.05, 0, 0.02), {0.015, 0, 0}},
          {shank, 0.15 * hock + 0.045 * front}});
  muscle("VAS", 6000, 0.08, 12,
         {{thigh, 0.3 * knee + Vec3(0.02, 0, 0.04), {0.02, 0, 0.02}},
          {thigh, 1.0 * knee + Vec3(0.05, 0, 0.02), {0.015, 0, 0}},
          {shank, 0.15 * hock + 0.045 * front}});
  muscle("GAS", 2500, 0.07, 12,
         {{thigh, 1.0 * knee + Vec3(-0.03, 0, -0.02), {0.015, 0, 0}},
          {shank, 0.2 * hock - 0.045 * front},
          {foot, -0.06 * foot_front, {0.015, 0, 0.01}}});
  muscle("SOL", 5000, 0.06, 8,
         {{shank, 0.3 * hock - 0.03 * front, {0, 0, 0.05}}, {foot, -0.06 * foot_front, {0.015, 0, 0.01}}});
  muscle("TA", 1000, 0.07, 12,
         {{shank, 0.35 * hock + 0.03 * front},
          {shank, 0.94 * hock + 0.05 * front},
          {foot, 0.2 * ball + 0.035 * foot_front, {0.01, 0, 0.02}}});
}

void add_neck_tail_body(const CreatureSpec& spec, SkeletonDraft& draft) {
  const double half = 0.5 * spec.torso;
  const double r = spec.torso_radius;
  draft.bones.insert(draft.bones.begin(),
                     {"pelvis",
                      "",
                      {0, 0, 0},
                      spec.torso_mass,
                      {},
                      {{Vec3(0.04 - half + r, 0, 0.08), Vec3(0.04 + half - r, 0, 0.08), r}}});
  const auto chain = [&](const ChainDimensions& c, const std::string& name, const char* front,
                         const char* back, const Vec3& from, double way) {
    const double tilt = radians(c.tilt_deg), link = c.length / std::max(c.segments, 1);
    const Vec3 along(way * std::cos(tilt) * link, 0, std::sin(tilt) * link);
    std::string parent = "pelvis";
    Vec3 at = from;
    for (int i = 1; i <= c.segments; ++i) {
      const bool last = i == c.segments;
      const double thick = 0.05 - 0.02 * i / c.segments;
      Bone bone{last && name == "neck" ? "head" : fmt::format("{}{}", name, i),
                parent,
                at,
                c.mass / c.segments,
                {},
                {}};
      bone.joints = {{bone.name + "_bend", kForward, turn(-40), turn(40), 5, 0.5},
                     {bone.name + "_side", kOutward, turn(-40), turn(40), 5, 0.5},
                     {bone.name + "_turn", kAxial, turn(-40), turn(40), 5, 0.5}};
      if (bone.name == "head") {
        bone.shapes = {{0.3 * along, 0.5 * along + Vec3(0.1, 0, 0), 0.06}};
      } else {
        bone.shapes = {{0.1 * along, 0.9 * along, thick}};
      }
      draft.bones.push_back(bone);
      add_pair_at_joint(draft, front, back, parent, bone.name, at, along.normalized(),
                        600 * std::sqrt(1.0 / i), std::min(1.0, link / 0.15), std::min(1.0, 0.6 + 0.4 / i));
      parent = bone.name;
      at = along;
    }
  };
  chain(spec.neck, "neck", "NA", "NP", Vec3(0.04 + half - 0.3 * r, 0, 0.08 + 0.5 * r), 1);
  chain(spec.tail, "tail", "TAA", "TAP", Vec3(0.04 - half + 0.3 * r, 0, 0.08 + 0.3 * r), -1);
}

}  // namespace stunt
