// How long players keep a ball in play, found in a recording.
#pragma once

#include <vector>

#include "stunt/simulate/recording.h"

namespace stunt {

struct Return {
  double time;  // s, the first sample after the hit
  int actor;    // who hit it: the nearest
};

// The returns of the scene's first bouncing ball: over the ground it goes the other way than before, with one of
// the characters' roots within 1.2 m. A rally is over when the ball falls below 0.3 m, or somebody hits it twice in a row.
std::vector<Return> find_rally(const Recording& recording);

}  // namespace stunt
