// The search for numbers with which a body falls well (control/fall/fall.h): CMA-ES over falls that all begin alike.
#pragma once

#include <functional>
#include <optional>

#include "stunt/control/fall/fall.h"
#include "stunt/optimize/evaluator.h"
#include "stunt/optimize/falls.h"

namespace stunt {

struct FallSearchOptions {
  int population = 16, generations = 60;
  int batch = 24;                     // falls that a generation is judged by, drawn anew for each
  std::optional<double> budget = {};  // s; looked at between generations
  std::uint64_t seed = 1;
  double spread = 1;  // factor on the spreads
};

struct FallGeneration {
  int number = 0;
  double seconds = 0;
  double best = 0, middle = 0;  // cost of its best and of the mean of the distribution
  double sigma = 0;
};

// What a fall costs against the same fall limp: log of the ratio of D_AVG, and a part for the head, so that it is not spent
// on the rest.
double fall_cost(const Injury& injury, const Injury& limp);

// The middle of the distribution at the end: one lucky try is none. `starts` are used one after the other by the processes
// of the evaluator; it must not be one of threads. `watch` returns false to stop.
FallSettings find_fall(const FallSettings& start, std::vector<Toppled>& starts, const FallsSpec& falls,
                       const FallSearchOptions& options, Evaluator& evaluator,
                       const std::function<bool(const FallGeneration&, const FallSettings&)>& watch = {});

}  // namespace stunt
