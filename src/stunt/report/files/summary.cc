#include "stunt/report/files/summary.h"

#include <fmt/format.h>
#include <mujoco/mujoco.h>
#include <ode/version.h>

#include <cmath>

#include "stunt/report/files/assessment.h"

namespace stunt {
namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }
Json number_or_null(const std::optional<double>& x) { return x ? number_or_null(*x) : Json(nullptr); }
Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

// Who did what, and how well: one actor's fields.
void add_identity(Json& out, const ActorSummary& actor) {
  out["motion"] = actor.motion;
  out["character"] = actor.character;
  out["controller"] = actor.controller;
  out["preset"] = actor.preset;
}

Json rehearsal_json(const RehearsalSummary& rehearsal) {
  if (rehearsal.where.empty() && !rehearsal.rollouts) return nullptr;
  Json out{{"where", Json::array()}};
  for (const auto& [from, to] : rehearsal.where) out["where"].push_back({{"from_s", from}, {"to_s", to}});
  out["rollouts"] = rehearsal.rollouts ? Json(*rehearsal.rollouts) : Json(nullptr);
  out["wall_s"] = number_or_null(rehearsal.wall_s);
  return out;
}

void add_outcome(Json& out, const RunSummary& run, const ActorSummary& actor) {
  const TrackingScore& score = actor.score;
  out["completed"] = actor.completed;
  out["fell_at_s"] = number_or_null(actor.fell_at_s);
  out["fall_reason"] = text_or_null(actor.fall_reason);
  out["diverged"] = text_or_null(run.diverged);
  out["tracked"] = actor.tracked;
  out["stumbled_at_s"] = number_or_null(actor.stumbled_at_s);
  out["stumble_reason"] = text_or_null(actor.stumble_reason);
  out["drift_m"] = number_or_null(actor.drift_m);
  out["why"] = text_or_null(actor.why);
  out["why_at_s"] = number_or_null(actor.why_at_s);
  const auto scored = [&](double x) { return score.samples > 0 ? number_or_null(x) : Json(nullptr); };
  out["joint_error_rad"] = {{"mean", scored(score.joint_error_rad.mean)},
                            {"max", scored(score.joint_error_rad.max)}};
  out["mpjpe_m"] = {{"global", scored(score.mpjpe_global_m)},
                    {"root_relative", scored(score.mpjpe_root_relative_m)}};
  out["com_error_m"] = {{"mean", scored(score.com_error_m.mean)}, {"max", scored(score.com_error_m.max)}};
  out["roughness"] = scored(score.roughness);
  out["foot_skate_m_s"] = scored(score.foot_skate_m_s);
  out["touchdown_speed_ratio"] = number_or_null(actor.touchdown_speed_ratio);
  out["realism"] = realism_json(actor.realism);
  out["injury"] = injury_json(actor.injury);
  out["assist"] = {{"pedestal", actor.pedestal}, {"mean_force_n", actor.help_n}};
  out["plan_us"] = {{"mean", number_or_null(actor.plans.mean_us)},
                    {"p99", number_or_null(actor.plans.p99_us)},
                    {"count", actor.plans.count}};
  out["plans_relaxed"] = actor.plans.relaxed;
  out["rehearsed"] = rehearsal_json(actor.rehearsal);
  out["states"] = Json::array();
  for (const StateSpan& span : actor.states)
    out["states"].push_back({{"segment", span.segment}, {"from_s", span.from}, {"to_s", span.to}});
  out["notes"] = actor.notes;
  out["warnings"] = actor.warnings;
}

std::string rehearsal_text(const RehearsalSummary& rehearsal) {
  std::string text;
  for (const auto& [from, to] : rehearsal.where)
    text += fmt::format("{}{:.2f} to {:.2f} s", text.empty() ? "" : ", ", from, to);
  if (text.empty()) text = "nothing changed";
  if (rehearsal.rollouts)
    text += fmt::format("; {} rollouts in {:.1f} s", *rehearsal.rollouts, rehearsal.wall_s.value_or(0));
  return text;
}

std::string text_of(const std::optional<double>& value, const char* format, double scale = 1) {
  return value && std::isfinite(*value) ? fmt::format(fmt::runtime(format), *value * scale) : "-";
}

std::string outcome_text(const RunSummary& run, const ActorSummary* actor) {
  const std::string times = fmt::format("{:.2f} s of {:.2f} s", run.simulated_s, run.duration_s);
  if (!run.diverged.empty()) return "diverged: " + run.diverged + ", " + times;
  if (actor && actor->fell_at_s)
    return fmt::format("fell at {:.2f} s: {}", *actor->fell_at_s, actor->fall_reason);
  if (actor && !actor->completed && !actor->stumble_reason.empty()) return "lost: " + actor->stumble_reason;
  if (actor && actor->stumbled_at_s) {
    return fmt::format("stumbled at {:.2f} s: {}; {}", *actor->stumbled_at_s, actor->stumble_reason, times);
  }
  if (actor && actor->score.samples > 0 && actor->tracked) return "tracked to the end, " + times;
  return ((actor ? actor->completed : run.completed) ? "completed, " : "stopped early, ") + times;
}

class Lines {
 public:
  void add(const std::string& label, const std::string& text) {
    out_ += fmt::format("{:<14} {}\n", label, text);
  }
  void add(const RunSummary& run, const ActorSummary& actor) {
    const auto scored = [&](double x) { return actor.score.samples > 0 ? std::optional(x) : std::nullopt; };
    if (!actor.motion.empty()) add("motion", actor.motion);
    add("character", actor.character);
    add("controller", actor.controller + (actor.preset.empty() ? "" : " (" + actor.preset + ")"));
    add("result", outcome_text(run, &actor));
    if (!actor.why.empty()) add("why", actor.why);
    if (!actor.rehearsal.where.empty() || actor.rehearsal.rollouts)
      add("rehearsed", rehearsal_text(actor.rehearsal));
    if (actor.fell_at_s || actor.stumbled_at_s) {
      const std::string practise = actor.rehearsal.rollouts
                                       ? "--rehearse --budget 300 (it practises longer), "
                                       : "--rehearse (it practises), ";
      const std::string other = actor.character == "fit" ? "--character humanoid, " : "";
      add("try", practise + other + "--assist 1 (an unseen hand helps a little)");
    }
    if (actor.score.samples > 0) {
      const TrackingScore& score = actor.score;
      add("joint error", text_of(scored(score.joint_error_rad.mean), "{:.3f} rad mean, ") +
                             text_of(scored(score.joint_error_rad.max), "{:.2f} max"));
      add("position error",
          text_of(scored(score.mpjpe_global_m), "{:.1f} cm, ", 100) +
              text_of(scored(score.mpjpe_root_relative_m), "{:.1f} cm relative to the root", 100));
      add("balance error", text_of(scored(score.com_error_m.mean), "{:.1f} cm mean, ", 100) +
                               text_of(scored(score.com_error_m.max), "{:.1f} max", 100));
      add("roughness", text_of(scored(score.roughness), "{:.2f} (1: as smooth as the actor)"));
      add("foot skate", text_of(scored(score.foot_skate_m_s), "{:.1f} cm/s", 100));
      if (actor.touchdown_speed_ratio)
        add("touchdowns", fmt::format("{:.2f} times as fast as the actor's", *actor.touchdown_speed_ratio));
    }
    if (actor.realism.frames > 0) {
      add("realism",
          fmt::format("kappa {:.3f} (0: gravity and ground explain all of it; captures have up to {:.2f})",
                      actor.realism.kappa, kCapturedKappa));
      if (actor.realism.muscles > 0) {
        add("muscles",
            fmt::format("lambda {:.4f} (up to {} an average adult is strong enough); effort {:.3f}",
                        actor.realism.lambda, kNoiseLambda, actor.realism.effort));
      }
    }
    if (!actor.injury.measures.empty())
      add("injury", fmt::format("{} D_AVG {:.2f}", injury_words(actor.injury), actor.injury.d_avg));
    if (actor.pedestal) add("help", "the root is held on a pedestal");
    if (actor.help_n > 0) add("help", fmt::format("{:.0f} N mean on the root", actor.help_n));
    if (actor.plans.count > 0) {
      add("plans", fmt::format("{}, ", actor.plans.count) + text_of(actor.plans.mean_us, "{:.0f} us mean, ") +
                       text_of(actor.plans.p99_us, "{:.0f} us at the 99th percentile, ") +
                       fmt::format("{} relaxed", actor.plans.relaxed));
    }
    for (const std::string& warning : actor.warnings) add("warning", warning);
  }
  std::string& text() { return out_; }

 private:
  std::string out_;
};

}  // namespace

Json summary_json(const RunSummary& run) {
  Json summary;
  summary["scene"] = run.scene;
  if (!run.actors.empty()) add_identity(summary, run.actors[0]);
  summary["engine"] = run.engine;
  summary["seed"] = run.seed;
  summary["timestep_s"] = run.timestep_s;
  summary["duration_s"] = run.duration_s;
  summary["simulated_s"] = run.simulated_s;
  if (!run.actors.empty()) {
    add_outcome(summary, run, run.actors[0]);
  } else {
    summary["completed"] = run.completed;
    summary["fell_at_s"] = summary["fall_reason"] = nullptr;
    summary["diverged"] = text_or_null(run.diverged);
  }
  summary["realtime_factor"] = number_or_null(run.realtime_factor);
  summary["controller_us_per_step"] = number_or_null(run.controller_us_per_step);
  summary["engine_us_per_step"] = number_or_null(run.engine_us_per_step);
  if (run.actors.size() > 1) {
    for (const ActorSummary& actor : run.actors) {
      Json one{{"name", actor.name}};
      add_identity(one, actor);
      add_outcome(one, run, actor);
      summary["actors"].push_back(std::move(one));
    }
  }
  if (run.actors.size() > 1) {
    summary["blows"] = Json::array();
    for (const Blow& blow : run.blows) {
      summary["blows"].push_back({{"at_s", blow.time},
                                  {"from", run.actors[static_cast<std::size_t>(blow.from)].name},
                                  {"to", run.actors[static_cast<std::size_t>(blow.to)].name},
                                  {"closing_m_s", blow.closing},
                                  {"impulse_ns", blow.impulse},
                                  {"moved_m", blow.moved}});
    }
  }
  summary["versions"] = {{"stunt", STUNT_VERSION}, {"mujoco", mj_versionString()}, {"ode", dODE_VERSION}};
  return summary;
}

std::string summary_text(const RunSummary& run) {
  Lines lines;
  for (const ActorSummary& actor : run.actors) {
    if (run.actors.size() > 1) lines.add("actor", actor.name);
    lines.add(run, actor);
    if (run.actors.size() > 1) lines.text() += '\n';
  }
  if (run.actors.empty()) lines.add("result", outcome_text(run, nullptr));
  lines.add("engine",
            fmt::format("{}, time step {:.3g} ms, seed {}", run.engine, 1e3 * run.timestep_s, run.seed));
  if (run.realtime_factor) {
    lines.add("speed", text_of(run.realtime_factor, "{:.1f} times real time; per step ") +
                           text_of(run.controller_us_per_step, "{:.0f} us controller, ") +
                           text_of(run.engine_us_per_step, "{:.0f} us engine"));
  }
  return lines.text();
}

}  // namespace stunt
