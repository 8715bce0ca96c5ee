// How hard feet come down, against the actor's.
#pragma once

#include <span>
#include <vector>

#include "stunt/simulate/recording.h"

namespace stunt {

struct Touchdown {
  double time;   // s
  double speed;  // m/s, downwards
};

// Where something comes down and stays, from its height over time (m, `rate` per second): it has been 1.5 cm up
// within the 0.1 s before and moves by less than 6 mm in the 0.08 s after. The speed is that of the last 3 mm,
// between two samples.
std::vector<Touchdown> find_touchdowns(std::span<const double> height, double rate);

// The speed of the lowest point of a foot when it touches down, simulated / reference: median over those of both
// that belong together (of the same foot, within 0.25 s). Slower than 0.05 m/s counts as this. NaN where there are
// none. `samples`: how many to look at, from the start.
double touchdown_speed_ratio(const Recording& recording, int actor, int samples);

}  // namespace stunt
