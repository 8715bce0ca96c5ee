// Free fall as a test of a clip's length unit and frame rate: whoever is in the air falls with 9.81 m/s^2.
#pragma once

#include <optional>

#include "stunt/motion/clip.h"
#include "stunt/motion/roles.h"

namespace stunt {

// The downward acceleration (m/s^2) of the approximate centre of mass while both feet are well above their
// usual height, from a parabola fitted to each such phase; the median over the phases. Empty when nobody
// leaves the ground for long enough, or when no phase looks like a parabola (hanging from a bar, lying). The
// clip is in metres, Z up.
std::optional<double> flight_acceleration(const Clip& clip, const Roles& roles);

// A body falls far faster than it can, again and again, as runs do that play at double speed: their flights are too short to
// be seen above. For at least a tenth of the time its centre of mass goes along a parabola with more than 2.5 g.
bool falls_too_fast(const Clip& clip, const Roles& roles);

}  // namespace stunt
