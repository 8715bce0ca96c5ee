// The part of a scene's compilation that makes its grips.
#pragma once

#include <vector>

#include "stunt/world/scene/compiled_scene.h"

namespace stunt {

// For each grip a constraint between hand and object that holds nothing yet, and no collision between the two. Throws
// InputError where a name belongs to nobody.
void add_grips(const Environment& scene, const std::vector<PlacedActor>& actors, mjSpec& spec);

// Where they are in the compiled model, once its actors are known.
void find_grips(const Environment& scene, CompiledScene& compiled);

}  // namespace stunt
