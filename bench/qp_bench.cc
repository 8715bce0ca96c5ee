// Our box QP solver against ProxQP on the same sequences of plan-like problems, in one run. The counter
// `proxqp_ratio` is ProxQP's time over ours. What this does not prove: anything about problems with rows or
// equalities, or about plans whose contacts change more often than here.
#include <algorithm>
#include <memory>
#include <vector>

#include <benchmark/benchmark.h>

#include "qp_problems.h"
#include "stunt/solve/box_qp.h"

namespace stunt {
namespace {

constexpr int kSteps = 50;

struct Sequence {
  std::vector<BoxProblem> problems;
  std::vector<VecX> guesses;  // the solutions one step earlier
};

// Walks 2 % per step. n = torques + 4 per contact.
const Sequence& sequence_of(int n) {
  static std::vector<std::pair<int, Sequence>> made;
  for (const auto& [size, sequence] : made) {
    if (size == n) return sequence;
  }
  const int contacts = n <= 36 ? 2 : n <= 44 ? 4 : n <= 52 ? 6 : n <= 68 ? 8 : n <= 100 ? 16 : 28;
  PlanSequence walk(9, n - 4 * contacts, contacts, 0.02, false);
  BoxQpSolver solver;
  Sequence sequence;
  VecX last = solver.solve(walk.problem()).x;
  for (int step = 0; step < kSteps; ++step) {
    walk.next();
    sequence.problems.push_back({walk.H, walk.g, walk.lower, walk.upper});
    sequence.guesses.push_back(walk.guess(last));
    last = solver.solve(walk.problem()).x;
  }
  made.emplace_back(n, std::move(sequence));
  return made.back().second;
}

double microseconds_per_solve(QpSolver& solver, const Sequence& sequence, bool warm, benchmark::State& state,
                              double& iterations) {
  std::vector<double> times;
  for (std::size_t k = 0; k < sequence.problems.size(); ++k) {
    const QpResult& result =
        solver.solve(sequence.problems[k].problem(), warm ? &sequence.guesses[k] : nullptr);
    if (result.status != QpStatus::solved) state.SkipWithError(to_string(result.status).c_str());
    times.push_back(result.microseconds);
    iterations += result.iterations;
  }
  // The median of a round: a busy machine interrupts some solves for milliseconds.
  std::nth_element(times.begin(), times.begin() + kSteps / 2, times.end());
  return times[kSteps / 2];
}

void compare(benchmark::State& state, bool warm) {
  const Sequence& sequence = sequence_of(static_cast<int>(state.range(0)));
  BoxQpSolver own;
  const auto prox = make_proxqp_solver();
  double own_us = 0.0, prox_us = 0.0, iterations = 0.0, ignored = 0.0;
  for (auto _ : state) {
    own_us += microseconds_per_solve(own, sequence, warm, state, iterations);
    prox_us += microseconds_per_solve(*prox, sequence, warm, state, ignored);
  }
  const auto rounds = static_cast<double>(state.iterations());
  state.counters["box_us"] = own_us / rounds;
  state.counters["proxqp_us"] = prox_us / rounds;
  state.counters["proxqp_ratio"] = prox_us / own_us;
  state.counters["box_factorisations"] = iterations / (rounds * kSteps);
}

void box_qp_against_proxqp_warm(benchmark::State& state) { compare(state, true); }
void box_qp_against_proxqp_cold(benchmark::State& state) { compare(state, false); }

BENCHMARK(box_qp_against_proxqp_warm)
    ->Arg(36)
    ->Arg(44)
    ->Arg(52)
    ->Arg(68)
    ->Arg(100)
    ->Arg(150)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(box_qp_against_proxqp_cold)
    ->Arg(36)
    ->Arg(44)
    ->Arg(52)
    ->Arg(68)
    ->Arg(100)
    ->Arg(150)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace stunt
