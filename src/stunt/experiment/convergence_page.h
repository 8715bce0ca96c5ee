// Pages to watch an optimisation by while it runs.
#pragma once

#include <string>
#include <vector>

#include "stunt/optimize/optimization.h"

namespace stunt {

// Rewards, spread and the numbers' paths; reads itself again. `motion`: how often the best motion was written so far.
std::string convergence_page(const std::string& name, const Problem& problem,
                             const std::vector<Generation>& history, int motion);

// Both side by side: convergence.html, and the best motion so far, best.html, which is shown anew when there is another.
std::string optimization_page(const std::string& name);

}  // namespace stunt
