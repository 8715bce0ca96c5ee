// What a joint is for: the name every stage uses to find "the left foot", whatever the file calls it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace stunt {

struct Skeleton;

// clang-format off
enum class Role {
  pelvis, spine, chest, neck, head,
  left_clavicle, left_upper_arm, left_forearm, left_hand,
  right_clavicle, right_upper_arm, right_forearm, right_hand,
  left_thigh, left_shank, left_foot, left_toes,
  right_thigh, right_shank, right_foot, right_toes,
};
// clang-format on
enum class Side { middle, left, right };
constexpr int kRoleCount = static_cast<int>(Role::right_toes) + 1;

std::string_view name(Role role);  // "left_foot"
std::optional<Role> role_from_name(std::string_view name);

// The joint of each role: a joint moves the body part the role names, so left_foot is the ankle, left_forearm
// the elbow, pelvis the root. -1 where there is none.
class Roles {
 public:
  Roles() { index_.fill(-1); }
  int& operator[](Role role) { return index_[static_cast<int>(role)]; }
  int operator[](Role role) const { return index_[static_cast<int>(role)]; }

 private:
  std::array<int, kRoleCount> index_;
};

// Finds what each joint of a skeleton (m, Z up) is for: limbs by the names that motion capture systems, body
// models and simulators use; where the names say nothing, legs and arms are mirrored chains of the standing
// pose, and left is what the names call so, or else left of where the toes point. Roles that the skeleton
// already carries are returned as they are. Pelvis, spine, chest, neck and head follow from where the limbs
// branch off: spine is the first joint above the pelvis, chest the joint the arms hang from.
Roles recognise_roles(const Skeleton& skeleton);

}  // namespace stunt
