// What happened in a run, in numbers: the content of summary.json (docs/summary.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stunt/assess/blows/blows.h"
#include "stunt/assess/injury/injury.h"
#include "stunt/assess/realism/realism_summary.h"
#include "stunt/assess/tracking/tracking.h"
#include "stunt/assess/tracking/verdict.h"
#include "stunt/core/settings.h"

namespace stunt {

struct PlanSummary {
  std::optional<double> mean_us, p99_us;  // wall clock of one plan
  int count = 0;
  int relaxed = 0;  // could not be met as asked
};

// Its motion was offset where it practised (optimize/rehearsal.h).
struct RehearsalSummary {
  std::vector<ActorTrack::Span> where;
  // Only where the run itself began with the rehearsal.
  std::optional<int> rollouts;
  std::optional<double> wall_s;
};

// A segment of its routine, and when it was played.
struct StateSpan {
  std::string segment;
  double from, to;  // s
};

struct ActorSummary {
  std::string name, motion, character, controller, preset;
  bool completed = false;
  std::optional<double> fell_at_s;
  std::string fall_reason;
  bool tracked = false;
  std::optional<double> stumbled_at_s;
  std::string stumble_reason;  // also why it was not completed, where it neither fell nor diverged
  double drift_m = 0;
  std::optional<double> why_at_s;
  std::string why;      // it fell or stumbled, in words (tracking/cause.h); empty where no rule tells
  TrackingScore score;  // of zero samples where there was nothing to follow
  std::optional<double> touchdown_speed_ratio;  // tracking/touchdown.h
  RealismSummary realism;                       // of what was simulated; no frames where its root is fixed
  Injury injury;                                // without measures where nobody asked for it
  bool pedestal = false;
  double help_n = 0;  // N, mean magnitude of unphysical help on the root
  PlanSummary plans;
  RehearsalSummary rehearsal;
  std::vector<StateSpan> states;  // in their order; empty without a routine
  std::vector<std::string> notes, warnings;
};

struct RunSummary {
  std::string scene, engine;
  std::uint64_t seed = 0;
  double timestep_s = 0, duration_s = 0, simulated_s = 0;
  bool completed = false;  // nobody fell, nothing diverged, the end was reached
  std::string diverged;    // empty, or why
  // Wall clock of this run; empty where it was not timed.
  std::optional<double> realtime_factor, controller_us_per_step, engine_us_per_step;
  std::vector<ActorSummary> actors;
  std::vector<Blow> blows;
};
void describe(Fields& fields, RunSummary& summary);  // to send one from process to process

// Realism takes about as long as a run of some seconds: who does not ask for it gets no frames of it.
RunSummary summarize(const Recording& recording, bool with_realism = true);

}  // namespace stunt
