#include "stunt/report/files/benchmark_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stunt/report/files/summary.h"

namespace stunt {
namespace {

struct Totals {
  int completed = 0, tracked = 0, fell = 0;
  std::optional<double> realtime_factor;  // median
};

Totals totals_of(const std::vector<BenchmarkRow>& rows) {
  Totals totals;
  std::vector<double> factors;
  for (const BenchmarkRow& row : rows) {
    if (!row.error.empty()) continue;
    totals.completed += row.summary.completed;
    totals.tracked += row.summary.actors.at(0).tracked;
    totals.fell += row.summary.actors.at(0).fell_at_s.has_value();
    if (row.summary.realtime_factor) factors.push_back(*row.summary.realtime_factor);
  }
  std::sort(factors.begin(), factors.end());
  if (!factors.empty()) totals.realtime_factor = factors[factors.size() / 2];
  return totals;
}

}  // namespace

nlohmann::ordered_json benchmark_json(const std::vector<BenchmarkRow>& rows,
                                      const nlohmann::ordered_json& settings) {
  const Totals totals = totals_of(rows);
  auto clips = nlohmann::ordered_json::array();
  for (const BenchmarkRow& row : rows) {
    if (row.error.empty()) {
      clips.push_back(summary_json(row.summary));
    } else {
      clips.push_back({{"motion", row.motion}, {"error", row.error}});
    }
  }
  nlohmann::ordered_json median;
  if (totals.realtime_factor) median = *totals.realtime_factor;
  return {{"clips", clips},
          {"completed", totals.completed},
          {"tracked", totals.tracked},
          {"stumbled", totals.completed - totals.tracked},
          {"fell", totals.fell},
          {"total", rows.size()},
          {"realtime_factor", {{"median", median}}},
          {"settings", settings}};
}

std::string benchmark_text(const std::vector<BenchmarkRow>& rows, const nlohmann::ordered_json& settings) {
  std::string out =
      fmt::format("{:<24} {:>6} {:<9} {:>6} {:>7} {:>8} {:>6} {:>6} {:>7}  {}\n", "motion", "s", "result",
                  "at s", "err deg", "mpjpe cm", "rough", "touch", "x real", "reason");
  for (const BenchmarkRow& row : rows) {
    if (!row.error.empty()) {
      out += fmt::format("{:<24} {}\n", row.motion, row.error);
      continue;
    }
    const RunSummary& run = row.summary;
    const ActorSummary& actor = run.actors.at(0);
    const char* result = actor.tracked           ? "tracked"
                         : !run.diverged.empty() ? "diverged"
                         : actor.fell_at_s       ? "fell"
                         : actor.stumbled_at_s   ? "stumbled"
                                                 : "lost";
    const auto when = actor.fell_at_s ? actor.fell_at_s : actor.stumbled_at_s;
    const std::string& reason = !run.diverged.empty() ? run.diverged
                                : actor.fell_at_s     ? actor.fall_reason
                                                      : actor.stumble_reason;
    out += fmt::format("{:<24} {:6.2f} {:<9} {:>6} {:7.2f} {:8.2f} {:6.2f} {:>6} {:7.1f}  {}\n", row.motion,
                       run.duration_s, result, when ? fmt::format("{:.2f}", *when) : "",
                       57.29578 * actor.score.joint_error_rad.mean, 100 * actor.score.mpjpe_root_relative_m,
                       actor.score.roughness,
                       actor.touchdown_speed_ratio ? fmt::format("{:.2f}", *actor.touchdown_speed_ratio) : "",
                       run.realtime_factor.value_or(NAN), reason);
  }
  const Totals totals = totals_of(rows);
  out += fmt::format("tracked {}, stumbled {}, fell {} of {}; real-time factor (median) {:.1f}\n",
                     totals.tracked, totals.completed - totals.tracked, totals.fell, rows.size(),
                     totals.realtime_factor.value_or(0));
  return out + fmt::format("settings: {}\n", settings.dump());
}

}  // namespace stunt
