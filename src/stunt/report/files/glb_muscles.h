// Muscles in a GLB file: a tube along the path of each, that is bound to the bodies its points are on (a skin), so it needs no
// keys to move. One morph target makes it red and thick; its weight is the root of muscle_use, up to all of the muscle's
// strength.
// Viewers that know no morph targets of colours show the thickness.
#pragma once

#include <span>

#include "stunt/report/files/glb_builder.h"
#include "stunt/simulate/recording.h"

namespace stunt {

// Nothing for a character without the channel muscle_use. `nodes`: of every body of the scene, as they were animated.
void add_muscles(GlbBuilder& glb, const Recording& recording, std::size_t actor, std::span<const int> samples,
                 std::span<const int> nodes, int parent);

}  // namespace stunt
