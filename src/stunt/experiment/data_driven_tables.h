// Tables 6.3 and 6.4 of Geijtenbeek 2013: what optimisation makes of the controller `jacobian_transpose`.
#pragma once

#include <string>
#include <vector>

#include "stunt/experiment/experiment.h"

namespace stunt {

struct DataDrivenTask {
  Setup setup;
  std::vector<std::string> keys;  // of every scene
  std::uint64_t seed;
  int generations;  // without success, then an optimisation ends
};

// A row of table 6.3: generations to success, then the largest push and object that are withstood while the search goes on.
// Measured beside them: the paper's.
TrialOutcome optimised(const DataDrivenTask& task, const std::string& motion);

// A row of table 6.4: numbers optimised for `motion` at its largest push, tried on all of `motions` but dance.
TrialOutcome reused(const DataDrivenTask& task, const std::string& motion,
                    const std::vector<std::string>& motions);

}  // namespace stunt
