// The planner of the default preset against ProxQP on the same plans, recorded from the built-in walk and
// squat, in one run; and ProxQP on the plans of the preset `paper`. The planner's time is that of dynamics,
// building and solving, ProxQP's of solving alone; `ratio` is ProxQP's mean over the planner's. What this
// does not prove: anything about plans of other motions, or about a solver that is told more of the problem's
// structure than ProxQP.
#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>

#include <benchmark/benchmark.h>

#include "recorded_plans.h"
#include "stunt/control/mcsim/mcsim_paper.h"

namespace stunt {
namespace {

constexpr double kSeconds = 3;

struct Times {
  std::vector<double> us;
  double mean() const { return std::accumulate(us.begin(), us.end(), 0.0) / static_cast<double>(us.size()); }
  double p99() {
    std::sort(us.begin(), us.end());
    return us[static_cast<std::size_t>(0.99 * static_cast<double>(us.size() - 1))];
  }
};

void report(benchmark::State& state, const std::string& name, Times& times) {
  state.counters[name + "_us"] = times.mean();
  state.counters[name + "_p99_us"] = times.p99();
}

// The quickest of three: a busy machine interrupts some for milliseconds.
template <class Solve>
double microseconds(Solve solve) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 3; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    solve();
    best = std::min(
        best, std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

void default_plans(benchmark::State& state, const char* motion) {
  const RecordedPlans recorded = record_plans(motion, kSeconds);
  ActorDynamics dynamics(recorded.actor);
  Planner planner(*recorded.actor);
  const auto prox = make_proxqp_solver();
  Times own_times, prox_times;
  for (auto _ : state) {
    for (const RecordedPlan& plan : recorded.plans) {
      own_times.us.push_back(microseconds([&] {
        dynamics.set_state(plan.q, plan.v);
        planner.solve(dynamics, plan.targets, plan.contacts);
      }));
      const DensePlan dense(dynamics, plan.targets, plan.contacts);
      prox_times.us.push_back(microseconds([&] {
        const QpStatus status = prox->solve(dense.problem()).status;
        if (status != QpStatus::solved) state.SkipWithError(to_string(status).c_str());
      }));
    }
  }
  state.counters["plans"] = static_cast<double>(recorded.plans.size());
  state.counters["ratio"] = prox_times.mean() / own_times.mean();
  report(state, "planner", own_times);
  report(state, "proxqp", prox_times);
}

void paper_plans(benchmark::State& state, const char* motion, const char* character) {
  Times times, variables;
  const auto prox = make_proxqp_solver();
  const auto note = [&](const McSimPaperController& tracker, const VecX&, const VecX&) {
    times.us.push_back(microseconds([&] { prox->solve(tracker.planner().problem()); }));
    variables.us.push_back(tracker.planner().problem().variables());
  };
  for (auto _ : state) {
    watch_plans<McSimPaperController>(motion, "type: mcsim, preset: paper", kSeconds, note, character);
  }
  state.counters["plans"] = static_cast<double>(times.us.size());
  state.counters["variables"] = variables.mean();
  report(state, "proxqp", times);
}

BENCHMARK_CAPTURE(default_plans, walk, "walk")->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(default_plans, squat, "squat")->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(paper_plans, mcsim2d_walk, "walk", "mcsim2d")->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(paper_plans, mcsim3d_squat, "squat", "mcsim3d")
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace stunt
