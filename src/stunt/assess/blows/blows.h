// The blows of a fight, found in its recording: a hand, or what it holds, meets head or trunk of somebody else.
#pragma once

#include <vector>

#include "stunt/simulate/recording.h"

namespace stunt {

struct Blow {
  double time;       // s, the first sample of the contact
  int from, to;      // characters
  int body;          // that was hit, of `to`
  double closing;    // m/s, how fast the hand came at the body before, along the line between them
  double impulse;    // N s, of the contacts on the body until it was free again for 0.1 s
  double moved = 0;  // m, how far head or chest, whichever more, went off its motion within 0.3 s after
};

// In order of time. Blows of one hand on one body that follow within 0.1 s are one. Forces are those of every step;
// where bodies are is known at the samples (120 Hz).
std::vector<Blow> find_blows(const Recording& recording);

}  // namespace stunt
