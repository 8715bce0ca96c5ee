// The bodies of a creature before they are an Actor, and the templates that make them (Geijtenbeek 2013, Table 7.3).
#pragma once

#include <string>
#include <vector>

#include "stunt/actor/creature/creature.h"

namespace stunt {

struct BoneJoint {
  std::string name;
  Vec3 axis;
  double lower, upper;      // rad
  double stiffness = 0;     // Nm/rad, passive, at rest in the base pose
  double damping = 0.5;     // Nms/rad
  std::string spring = {};  // parameter of an optimised passive spring
};
struct BoneShape {
  Vec3 from, to;      // m; the same: a sphere
  double radius;      // m
  bool sole = false;  // stands on the ground
};
struct Bone {
  std::string name, parent;  // empty parent: the root
  Vec3 offset;               // m, from the parent's origin
  double mass;               // kg
  std::vector<BoneJoint> joints;
  std::vector<BoneShape> shapes;  // the first gives the inertia
};
struct SkeletonDraft {
  std::vector<Bone> bones;  // parents first; left and right ones both
  std::vector<Creature::MuscleTemplate> muscles;
  double hip_height = 0;  // m, of the root's origin above the ground in the base pose
  std::vector<std::pair<std::string, double>> slack_pose;  // joint (without side), rad
};

void add_humanoid_legs(const CreatureSpec& spec, SkeletonDraft& draft);
void add_inverted_legs(const CreatureSpec& spec, SkeletonDraft& draft);
void add_humanoid_body(const CreatureSpec& spec, SkeletonDraft& draft);
void add_neck_tail_body(const CreatureSpec& spec, SkeletonDraft& draft);

std::string to_mjcf(const SkeletonDraft& draft, const std::string& name, double heaviness);

// The same muscle path on the right side.
Vec3 mirrored(const Vec3& left);
std::string mirrored_name(const std::string& left);  // "left_thigh" -> "right_thigh"

}  // namespace stunt
