// A page that shows how an optimisation goes, and reads itself again while it runs.
#pragma once

#include <string>
#include <vector>

#include "stunt/optimize/optimization.h"

namespace stunt {

std::string convergence_page(const std::string& name, const Problem& problem,
                             const std::vector<Generation>& history);

}  // namespace stunt
