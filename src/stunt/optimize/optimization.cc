#include "stunt/optimize/optimization.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "stunt/core/error.h"
#include "stunt/core/random.h"

namespace stunt {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint64_t kTestSeeds = 0x7465737473;  // apart from those of the search
constexpr std::uint64_t kClimbSeeds = 0x636c696d62;

struct RunOrder {
  VecX x;
  std::uint64_t seed;
  int level;
};

std::uint64_t seed_of(std::uint64_t seed, std::uint64_t generation, std::uint64_t point,
                      std::uint64_t repeat) {
  Random chain(seed);
  for (const std::uint64_t part : {generation, point, repeat}) chain = Random(chain.next() ^ part);
  return chain.next();
}

class SearchRun {
 public:
  SearchRun(const Problem& problem, const OptimizationOptions& options, Evaluator& evaluator,
            Journal& journal, const OptimizationWatch& watch)
      : problem_(problem),
        options_(options),
        evaluator_(evaluator),
        journal_(journal),
        watch_(watch),
        cma_(problem.space(), {.seed = options.seed,
                               .population = problem.spec().population,
                               .separable = problem.spec().separable,
                               .noisy = problem.spec().noisy,
                               .most_repeats = problem.spec().most_repeats}) {
    out_.x = problem.space().mean;
    out_.reward = kNoNumber;
  }

  Optimum run() {
    const auto start = std::chrono::steady_clock::now();
    while (out_.why.empty()) {
      if (problem_.raises()) climb();
      generation();
      const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      if (problem_.raises() && failures_ >= problem_.spec().raise.patience) {
        out_.why = fmt::format("{} generations without success", failures_);
      } else if (out_.success && !options_.to_the_end) {
        out_.why = "success";
      } else if (static_cast<int>(out_.history.size()) >= options_.generations) {
        out_.why = "all generations are done";
      } else if (options_.budget && spent >= *options_.budget) {
        out_.why = "the time is up";
      } else if (const std::string stopped = cma_.stopped(); !stopped.empty()) {
        if (cma_.restarts() < problem_.spec().restarts) {
          cma_.restart();
        } else {
          out_.why = stopped;
        }
      }
    }
    if (!tested_) test(out_.x, false);  // for the report; a run that goes on later does without
    return std::move(out_);
  }

 private:
  // As high as the best numbers so far go.
  void climb() {
    for (;;) {
      const std::uint64_t seed =
          seed_of(options_.seed ^ kClimbSeeds, out_.history.size(), static_cast<std::uint64_t>(level_), 0);
      const Batch batch = run_all({{out_.x, seed, level_}});
      const RunOutcome& run = batch.front();
      if (!run.error.empty() || run.judgement.reward < problem_.spec().success.reward) return;
      raise(out_.x, run.judgement.reward);
    }
  }

  void raise(const VecX& x, double reward) {
    out_.x = x;
    out_.reward = reward;
    out_.level = level_++;
    failures_ = 0;
  }

  void generation() {
    const MatX points = cma_.ask();
    const int repeats = cma_.repeats();
    std::vector<RunOrder> orders;
    const auto order = [&](int k, int first_repeat) {
      for (int r = 0; r < repeats; ++r) {
        orders.push_back({points.col(k),
                          seed_of(options_.seed, out_.history.size(), static_cast<std::uint64_t>(k),
                                  static_cast<std::uint64_t>(first_repeat + r)),
                          level_});
      }
    };
    for (int k = 0; k < points.cols(); ++k) order(k, 0);
    for (const int k : cma_.again()) order(k, repeats);
    const Batch batch = run_all(orders);

    const auto cost = [&](int job) {  // mean over its repeats
      double sum = 0;
      for (int r = 0; r < repeats; ++r) {
        const RunOutcome& run = batch[static_cast<std::size_t>(job * repeats + r)];
        sum += run.error.empty() ? -run.judgement.reward : kNoNumber;
      }
      return sum / repeats;
    };
    VecX costs(points.cols()), again(static_cast<Eigen::Index>(cma_.again().size()));
    for (int k = 0; k < costs.size(); ++k) costs[k] = cost(k);
    for (int i = 0; i < again.size(); ++i) again[i] = cost(static_cast<int>(costs.size()) + i);
    cma_.tell(costs, problem_.spec().noisy ? again : VecX());
    choose_best(points, costs);
    note(costs);
  }

  void choose_best(const MatX& points, const VecX& costs) {
    int best = -1;
    for (int k = 0; k < costs.size(); ++k) {
      if (!std::isnan(costs[k]) && (best < 0 || costs[k] < costs[best])) best = k;
    }
    if (best < 0) return;
    const double reward = -costs[best];
    if (problem_.raises()) {
      ++failures_;
      if (reward >= problem_.spec().success.reward) {
        raise(points.col(best), reward);
      } else if (out_.level < 0 && (std::isnan(out_.reward) || reward > out_.reward)) {
        out_.x = points.col(best);
        out_.reward = reward;
      }
      return;
    }
    if (reward >= problem_.spec().success.reward && (!out_.success || options_.to_the_end)) {
      test(points.col(best));
    } else if (!tested_ && (std::isnan(out_.reward) || reward > out_.reward)) {
      out_.x = points.col(best);
      out_.reward = reward;
    }
  }

  // Runs with seeds that the search never sees, the same for every candidate.
  void test(const VecX& x, bool keep = true) {
    const SuccessSpec& success = problem_.spec().success;
    std::vector<RunOrder> orders;
    for (int i = 0; i < success.tests; ++i)
      orders.push_back({x, seed_of(options_.seed ^ kTestSeeds, 0, 0, static_cast<std::uint64_t>(i)),
                        std::max(0, out_.level)});
    const Batch batch = run_all(orders, keep);
    double sum = 0;
    int passes = 0;
    for (const RunOutcome& run : batch) {
      sum += run.error.empty() ? run.judgement.reward : 0;
      passes += run.error.empty() && run.judgement.reward >= success.reward;
    }
    const double mean = sum / success.tests;
    if (tested_ && !(mean > out_.reward)) return;
    tested_ = true;
    out_.x = x;
    out_.reward = mean;
    out_.passes = passes;
    if (passes >= success.passes && !out_.success) {
      out_.success = true;
      out_.success_generation = static_cast<int>(out_.history.size()) + 1;
    }
  }

  void note(VecX costs) {
    Generation row;
    row.number = static_cast<int>(out_.history.size()) + 1;
    row.evaluations = out_.evaluations;
    std::vector<double> rewards;
    for (const double cost : costs) {
      if (!std::isnan(cost)) rewards.push_back(-cost);
    }
    std::sort(rewards.begin(), rewards.end());
    row.best = rewards.empty() ? kNoNumber : rewards.back();
    row.median = rewards.empty() ? kNoNumber : rewards[rewards.size() / 2];
    row.best_so_far = out_.reward;
    row.sigma = cma_.sigma();
    row.broken = out_.broken;
    row.simulated_s = out_.simulated_s;
    row.success = out_.success;
    row.raised_to = problem_.raised_to(level_);
    row.mean = cma_.mean();
    out_.history.push_back(row);
    journal_.save();
    if (watch_.generation) watch_.generation(row, out_.x);
  }

  Batch run_all(const std::vector<RunOrder>& orders, bool keep = true) {
    const int count = static_cast<int>(orders.size());
    Batch batch;
    if (const Batch* known = keep ? journal_.next() : nullptr) {
      batch = *known;
      if (batch.size() != orders.size())
        throw InputError(journal_.path().string(), fmt::format("{} runs in a batch", batch.size()),
                         fmt::format("{}: the same seed as then", count));
    } else {
      const std::function<bool(int)> progress = watch_.progress
                                                    ? [&](int done) { return watch_.progress(done, count); }
                                                    : std::function<bool(int)>();
      std::vector<std::string> tasks;
      for (const RunOrder& order : orders) tasks.push_back(Problem::task(order.x, order.seed, order.level));
      const auto outcomes = evaluator_.evaluate_tasks(
          tasks, [&](const std::string& task) { return problem_.judge_task(task); }, progress);
      for (const Evaluator::Outcome& outcome : outcomes) {
        RunOutcome run;
        run.error = outcome.error;
        if (run.error.empty()) read_settings(Config::parse(outcome.result, "result"), run.judgement);
        batch.push_back(std::move(run));
      }
      if (keep) journal_.add(batch);
    }
    for (const RunOutcome& run : batch) {
      ++out_.evaluations;
      out_.simulated_s += run.judgement.lasted_s;
      if (run.error.empty()) continue;
      ++out_.broken;
      out_.last_error = run.error;
    }
    return batch;
  }

  const Problem& problem_;
  const OptimizationOptions& options_;
  Evaluator& evaluator_;
  Journal& journal_;
  const OptimizationWatch& watch_;
  CmaEs cma_;
  Optimum out_;
  bool tested_ = false;  // out_ was
  int level_ = 0;        // that is worked on
  int failures_ = 0;     // generations without success at it
};

}  // namespace

Optimum optimize(const Problem& problem, const OptimizationOptions& options, Evaluator& evaluator,
                 Journal& journal, const OptimizationWatch& watch) {
  return SearchRun(problem, options, evaluator, journal, watch).run();
}

std::string history_csv(const Problem& problem, const std::vector<Generation>& history) {
  std::string csv = "generation,evaluations,best,median,best_so_far,sigma,broken,simulated_s,success";
  if (problem.raises()) csv += "," + problem.spec().raise.setting;
  for (const Movable& one : problem.movables()) csv += "," + one.name;
  csv += "\n";
  for (const Generation& row : history) {
    csv += fmt::format("{},{},{},{},{},{},{},{},{}", row.number, row.evaluations, row.best, row.median,
                       row.best_so_far, row.sigma, row.broken, row.simulated_s, row.success ? 1 : 0);
    if (problem.raises()) csv += fmt::format(",{}", row.raised_to);
    for (const double value : row.mean) csv += fmt::format(",{}", value);
    csv += "\n";
  }
  return csv;
}

}  // namespace stunt
