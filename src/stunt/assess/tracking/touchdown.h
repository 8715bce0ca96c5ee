// How hard feet come down, compared with the actor's.
#pragma once

#include <optional>

#include "stunt/simulate/recording.h"

namespace stunt {

// A touchdown is a foot's first contact (simulated: more than 1 N from something one can stand on; in the motion: a contact
// point that stands) after at least 0.05 s without; its moment is when the foot's lowest contact point had come within 5 mm
// of where it then is. Its speed is that of this point over the 25 ms before, downwards, and at least 0.1 m/s. Each simulated touchdown is divided by the motion's nearest one of the same foot
// within 0.15 s; the median of these, or nothing where there is none. Up to the fall.
std::optional<double> touchdown_speed_ratio(const Recording& recording, int actor);

}  // namespace stunt
