// A double practises until it can do what the plain tracker cannot: a beam search over small offsets of the reference
// (control/parts/nudges.h), with the tracker as the inner loop, only where it falls or stumbles.
//
// After SAMCON (Liu, Yin, van de Panne, Yin, Xu 2010, "Sampling-based contact-rich motion control"): stretch by stretch,
// samples around the best so far, of which the nearest to the motion (critic.h) go on. Beyond it:
//   the search begins shortly before a failure, and ends as soon as the plain tracker gets well past it from there;
//   where it is lost, it goes back further, with more samples and a larger spread, and where nothing helps it tries at least
//   not to fall;
//   then doubles with noise in their torques play along (members), and an offset must help them all;
//   last, offsets are shrunk and smoothed where that does no harm.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "stunt/assess/run_summary.h"
#include "stunt/control/parts/nudges.h"
#include "stunt/simulate/scene/scene.h"

namespace stunt {

// How much a double practises that was not told to: some seconds, a minute for long motions, and always the same, so that
// the result is.
int unasked_rollouts(double motion_s);

struct RehearsalOptions {
  double budget = 60;  // s of wall clock
  // Instead of the budget, and reproducible: how many stretches of 0.15 s may be played.
  std::optional<int> rollouts = {};
  bool unasked = false;  // instead of both: unasked_rollouts()
  int threads = 1;       // the result does not depend on it
};

struct RehearsalProgress {
  const char* doing;
  double reached, duration;  // s of the motion
  long rollouts;
  double left;  // 0 to 1, of the budget
};

struct Rehearsal {
  Scene scene;           // with the offsets
  bool needed = false;   // false: the plain tracker did it already
  bool tracked = false;  // in the end
  std::vector<Nudges::Span> where;
  long rollouts = 0;
  double wall_s = 0;
};

// One actor with a motion, and a controller that takes offsets; no commands. `progress` may return false: then the best so
// far is kept. Throws InputError.
Rehearsal rehearse(const Scene& scene, const RehearsalOptions& options,
                   const std::function<bool(const RehearsalProgress&)>& progress = {});

// The summary of a run that began with a rehearsal.
RunSummary summarize(const Recording& recording, const Rehearsal& rehearsal);

}  // namespace stunt
