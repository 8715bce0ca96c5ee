#include "stunt/assess/run_summary.h"

#include <algorithm>
#include <cmath>

#include "stunt/assess/tracking/cause.h"
#include "stunt/assess/tracking/touchdown.h"

namespace stunt {
namespace {

// A run ends at the step nearest to its duration, and the last sample lies before that.
bool reached_the_end(const Recording& recording) {
  const double last = recording.duration - 0.5 * recording.timestep - 1 / recording.rate;
  return recording.samples() > 0 && recording.time.back() > last - 1e-6;
}

std::optional<double> if_finite(double x) { return std::isfinite(x) ? std::optional(x) : std::nullopt; }

PlanSummary summarize_plans(const ActorTrack& track) {
  PlanSummary plans;
  plans.count = static_cast<int>(track.plan_us.size());
  plans.relaxed = track.plans_relaxed;
  if (plans.count == 0) return plans;
  std::vector<float> sorted = track.plan_us;
  std::sort(sorted.begin(), sorted.end());
  double sum = 0;
  for (const float us : sorted) sum += us;
  plans.mean_us = sum / plans.count;
  plans.p99_us = sorted[static_cast<std::size_t>(std::ceil(0.99 * plans.count)) - 1];  // nearest rank
  return plans;
}

std::vector<StateSpan> state_spans(const Recording& recording, const ActorTrack& track) {
  std::vector<StateSpan> spans;
  const Channel* states = track.channels.find("state");
  if (!states) return spans;
  const auto& all = states->all<std::uint8_t>();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] >= track.states.size()) continue;
    if (i == 0 || all[i] != all[i - 1])
      spans.push_back({track.states[all[i]], recording.time[i], recording.time[i]});
    if (i + 1 < all.size()) spans.back().to = recording.time[i + 1];
  }
  return spans;
}

ActorSummary summarize_actor(const Recording& recording, int index, bool with_realism) {
  const ActorTrack& track = recording.actors[static_cast<std::size_t>(index)];
  ActorSummary out;
  out.name = track.name;
  out.motion = track.motion;
  out.character = track.character;
  out.controller = track.controller;
  out.preset = track.preset;
  const Verdict verdict = judge_tracking(recording, index);
  out.completed = verdict.completed;
  out.tracked = verdict.tracked;
  out.stumbled_at_s = verdict.stumbled_at_s;
  out.stumble_reason = verdict.reason;
  out.drift_m = verdict.drift_m;
  if (track.fall) {
    out.fell_at_s = track.fall->time;
    out.fall_reason = track.fall->reason;
  }
  const std::optional<double> failed = track.fall ? std::optional(track.fall->time) : verdict.stumbled_at_s;
  if (failed && recording.diverged.empty()) {
    Cause cause = find_cause(recording, index, *failed);
    if (!cause.text.empty()) out.why_at_s = cause.time;
    out.why = std::move(cause.text);
  }
  out.score = score_tracking(recording, index);
  out.touchdown_speed_ratio = touchdown_speed_ratio(recording, index);
  if (with_realism && track.slot.actor->has_free_root() && recording.samples() > 1)
    out.realism = summarize_realism(assess_realism(motion_of(recording, index)));
  out.pedestal = track.pedestal;
  out.help_n = std::isfinite(track.assist_force_mean) ? track.assist_force_mean : 0;
  out.plans = summarize_plans(track);
  out.rehearsal.where = track.rehearsed;
  out.states = state_spans(recording, track);
  out.notes = track.notes;
  out.warnings = track.warnings;
  return out;
}

}  // namespace

static void describe(Fields& fields, MeanMax& value) { fields("mean", value.mean)("max", value.max); }

static void describe(Fields& fields, TrackingScore& score) {
  fields("samples", score.samples);
  fields.group("joint_error_rad", score.joint_error_rad, "");
  fields("mpjpe_global_m", score.mpjpe_global_m)("mpjpe_root_relative_m", score.mpjpe_root_relative_m);
  fields.group("com_error_m", score.com_error_m, "");
  std::optional<double> roughness = if_finite(score.roughness);
  fields("roughness", roughness)("foot_skate_m_s", score.foot_skate_m_s);
  score.roughness = roughness.value_or(std::nan(""));
}

static void describe(Fields& fields, PlanSummary& plans) {
  fields("mean_us", plans.mean_us)("p99_us", plans.p99_us)("count", plans.count)("relaxed", plans.relaxed);
}

static void describe(Fields& fields, RehearsalSummary& rehearsal) {
  fields.list("where", rehearsal.where, "",
              [](Fields& inner, ActorTrack::Span& span) { inner("from", span.from)("to", span.to); });
  fields("rollouts", rehearsal.rollouts)("wall_s", rehearsal.wall_s);
}

static void describe(Fields& fields, ActorSummary& actor) {
  fields("name", actor.name)("motion", actor.motion)("character", actor.character)("controller",
                                                                                   actor.controller);
  fields("preset", actor.preset)("completed", actor.completed)("fell_at_s", actor.fell_at_s);
  fields("fall_reason", actor.fall_reason)("tracked", actor.tracked)("stumbled_at_s", actor.stumbled_at_s);
  fields("stumble_reason", actor.stumble_reason)("drift_m", actor.drift_m)("why", actor.why)("why_at_s",
                                                                                             actor.why_at_s);
  fields.group("score", actor.score, "");
  fields("touchdown_speed_ratio", actor.touchdown_speed_ratio);
  fields.group("realism", actor.realism, "").group("injury", actor.injury, "");
  fields("pedestal", actor.pedestal)("help_n", actor.help_n);
  fields.group("plans", actor.plans, "").group("rehearsal", actor.rehearsal, "");
  fields.list("states", actor.states, "", [](Fields& inner, StateSpan& span) {
    inner("segment", span.segment)("from", span.from)("to", span.to);
  });
  const auto sentence = [](Fields& inner, std::string& text) { inner("text", text); };
  fields.list("notes", actor.notes, "", sentence).list("warnings", actor.warnings, "", sentence);
}

void describe(Fields& fields, RunSummary& summary) {
  fields("scene", summary.scene)("engine", summary.engine)("seed", summary.seed)("timestep_s",
                                                                                 summary.timestep_s);
  fields("duration_s", summary.duration_s)("simulated_s", summary.simulated_s)("completed",
                                                                               summary.completed);
  fields("diverged", summary.diverged)("realtime_factor", summary.realtime_factor);
  fields("controller_us_per_step", summary.controller_us_per_step);
  fields("engine_us_per_step", summary.engine_us_per_step);
  fields.list("actors", summary.actors, "");
  fields.list("blows", summary.blows, "", [](Fields& inner, Blow& blow) {
    inner("time", blow.time)("from", blow.from)("to", blow.to)("body", blow.body);
    inner("closing", blow.closing)("impulse", blow.impulse)("moved", blow.moved);
  });
}

RunSummary summarize(const Recording& recording, bool with_realism) {
  RunSummary summary;
  summary.scene = recording.name;
  summary.engine = recording.engine;
  summary.seed = recording.seed;
  summary.timestep_s = recording.timestep;
  summary.duration_s = recording.duration;
  const auto steps = static_cast<double>(recording.steps);
  summary.simulated_s = steps * recording.timestep;
  summary.diverged = recording.diverged;
  summary.completed = recording.diverged.empty() && reached_the_end(recording);
  for (std::size_t i = 0; i < recording.actors.size(); ++i) {
    summary.actors.push_back(summarize_actor(recording, static_cast<int>(i), with_realism));
    summary.completed = summary.completed && summary.actors.back().completed;
  }
  if (recording.actors.size() > 1 && recording.diverged.empty()) summary.blows = find_blows(recording);
  summary.realtime_factor = if_finite(steps * recording.timestep / recording.wall_s);
  if (recording.wall_s > 0) {
    summary.controller_us_per_step = if_finite(1e6 * recording.controller_s / steps);
    summary.engine_us_per_step = if_finite(1e6 * recording.engine_s / steps);
  }
  return summary;
}

}  // namespace stunt
