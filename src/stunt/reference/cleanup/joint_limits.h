// Poses within what the character's joints allow: what is asked of a joint beyond its limit is fought for in vain.
#pragma once

#include <vector>

#include "stunt/actor/actor.h"

namespace stunt {

// Brings limited joints back inside their limits; hips and knees excepted, which would move
// feet that stand, and without `ankles` these too. Changes q in place; returns by how much a joint was beyond its
// limit at most (rad).
double keep_within_limits(const Actor& actor, std::vector<VecX>& q, bool ankles);

}  // namespace stunt
