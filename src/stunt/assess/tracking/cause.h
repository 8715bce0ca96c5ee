// Why it fell, in words: the first thing that went wrong before a fall or a stumble, found by rule.
#pragma once

#include <string>

#include "stunt/simulate/recording.h"

namespace stunt {

struct Cause {
  double time = 0;   // s, when it began
  std::string text;  // empty where none of the rules applies
};

// "At 1.92 s the right foot came down 0.15 s late; from 2.10 s on the capture point was outside the feet." Empty also
// where the character had no motion to follow. `failed_at` (s) is when the fall or stumble began.
//
// Balance counts as lost from the moment on which the capture point stays more than 0.1 m further outside the support
// than the motion's own. Up to half a second before that, the first of these is the cause: a foot that came down late,
// far from its place or where the motion has it in the air; a joint whose torque was at its limit for 0.05 s; or the
// motion's own centre of mass outside its support.
Cause find_cause(const Recording& recording, int actor, double failed_at);

}  // namespace stunt
