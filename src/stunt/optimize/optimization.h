// The search for the numbers of a problem (problem.h) by CMA-ES (solve/cma_es.h), on as many workers as an Evaluator has.
// The result depends on the problem, the seed and the number of generations alone.
//
// In every generation each point is run once, with a seed of its own for all that is random in it. A run that breaks counts
// as the worst. The best of a generation that reaches `success.reward` is tested with seeds that the search never sees: the
// tests decide what is best from then on.
//
// Where the problem raises something (RaiseSpec), the best numbers so far are run at each new level first; a generation is
// spent only where they fail, and its best goes on where it reaches `success.reward`. The tests are done at the end, at the
// highest level that was withstood.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "stunt/optimize/evaluator.h"
#include "stunt/optimize/journal.h"
#include "stunt/optimize/problem.h"

namespace stunt {

struct OptimizationOptions {
  int generations = 50;
  std::optional<double> budget = {};  // s; looked at between generations
  std::uint64_t seed = 1;
  bool to_the_end = false;  // goes on after success
};

// One row of the history.
struct Generation {
  int number = 0;        // from 1
  long evaluations = 0;  // runs so far, tests included
  double best = 0;       // reward of its best run; NaN where all broke
  double median = 0;
  double best_so_far = 0;
  double sigma = 0;        // of the distribution, as a part of the first spreads
  int broken = 0;          // runs without a judgement so far
  double simulated_s = 0;  // so far
  bool success = false;
  double raised_to = 0;  // the level that is worked on
  VecX mean;             // of the distribution
};

struct Optimum {
  VecX x;             // the best numbers
  double reward = 0;  // mean of its tests
  int passes = 0;     // of its tests
  bool success = false;
  int success_generation = 0;  // 0: none
  int level = -1;              // the highest that was withstood, where the problem raises something; -1: none
  std::vector<Generation> history;
  std::string why;         // it ended
  std::string last_error;  // of a run that broke
  long evaluations = 0;
  int broken = 0;
  double simulated_s = 0;
};

struct OptimizationWatch {
  // After every generation, with the best numbers so far.
  std::function<void(const Generation&, const VecX& best)> generation = {};
  // While runs are done; false: stop now. What was finished is in the journal.
  std::function<bool(int done, int total)> progress = {};
};

// `journal`: batches it still has are taken from it, the rest is run and added. It is saved after every generation.
// Throws RunError when `progress` stops it.
Optimum optimize(const Problem& problem, const OptimizationOptions& options, Evaluator& evaluator,
                 Journal& journal, const OptimizationWatch& watch = {});

// The history as CSV: one line per generation.
std::string history_csv(const Problem& problem, const std::vector<Generation>& history);

}  // namespace stunt
