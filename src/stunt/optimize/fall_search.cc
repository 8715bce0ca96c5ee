#include "stunt/optimize/fall_search.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>

#include "stunt/core/number_settings.h"
#include "stunt/solve/cma_es.h"

namespace stunt {
namespace {

struct CostRow {
  double cost = 0;
};
void describe(Fields& fields, CostRow& row) { fields("cost", row.cost); }

// How far the first tries go. Not in the settings' own description: a scene that is optimised as a whole is not to learn how
// to fall as well. 0: it stays as it is.
double first_spread(const NumberSetting& number) {
  if (number.name == "limp_damping") return 0;
  if (number.about.unit == "deg") return 25;
  if (number.about.unit == "s") return 0.15;
  if (number.name == "arms_yield") return 0.3;
  return 0.4 * std::max(number.value, 0.01 * number.about.bounds.high);
}

constexpr double kHeadPart = 0.25;   // of the head in the cost
constexpr double kHarmlessHic = 20;  // below it a head is not hurt at all

}  // namespace

double fall_cost(const Injury& injury, const Injury& limp) {
  const double all = std::log((injury.d_avg + 1e-3) / (limp.d_avg + 1e-3));
  const double head = std::log((injury.hic + kHarmlessHic) / (limp.hic + kHarmlessHic));
  return std::clamp(all, -2.0, 2.0) + kHeadPart * std::clamp(head, -1.0, 2.0);
}

FallSettings find_fall(const FallSettings& start, std::vector<Toppled>& starts, const FallsSpec& falls,
                       const FallSearchOptions& options, Evaluator& evaluator,
                       const std::function<bool(const FallGeneration&, const FallSettings&)>& watch) {
  const auto began = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  };
  std::vector<NumberSetting> numbers = list_numbers(start);
  std::erase_if(numbers, [](const NumberSetting& number) { return first_spread(number) == 0; });
  const auto n = static_cast<Eigen::Index>(numbers.size());
  CmaSpace space{VecX(n), VecX(n), VecX(n), VecX(n)};
  for (Eigen::Index i = 0; i < n; ++i) {
    const NumberSetting& number = numbers[static_cast<std::size_t>(i)];
    space.mean[i] = number.value;
    space.spread[i] = options.spread * first_spread(number);
    space.lower[i] = number.about.bounds.low;
    space.upper[i] = number.about.bounds.high;
  }
  const auto settings_at = [&](const VecX& x) {
    std::map<std::string, double> values;
    for (Eigen::Index i = 0; i < n; ++i) values[numbers[static_cast<std::size_t>(i)].name] = x[i];
    FallSettings settings = start;
    set_numbers(settings, values);
    return settings;
  };

  const auto limp = evaluate<ToppledOutcome>(evaluator, static_cast<int>(starts.size()), [&](int i) {
    return fall_from(starts[static_cast<std::size_t>(i)], {.how = "limp"}, falls);
  });
  CmaEs search(space, {.seed = options.seed, .population = options.population});
  Random draws(options.seed ^ 0x66616c6c);
  for (int generation = 1; generation <= options.generations && search.stopped().empty(); ++generation) {
    if (options.budget && elapsed() > *options.budget) break;
    std::vector<std::size_t> batch;
    for (int i = 0; i < options.batch; ++i) batch.push_back(draws.next() % starts.size());
    const MatX points = search.ask();
    const auto tried = evaluate<CostRow>(evaluator, static_cast<int>(points.cols()) + 1, [&](int k) {
      FallingSpec how{.how = "protect"};
      how.protect = settings_at(k < points.cols() ? VecX(points.col(k)) : search.mean());
      CostRow row;
      for (const std::size_t i : batch) {
        const ToppledOutcome outcome = fall_from(starts[i], how, falls);
        row.cost += (outcome.diverged ? 2 : fall_cost(outcome.standard, limp[i].value.standard)) /
                    static_cast<double>(batch.size());
      }
      return row;
    });
    VecX costs(points.cols());
    for (Eigen::Index k = 0; k < points.cols(); ++k) {
      const auto& one = tried[static_cast<std::size_t>(k)];
      costs[k] = one.error.empty() ? one.value.cost : std::numeric_limits<double>::quiet_NaN();
    }
    FallGeneration row{generation, 0, costs.minCoeff(), tried.back().value.cost, 0};
    search.tell(costs);
    row.seconds = elapsed();
    row.sigma = search.sigma();
    if (watch && !watch(row, settings_at(search.mean()))) break;
  }
  return settings_at(search.mean());
}

}  // namespace stunt
