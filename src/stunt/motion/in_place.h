// Cycles that walk on the spot, as games and treadmills have them.
#pragma once

#include <optional>

#include "stunt/motion/clip.h"
#include "stunt/motion/roles.h"

namespace stunt {

// The horizontal velocity (m/s) that the whole body lacks: its feet, while they are low, slide back steadily at
// this speed, both of them in turn, and its root stays about where it is. Empty where feet stand or slide anyhow.
// The clip is in metres, Z up.
std::optional<Vec3> missing_velocity(const Clip& clip, const Roles& roles);

// Adds a steady motion to the root.
void move_steadily(Clip& clip, const Vec3& velocity);

}  // namespace stunt
