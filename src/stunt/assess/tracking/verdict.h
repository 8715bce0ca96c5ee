// Did the double do what the actor did? The verdict of a run: completed, tracked or stumbled.
//
// It is judged against the cleaned motion, before anything made it easier to follow, moved only by a horizontal
// translation that follows the character slowly (its length at the end is the drift).
#pragma once

#include <optional>
#include <string>

#include "stunt/simulate/recording.h"

namespace stunt {

struct Verdict {
  // The end was reached without a fall and without diverging, never further than 2 m from the motion and never under
  // the ground.
  bool completed = false;
  // Completed and followed. Never for longer than 0.2 s:
  //   the joint centres are further than 0.15 m from the motion's on average (relative to the root, heading included);
  //   a hand, a foot or the head is further than 0.35 m from it (likewise);
  //   the trunk tilts by over 30 degrees more or less than the motion's;
  //   the heading is off by over 45 degrees;
  //   the pelvis is over 0.15 m too high or too low.
  // Every flight of the motion longer than 0.1 s is flown for at least half its length. At the end it is not falling: the
  // capture point comes within 0.3 m of being as far from the support as the motion's own (which walks on), at some moment
  // of the last 0.2 s.
  bool tracked = false;
  std::optional<double> stumbled_at_s;  // completed but not tracked: when the first rule was broken
  std::string reason;                   // why it was not completed (other than by a fall) or not tracked
  double drift_m = 0;
};

// `actor` is an index into recording.actors. A character without a motion is tracked when it is completed.
Verdict judge_tracking(const Recording& recording, int actor);

}  // namespace stunt
