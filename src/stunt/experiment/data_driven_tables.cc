#include "stunt/experiment/data_driven_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <map>

#include "stunt/optimize/optimization.h"

namespace stunt {
namespace {

constexpr double kSecondsPerMinute = 60;
constexpr int kReuseSeeds = 5, kReusePasses = 4;
constexpr double kReuseReward = 1.8;

struct PaperRow {
  double generations, minutes, push, object;  // 1, min, N, kg
};
const std::map<std::string, PaperRow> kTable63 = {
    {"stand", {7, 3, 100, 1.75}},   {"arm", {2, 1, 180, 3}},      {"wave", {2, 1, 180, 4}},
    {"squat", {27, 16, 100, 3.25}}, {"bow", {37, 17, 100, 3}},    {"hips", {33, 28, 120, 2.25}},
    {"single", {62, 36, 80, 3}},    {"kick", {61, 34, 80, 1.25}}, {"side", {307, 274, 80, 0.75}},
    {"dance", {600, 329, 100, 2}}};

ProblemSpec problem_for(const DataDrivenTask& task, const std::string& name, const std::string& motion) {
  const bool dance = motion == "dance";
  std::vector<std::string> keys = {
      "engine=" + task.setup.engine, "actors.0.character=" + task.setup.character,
      "actors.0.motion.source=" + motion, "actors.0.controller.preset=" + task.setup.preset,
      fmt::format("actors.0.motion.cleanup.low_pass_hz={}", dance ? 2 : 3)};
  if (task.setup.preset == "paper") keys.push_back("timestep=0.0003");
  keys.insert(keys.end(), task.keys.begin(), task.keys.end());
  ProblemSpec spec = load_problem(name, keys);
  if (dance) spec.objective = load_problem("data-driven-dance").objective;
  spec.raise.patience = task.generations;
  return spec;
}

Optimum search(const DataDrivenTask& task, const std::string& name, const std::string& motion) {
  const Problem problem(problem_for(task, name, motion), name);
  Journal journal({}, "");
  // A level may take all of its generations, and there is always a highest.
  const int most = problem.raises() ? 1000 * task.generations : task.generations;
  return optimize(problem, {.generations = most, .seed = task.seed}, *thread_evaluator(1), journal);
}

double withstood(const DataDrivenTask& task, const std::string& name, const std::string& motion,
                 const Optimum& found) {
  return found.level < 0 ? 0 : Problem(problem_for(task, name, motion), name).raised_to(found.level);
}

double cpu_minutes(std::clock_t since) {
  return static_cast<double>(std::clock() - since) / CLOCKS_PER_SEC / kSecondsPerMinute;
}

}  // namespace

TrialOutcome optimised(const DataDrivenTask& task, const std::string& motion) {
  const std::clock_t begun = std::clock();
  const Optimum found = search(task, "data-driven", motion);
  const double minutes = cpu_minutes(begun);
  const Optimum pushed = search(task, "data-driven-pushes", motion);
  const Optimum hit = search(task, "data-driven-objects", motion);
  TrialOutcome out;
  out.completed = found.success;
  out.reward = found.reward;
  out.simulated_s = found.simulated_s + pushed.simulated_s + hit.simulated_s;
  const PaperRow& paper = kTable63.at(motion);
  if (found.success)
    out.measured = {{"generations", static_cast<double>(found.success_generation)},
                    {"runs", static_cast<double>(found.evaluations)},
                    {"minutes of one core", minutes}};
  const std::vector<MeasuredNumber> more = {
      {"paper's generations", paper.generations},
      {"paper's minutes", paper.minutes},
      {"push (N)", withstood(task, "data-driven-pushes", motion, pushed)},
      {"of 5 seeds at that push", static_cast<double>(pushed.passes)},
      {"paper's push (N)", paper.push},
      {"object (kg)", withstood(task, "data-driven-objects", motion, hit)},
      {"of 5 seeds at that object", static_cast<double>(hit.passes)},
      {"paper's object (kg)", paper.object}};
  out.measured.insert(out.measured.end(), more.begin(), more.end());
  return out;
}

TrialOutcome reused(const DataDrivenTask& task, const std::string& motion,
                    const std::vector<std::string>& motions) {
  const Optimum pushed = search(task, "data-driven-pushes", motion);
  TrialOutcome out;
  out.simulated_s = pushed.simulated_s;
  double crosses = 0;
  for (const std::string& other : motions) {
    if (other == "dance") continue;
    const Problem problem(problem_for(task, "data-driven", other), "data-driven");
    int passes = 0;
    for (int seed = 0; seed < kReuseSeeds; ++seed) {
      const Judgement judgement =
          problem.judge(pushed.x, task.seed + 1000 + static_cast<std::uint64_t>(seed));
      passes += judgement.reward >= kReuseReward;
      out.simulated_s += judgement.lasted_s;
    }
    crosses += passes >= kReusePasses;
    out.measured.push_back({other, static_cast<double>(passes)});
  }
  out.measured.insert(out.measured.begin(), {"crosses of 9", crosses});
  out.completed = crosses > 0;
  return out;
}

}  // namespace stunt
