#include "stunt/report/files/benchmark_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stunt/report/files/summary.h"

namespace stunt {
namespace {

struct Totals {
  int completed = 0;
  std::optional<double> realtime_factor;  // median
};

Totals totals_of(const std::vector<BenchmarkRow>& rows) {
  Totals totals;
  std::vector<double> factors;
  for (const BenchmarkRow& row : rows) {
    if (!row.error.empty()) continue;
    totals.completed += row.summary.completed;
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
          {"total", rows.size()},
          {"realtime_factor", {{"median", median}}},
          {"settings", settings}};
}

std::string benchmark_text(const std::vector<BenchmarkRow>& rows, const nlohmann::ordered_json& settings) {
  std::string out = fmt::format("{:<24} {:>6} {:>5} {:>7} {:>7} {:>8} {:>6} {:>7}  {}\n", "motion", "s",
                                "done", "fell s", "err deg", "mpjpe cm", "rough", "x real", "reason");
  for (const BenchmarkRow& row : rows) {
    if (!row.error.empty()) {
      out += fmt::format("{:<24} {}\n", row.motion, row.error);
      continue;
    }
    const RunSummary& run = row.summary;
    const ActorSummary& actor = run.actors.at(0);
    out += fmt::format("{:<24} {:6.2f} {:>5} {:>7} {:7.2f} {:8.2f} {:6.2f} {:7.1f}  {}\n", row.motion,
                       run.duration_s, run.completed ? "yes" : "no",
                       actor.fell_at_s ? fmt::format("{:.2f}", *actor.fell_at_s) : "",
                       57.29578 * actor.score.joint_error_rad.mean, 100 * actor.score.mpjpe_root_relative_m,
                       actor.score.roughness, run.realtime_factor.value_or(NAN),
                       run.diverged.empty() ? actor.fall_reason : run.diverged);
  }
  const Totals totals = totals_of(rows);
  out += fmt::format("completed {} of {}; real-time factor (median) {:.1f}\n", totals.completed, rows.size(),
                     totals.realtime_factor.value_or(0));
  return out + fmt::format("settings: {}\n", settings.dump());
}

}  // namespace stunt
