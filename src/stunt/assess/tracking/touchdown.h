// How hard feet come down, compared with the actor's.
#pragma once

#include <optional>

#include "stunt/simulate/recording.h"

namespace stunt {

// A touchdown is a foot's first contact (simulated: more than 1 N from something one can stand on; in the motion: a contact
// point that stands) after at least 0.05 s without one. Its moment is when the foot's lowest contact point comes within 5 mm
// of its height at that contact; its speed is that of the point, downwards, over the 25 ms before, and at least 0.1 m/s.
// Each simulated touchdown is divided by the motion's nearest one of the same foot within 0.15 s. The median of these up to
// the fall, or nothing where there is none.
std::optional<double> touchdown_speed_ratio(const Recording& recording, int actor);

}  // namespace stunt
