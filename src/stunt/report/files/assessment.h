// The verdict on a motion or a run, for people and for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "stunt/assess/injury/injury.h"
#include "stunt/assess/realism/realism_summary.h"

namespace stunt {

// docs/realism.md describes the fields; null where nothing was judged.
nlohmann::ordered_json realism_json(const RealismSummary& realism);
// docs/injury.md; null where it was not measured.
nlohmann::ordered_json injury_json(const Injury& injury);

}  // namespace stunt
