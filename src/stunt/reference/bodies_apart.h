// Which bodies of a character may stop each other: a motion that lets two of them overlap (crossed arms of thick capsules, a
// hand in a hip) must not be torn apart by their contact.
#pragma once

#include <utility>
#include <vector>

#include "stunt/reference/reference.h"

namespace stunt {

// Pairs of bodies (indices into Actor::bodies, the smaller first) with shapes that collide, at least three joints apart and
// never closer than 1 cm in the motion, looked at 30 times a second.
std::vector<std::pair<int, int>> bodies_apart(const SampledReference& motion);

}  // namespace stunt
