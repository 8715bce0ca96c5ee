// The page people watch: one HTML file that plays recordings, opens from disk and needs no network.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "stunt/simulate/recording.h"

namespace stunt {

struct ReportEntry {
  const Recording* recording;
  nlohmann::ordered_json summary;  // summary.json's object; null: none is shown
  std::string label;               // names it among others; empty: its scene and controller
};

// One recording, or several to compare. The page itself (web/) is linked into the library when npm was there
// at build time; without it the result is a page that says so. Throws InputError when there is nothing to
// show.
std::string html_report(const std::vector<ReportEntry>& entries);

// False when the library was built without web/.
bool html_report_available();

}  // namespace stunt
