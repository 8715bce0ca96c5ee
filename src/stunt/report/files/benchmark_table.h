// Many runs as one table: what `stunt benchmark` prints.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "stunt/assess/run_summary.h"

namespace stunt {

struct BenchmarkRow {
  std::string motion;
  std::string error;  // empty, or why there is no summary
  RunSummary summary;
};

// {"clips": [...], "completed", "total", "realtime_factor": {"median"}, "settings": ...}
nlohmann::ordered_json benchmark_json(const std::vector<BenchmarkRow>& rows,
                                      const nlohmann::ordered_json& settings);
std::string benchmark_text(const std::vector<BenchmarkRow>& rows, const nlohmann::ordered_json& settings);

}  // namespace stunt
