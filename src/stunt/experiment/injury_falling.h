// Falling well, limp and stiff, compared over the same hundred falls of tracked motions that were pushed over.
#pragma once

#include "stunt/experiment/experiment.h"

namespace stunt {

// Adds the parts `protect` (what came of it, by way of falling) and `protect_falls` (one row for each fall).
void add_falling_well(Study& study, const ExperimentOptions& options, const std::vector<std::string>& engines,
                      const std::function<bool(double)>& progress);

}  // namespace stunt
