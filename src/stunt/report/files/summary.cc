#include "stunt/report/files/summary.h"

#include <fmt/format.h>
#include <ode/version.h>

#include <algorithm>
#include <cmath>

#include "stunt/assess/tracking/tracking.h"

namespace stunt {
namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

bool reached_the_end(const Recording& recording) {
  return recording.samples() > 0 && recording.time.back() > recording.duration - 1 / recording.rate - 1e-6;
}

Json plan_timing(const std::vector<float>& microseconds) {
  Json plan{{"mean", nullptr}, {"p99", nullptr}, {"count", microseconds.size()}};
  if (microseconds.empty()) return plan;
  std::vector<float> sorted = microseconds;
  std::sort(sorted.begin(), sorted.end());
  double sum = 0;
  for (const float us : sorted) sum += us;
  const auto count = static_cast<double>(sorted.size());
  plan["mean"] = sum / count;
  plan["p99"] = sorted[static_cast<std::size_t>(std::ceil(0.99 * count)) - 1];  // nearest rank
  return plan;
}

// Who did what, and how well: one actor's fields.
void add_identity(Json& out, const ActorTrack& track) {
  out["motion"] = track.motion;
  out["character"] = track.character;
  out["controller"] = track.controller;
  out["preset"] = track.preset;
}

void add_outcome(Json& out, const Recording& recording, int actor) {
  const ActorTrack& track = recording.actors[actor];
  const TrackingScore score = score_tracking(recording, actor);
  out["completed"] = !track.fall && recording.diverged.empty() && reached_the_end(recording);
  out["fell_at_s"] = track.fall ? Json(track.fall->time) : Json(nullptr);
  out["fall_reason"] = track.fall ? Json(track.fall->reason) : Json(nullptr);
  out["diverged"] = recording.diverged.empty() ? Json(nullptr) : Json(recording.diverged);
  const auto scored = [&](double x) { return score.samples > 0 ? number_or_null(x) : Json(nullptr); };
  out["joint_error_rad"] = {{"mean", scored(score.joint_error_rad.mean)},
                            {"max", scored(score.joint_error_rad.max)}};
  out["mpjpe_m"] = {{"global", scored(score.mpjpe_global_m)},
                    {"root_relative", scored(score.mpjpe_root_relative_m)}};
  out["com_error_m"] = {{"mean", scored(score.com_error_m.mean)}, {"max", scored(score.com_error_m.max)}};
  out["roughness"] = scored(score.roughness);
  out["foot_skate_m_s"] = scored(score.foot_skate_m_s);
  out["assist"] = {{"pedestal", track.pedestal}, {"mean_force_n", number_or_null(track.assist_force_mean)}};
  out["plan_us"] = plan_timing(track.plan_us);
  out["plans_relaxed"] = track.plans_relaxed;
}

void add_run(Json& out, const Recording& recording) {
  out["engine"] = recording.engine;
  out["seed"] = recording.seed;
  out["timestep_s"] = recording.timestep;
  out["duration_s"] = recording.duration;
  out["simulated_s"] = static_cast<double>(recording.steps) * recording.timestep;
}

void add_timing(Json& out, const Recording& recording) {
  const auto steps = static_cast<double>(recording.steps);
  out["realtime_factor"] = number_or_null(steps * recording.timestep / recording.wall_s);
  const auto per_step = [&](double seconds) {
    return recording.wall_s > 0 ? number_or_null(1e6 * seconds / steps) : Json(nullptr);
  };
  out["controller_us_per_step"] = per_step(recording.controller_s);
  out["engine_us_per_step"] = per_step(recording.engine_s);
}

std::string text_of(const Json& value, const char* format, double scale = 1) {
  return value.is_number() ? fmt::format(fmt::runtime(format), value.get<double>() * scale) : "-";
}

std::string outcome_text(const Json& summary) {
  const std::string times = fmt::format("{:.2f} s of {:.2f} s", summary["simulated_s"].get<double>(),
                                        summary["duration_s"].get<double>());
  const auto said = [](const Json& value) { return value.get<std::string>(); };
  if (!summary["diverged"].is_null()) return "diverged: " + said(summary["diverged"]) + ", " + times;
  if (!summary["fell_at_s"].is_null()) {
    return fmt::format("fell at {:.2f} s: {}", summary["fell_at_s"].get<double>(),
                       said(summary["fall_reason"]));
  }
  return (summary["completed"].get<bool>() ? "completed, " : "stopped early, ") + times;
}

}  // namespace

Json summarize(const Recording& recording) {
  Json summary;
  std::vector<Json> outcomes;
  for (std::size_t i = 0; i < recording.actors.size(); ++i) {
    Json one{{"name", recording.actors[i].name}};
    add_identity(one, recording.actors[i]);
    add_outcome(one, recording, static_cast<int>(i));
    outcomes.push_back(std::move(one));
  }
  summary["scene"] = recording.name;
  if (!outcomes.empty()) add_identity(summary, recording.actors[0]);
  add_run(summary, recording);
  if (!outcomes.empty()) {
    for (const auto& [key, value] : outcomes[0].items()) {
      if (key != "name" && !summary.contains(key)) summary[key] = value;
    }
  } else {
    summary["completed"] = recording.diverged.empty() && reached_the_end(recording);
    summary["fell_at_s"] = summary["fall_reason"] = nullptr;
    summary["diverged"] = recording.diverged.empty() ? Json(nullptr) : Json(recording.diverged);
  }
  add_timing(summary, recording);
  if (outcomes.size() > 1) summary["actors"] = outcomes;
  summary["versions"] = {{"stunt", STUNT_VERSION}, {"mujoco", mj_versionString()}, {"ode", dODE_VERSION}};
  return summary;
}

std::string summary_text(const Json& summary) {
  std::string out;
  const auto line = [&](const std::string& label, const std::string& text) {
    out += fmt::format("{:<14} {}\n", label, text);
  };
  const auto actor_lines = [&](const Json& actor) {
    const auto text = [&](const char* key) { return actor[key].get<std::string>(); };
    line("motion", text("motion"));
    line("character", text("character"));
    const std::string preset = text("preset");
    line("controller", text("controller") + (preset.empty() ? "" : " (" + preset + ")"));
    Json outcome = actor;
    outcome["simulated_s"] = summary["simulated_s"];
    outcome["duration_s"] = summary["duration_s"];
    line("result", outcome_text(outcome));
    line("joint error", text_of(actor["joint_error_rad"]["mean"], "{:.3f} rad mean, ") +
                            text_of(actor["joint_error_rad"]["max"], "{:.2f} max"));
    line("position error",
         text_of(actor["mpjpe_m"]["global"], "{:.1f} cm, ", 100) +
             text_of(actor["mpjpe_m"]["root_relative"], "{:.1f} cm relative to the root", 100));
    line("balance error", text_of(actor["com_error_m"]["mean"], "{:.1f} cm mean, ", 100) +
                              text_of(actor["com_error_m"]["max"], "{:.1f} max", 100));
    line("roughness", text_of(actor["roughness"], "{:.2f} (1: as smooth as the actor)"));
    line("foot skate", text_of(actor["foot_skate_m_s"], "{:.1f} cm/s", 100));
    const Json& assist = actor["assist"];
    if (assist["pedestal"].get<bool>()) line("help", "the root is held on a pedestal");
    if (assist["mean_force_n"] > 0)
      line("help", text_of(assist["mean_force_n"], "{:.0f} N mean on the root"));
    if (actor["plan_us"]["count"].get<std::size_t>() > 0) {
      line("plans", fmt::format("{}, ", actor["plan_us"]["count"].get<std::size_t>()) +
                        text_of(actor["plan_us"]["mean"], "{:.0f} us mean, ") +
                        text_of(actor["plan_us"]["p99"], "{:.0f} us at the 99th percentile, ") +
                        fmt::format("{} relaxed", actor["plans_relaxed"].get<int>()));
    }
  };
  if (summary.contains("actors")) {
    for (const Json& actor : summary["actors"]) {
      line("actor", actor["name"].get<std::string>());
      actor_lines(actor);
      out += '\n';
    }
  } else if (summary.contains("motion")) {
    actor_lines(summary);
  } else {
    line("result", outcome_text(summary));
  }
  line("engine",
       fmt::format("{}, time step {:.3g} ms, seed {}", summary["engine"].get<std::string>(),
                   1e3 * summary["timestep_s"].get<double>(), summary["seed"].get<std::uint64_t>()));
  if (!summary["realtime_factor"].is_null()) {
    line("speed", text_of(summary["realtime_factor"], "{:.1f} times real time; per step ") +
                      text_of(summary["controller_us_per_step"], "{:.0f} us controller, ") +
                      text_of(summary["engine_us_per_step"], "{:.0f} us engine"));
  }
  return out;
}

}  // namespace stunt
