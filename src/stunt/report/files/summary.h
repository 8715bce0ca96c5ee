// A run's summary as JSON (summary.json), and as lines for a terminal.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "stunt/assess/run_summary.h"

namespace stunt {

// The object of summary.json; docs/summary.md lists its fields. The top level is about the first actor; with
// more than one, `actors` has an object for each. What cannot be told (a fall that did not happen, a speed
// that was not timed) is null. Timings are those of this run; everything else is the same for the same seed,
// machine and build.
nlohmann::ordered_json summary_json(const RunSummary& summary);

// A few aligned lines for people.
std::string summary_text(const RunSummary& summary);

}  // namespace stunt
