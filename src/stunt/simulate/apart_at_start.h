// Characters must not start inside each other: the engine would throw them apart with hundreds of newton seconds.
#pragma once

#include "stunt/actor/actor.h"
#include "stunt/world/scene/compiled_scene.h"

namespace stunt {

// Throws InputError, naming both, where bodies of two characters overlap by more than 2 cm at q (the scene's).
void check_apart_at_start(const CompiledScene& scene, const VecX& q);

}  // namespace stunt
