// The search for a gait: muscles, their routing and the reflexes together, by CMA-ES on as many workers as there are.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "stunt/optimize/evaluator.h"
#include "stunt/optimize/gait_trial.h"

namespace stunt {

struct GaitSearchOptions {
  GaitTask task;
  int population = 20, generations = 2000;
  std::optional<double> budget = {};  // s; looked at between generations
  std::uint64_t seed = 1;
  double spread = 1;        // factor on the spreads
  bool to_the_end = false;  // goes on after the thresholds are met
  // Draws pushes and terrain anew in every generation, the same for all of it, and gives the middle of the distribution in
  // place of the best try: one lucky run is none.
  bool robust = false;
  bool routing = true;  // false: every point of a muscle stays where it is at the start
  // m/s: the search begins with this speed and wants a tenth more whenever a try keeps up with it, until it wants the speed of
  // the gait (section 7.5.2, "Speed Variation"). Absent: all of it from the start.
  std::optional<double> first_speed = {};
};

// m/s: a speed at which legs of this length walk without effort, where a search from the general guess begins.
double easy_speed(double leg_length);

// The usual way to a gait that can be shown: find one on sticky level ground, then make it stand pushes, slopes and
// slippery ground, then spare effort and landings.
struct GaitPhase {
  std::string name;  // find, robust, economy
  std::string help;
  GaitSearchOptions options;
};
std::vector<GaitPhase> gait_phases();

struct GaitGeneration {
  int number = 0;
  double seconds = 0;
  double speed = 0;  // m/s, wanted
  GaitVerdict best;  // of this generation
  double sigma = 0;
};

struct FoundGait {
  MuscleGaitSettings settings;
  GaitVerdict verdict;
  int success_generation = 0;  // the first in which all thresholds were met; 0: none
  double success_seconds = 0;
  int generations = 0;
  long tries = 0;
  double seconds = 0;
};

// `start` is where the search begins: creature, speed and parameters. `watch` returns false to stop.
FoundGait find_gait(const MuscleGaitSettings& start, const GaitSearchOptions& options, Evaluator& evaluator,
                    const std::function<bool(const GaitGeneration&, const FoundGait& best)>& watch = {});

}  // namespace stunt
