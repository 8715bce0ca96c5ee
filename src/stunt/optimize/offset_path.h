// The offsets of a rehearsal, knot by knot, and what may be done to the whole of them.
#pragma once

#include <array>
#include <vector>

#include "stunt/control/parts/nudges.h"

namespace stunt {

using OffsetPath = std::vector<Offsets>;  // at knots 0, 1, ... (practice_room.h)

// The spread of samples, one per offset: m or rad.
constexpr std::array<double, Offsets::kSize> kOffsetSpread = {0.04, 0.04, 0.02, 0.06, 0.06, 0.06,
                                                              0.06, 0.06, 0.06, 0.06, 0.1,  0.1};
constexpr double kSmallestOffset = 1e-3;  // m, rad: smaller ones are dropped
constexpr int kOffsetKinds = 6;           // as they are named in a scene

double rounded_offset(double x);         // to 0.1 mm or mrad
double size_of(const Offsets& offsets);  // mean square, in units of the spread

Nudges nudges_of(const OffsetPath& path, int first_knot = 0);

OffsetPath smoothed(const OffsetPath& path);           // over three knots: 1/4, 1/2, 1/4
OffsetPath smaller(const OffsetPath& path);            // by 0.7
OffsetPath without(const OffsetPath& path, int kind);  // one of the named offsets dropped

}  // namespace stunt
