// How realistic a character's motion is from moment to moment, and what its muscles do: for the page.
#pragma once

#include <span>

#include "stunt/report/page/page_data.h"

namespace stunt {

// A little above the largest mean of captured walks: kappa 0.023, lambda 0.0016 (docs/realism.md).
constexpr double kWalkingKappa = 0.03, kWalkingLambda = 0.003;

// Adds the columns realism and muscle_use of what was simulated and of its reference (assess/realism), and the muscles
// themselves to `actor`, the character's part of the head. A character that muscles move has those, with what was recorded
// of them. Muscles
// of a run that is longer than a minute are left out. Nothing where neither can be told: a root that is fixed, a single
// sample, a run that diverged; nor of the fifth character and those after it.
void add_verdict(const Recording& run, std::size_t a, std::span<const int> samples, ColumnWriter& columns,
                 nlohmann::ordered_json& actor);

}  // namespace stunt
