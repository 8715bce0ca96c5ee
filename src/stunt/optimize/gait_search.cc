#include "stunt/optimize/gait_search.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "stunt/solve/cma_es.h"

namespace stunt {
namespace {

constexpr double kFaster = 1.1;    // by which the wanted speed grows
constexpr double kKeepsUp = 0.15;  // speed error of who keeps up with it

}  // namespace

double easy_speed(double leg_length) { return 0.45 * std::sqrt(9.81 * leg_length); }

std::vector<GaitPhase> gait_phases() {
  GaitPhase find{"find", "a walk within the thresholds, on level ground with friction 10", {}};
  find.options.task.friction = 10;
  GaitPhase robust{
      "robust", "pushes of 75 N and slopes of 4 degrees, drawn anew, friction 1; long soft steps", {}};
  robust.options.task.push = 75;
  robust.options.task.slope_deg = 4;
  robust.options.task.effort = 1;
  robust.options.task.impact = 4;
  robust.options.task.stride = 10;
  robust.options.task.soft_thresholds = true;
  robust.options.robust = true;
  robust.options.generations = 80;
  robust.options.spread = 0.5;
  GaitPhase economy{"economy", "the same, milder, and less effort and softer landings", {}};
  economy.options = robust.options;
  economy.options.task.push = 50;
  economy.options.task.slope_deg = 3;
  economy.options.task.effort = 2;
  economy.options.task.impact = 5;
  economy.options.generations = 120;
  return {find, robust, economy};
}

FoundGait find_gait(const MuscleGaitSettings& start, const GaitSearchOptions& options, Evaluator& evaluator,
                    const std::function<bool(const GaitGeneration&, const FoundGait& best)>& watch) {
  const auto began = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  };
  const CreaturePtr creature = Creature::load(start.creature);
  const GaitTrial trial(creature, options.task);
  std::vector<Parameter> parameters = gait_parameters(*creature);
  if (!options.routing) {
    std::erase_if(parameters,
                  [](const Parameter& one) { return one.name.find(".point") != std::string::npos; });
  }
  const auto n = static_cast<Eigen::Index>(parameters.size());
  CmaSpace space{VecX(n), VecX(n), VecX(n), VecX(n)};
  for (Eigen::Index i = 0; i < n; ++i) {
    const Parameter& parameter = parameters[static_cast<std::size_t>(i)];
    const auto given = start.parameters.find(parameter.name);
    const double mean = given == start.parameters.end() ? parameter.mean : given->second;
    space.mean[i] = std::clamp(mean, parameter.low, parameter.high);
    space.spread[i] = options.spread * parameter.spread;
    space.lower[i] = parameter.low;
    space.upper[i] = parameter.high;
  }
  double speed = std::min(options.first_speed.value_or(start.speed), start.speed);
  const auto settings_at = [&](const VecX& x) {
    MuscleGaitSettings settings = start;
    settings.speed = speed;
    for (Eigen::Index i = 0; i < n; ++i)
      settings.parameters[parameters[static_cast<std::size_t>(i)].name] = x[i];
    return settings;
  };
  CmaEs search(space, {.seed = options.seed, .population = options.population, .separable = true});

  FoundGait found;
  found.settings = settings_at(space.mean);
  found.verdict.cost = std::numeric_limits<double>::infinity();
  Random draws(options.seed ^ 0x67616974);
  for (int generation = 1; generation <= options.generations && search.stopped().empty(); ++generation) {
    if (options.budget && elapsed() > *options.budget) break;
    const std::uint64_t draw = options.robust ? draws.next() : options.seed;
    const MatX points = search.ask();
    const int extra = options.robust ? 1 : 0;  // the middle is tried too
    const auto tried = evaluate<GaitVerdict>(evaluator, static_cast<int>(points.cols()) + extra, [&](int i) {
      return trial.run(settings_at(i < points.cols() ? VecX(points.col(i)) : search.mean()), draw);
    });
    VecX costs(points.cols());
    GaitGeneration row;
    row.number = generation;
    row.speed = speed;
    row.best.cost = std::numeric_limits<double>::infinity();
    for (Eigen::Index i = 0; i < points.cols(); ++i) {
      const auto& one = tried[static_cast<std::size_t>(i)];
      costs[i] = one.error.empty() ? one.value.cost : std::numeric_limits<double>::quiet_NaN();
      if (!one.error.empty() || one.value.cost >= row.best.cost) continue;
      row.best = one.value;
      if (!options.robust && one.value.cost < found.verdict.cost) {
        found.verdict = one.value;
        found.settings = settings_at(points.col(i));
      }
    }
    if (options.robust) {
      found.verdict = tried.back().value;
      found.settings = settings_at(search.mean());
    }
    search.tell(costs);
    found.generations = generation;
    found.tries += points.cols();
    found.seconds = row.seconds = elapsed();
    row.sigma = search.sigma();
    if (row.best.within && found.success_generation == 0 && speed == start.speed) {
      found.success_generation = generation;
      found.success_seconds = row.seconds;
    }
    if (watch && !watch(row, found)) break;
    if (speed < start.speed && row.best.ended.empty() && row.best.speed < kKeepsUp) {
      speed = std::min(kFaster * speed, start.speed);
      found.verdict.cost = std::numeric_limits<double>::infinity();  // of another task
    }
    if (found.success_generation > 0 && !options.to_the_end && !options.robust) break;
  }
  return found;
}

}  // namespace stunt
