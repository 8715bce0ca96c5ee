#include "stunt/motion/roles.h"

namespace stunt {

std::string_view name(Role role) {
  constexpr std::array<std::string_view, kRoleCount> kNames = {
      "pelvis",        "spine",           "chest",         "neck",       "head",       "left_clavicle",
      "left_upper_arm", "left_forearm",   "left_hand",     "right_clavicle", "right_upper_arm", "right_forearm",
      "right_hand",    "left_thigh",      "left_shank",    "left_foot",  "left_toes",  "right_thigh",
      "right_shank",   "right_foot",      "right_toes"};
  return kNames[static_cast<int>(role)];
}

}  // namespace stunt
