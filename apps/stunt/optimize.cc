// stunt optimize: the numbers of a scene that make a character do best.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "commands.h"
#include "console.h"
#include "rehearse_options.h"
#include "stunt/core/error.h"
#include "stunt/core/files.h"
#include "stunt/experiment/convergence_page.h"
#include "stunt/optimize/learned_set.h"
#include "stunt/optimize/mpi_workers.h"
#include "stunt/optimize/optimization.h"
#include "stunt/report/page/html_report.h"
#include "stunt/simulate/run_scene.h"

namespace stunt {
namespace {

constexpr double kMotionPause = 20;  // of the time that showing the best motion took, until it is shown again

struct OptimizeOptions {
  std::string problem, out;
  std::optional<std::string> motion, engine, preset;
  std::optional<int> population;
  std::optional<double> duration;
  std::vector<std::string> set;
  OptimizationOptions search;
  std::string workers;  // empty: as the program was started
  int jobs = 0;         // 0: as many as there are cores
  bool resume = false, json = false, quiet = false;
};

nlohmann::ordered_json json_number(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

std::vector<std::string> scene_keys(const OptimizeOptions& options) {
  std::vector<std::string> keys;
  if (options.motion) keys.push_back("actors.0.motion.source=" + yaml_word(*options.motion));
  if (options.engine) keys.push_back("engine=" + yaml_word(*options.engine));
  if (options.preset) keys.push_back("actors.0.controller.preset=" + yaml_word(*options.preset));
  keys.insert(keys.end(), options.set.begin(), options.set.end());
  return keys;
}

Problem problem_of(const OptimizeOptions& options) {
  ProblemSpec spec = load_problem(options.problem, scene_keys(options));
  if (options.population) spec.population = *options.population;
  if (options.duration) spec.objective.duration = *options.duration;
  return Problem(std::move(spec), options.problem);
}

// The numbers alone, for other motions; nothing for controllers that have no choice of them.
void write_learned_set(const Problem& problem, const Optimum& found, const std::filesystem::path& file) {
  const Scene scene = problem.scene_with(found.x, std::max(0, found.level));
  LearnedSet set;
  if (scene.actors.front().controller.kind() != set.controller.kind()) return;
  set.motion = scene.actors.front().motion.source;
  set.reward = found.reward;
  set.passes = found.passes;
  set.tests = problem.spec().success.tests;
  if (problem.raises() && found.level >= 0)
    set.withstood = fmt::format("{} {:g}", problem.spec().raise.setting, problem.raised_to(found.level));
  set.features = features_of(*make_performers(scene).front().shown);
  set.controller = scene.actors.front().controller;
  write_file(file, write_settings(set));
}

void run_optimize(const OptimizeOptions& options, Evaluator& evaluator) {
  namespace fs = std::filesystem;
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const Problem problem = problem_of(options);
  std::string name = problem.spec().name;
  if (options.motion) name += "-" + fs::path(*options.motion).stem().string();
  const fs::path folder = options.out.empty() ? fs::path("out") / name : fs::path(options.out);
  if (fs::exists(folder) && !fs::is_directory(folder))
    throw InputError(folder.string(), "a file", "a folder for the results");

  Journal journal(folder / "checkpoint.txt", fmt::format("{}-{}", problem.hash(), options.search.seed));
  if (options.resume) journal.load();
  fs::create_directories(folder);
  say(fmt::format("{}: {} numbers, {} runs in a generation, {} {}", name, problem.movables().size(),
                  problem.spec().population, options.jobs,
                  options.workers == "mpi" ? "ranks" : options.workers),
      options.quiet);

  std::vector<Generation> history;
  VecX shown_best;
  bool stopped = false;
  OptimizationWatch watch;
  // The best motion so far, which takes a run: never much of the time, but always at the end.
  int motions = 0;
  VecX moving;
  double show_again = 0;
  const auto show = [&](const VecX& best, bool last) {
    if ((moving.size() > 0 && moving == best) || (!last && elapsed() < show_again)) return;
    const double begun = elapsed();
    const Recording recording = run_scene(problem.scene_with(best));
    write_file(folder / "best.html", html_report({{&recording, nullptr, name}}));
    moving = best;
    ++motions;
    show_again = elapsed() + kMotionPause * (elapsed() - begun);
  };
  write_file(folder / "index.html", optimization_page(name));
  std::optional<StatusLine> line(std::in_place, options.quiet);
  watch.generation = [&](const Generation& row, const VecX& best) {
    history.push_back(row);
    write_file(folder / "history.csv", history_csv(problem, history));
    if (shown_best.size() == 0 || shown_best != best)
      write_file(folder / "best.yaml", write_scene(problem.scene_with(best)));
    shown_best = best;
    show(best, false);
    write_file(folder / "convergence.html", convergence_page(name, problem, history, motions));
  };
  watch.progress = [&](int done, int total) {
    const int generation = static_cast<int>(history.size());
    std::string text = fmt::format("generation {} of {}, {} of {} runs", generation + 1,
                                   options.search.generations, done, total);
    if (generation > 0) {
      const Generation& last = history.back();
      double left = elapsed() / generation * (options.search.generations - generation);
      if (options.search.budget) left = std::min(left, std::max(0.0, *options.search.budget - elapsed()));
      text += fmt::format(", best {:.3f}, spread {:.2f}, at most {:.0f} s left", last.best_so_far, last.sigma,
                          left);
    }
    line->update(text);
    stopped = stopped || take_interrupt();
    return !stopped;
  };
  Optimum found;
  try {
    found = optimize(problem, options.search, evaluator, journal, watch);
  } catch (const RunError&) {
    if (!stopped) throw;
    throw RunError(
        fmt::format("interrupted after {} generations; --resume goes on from there", history.size()));
  }
  line.reset();
  const int level = std::max(0, found.level);
  write_file(folder / "best.yaml", write_scene(problem.scene_with(found.x, level)));
  write_learned_set(problem, found, folder / "controller.yaml");
  show(found.x, true);
  write_file(folder / "convergence.html", convergence_page(name, problem, found.history, motions));
  if (found.broken > 0) {
    say(fmt::format("{} of {} runs broke and count as the worst; the last: {}", found.broken,
                    found.evaluations, found.last_error),
        options.quiet);
  }
  const std::string best = (folder / "best.yaml").string();
  if (options.json) {
    nlohmann::ordered_json summary = {
        {"problem", name},
        {"best", best},
        {"reward", json_number(found.reward)},
        {"success", found.success},
        {"success_generation",
         found.success ? nlohmann::ordered_json(found.success_generation) : nlohmann::ordered_json(nullptr)},
        {"generations", found.history.size()},
        {"evaluations", found.evaluations},
        {"broken", found.broken},
        {"simulated_s", found.simulated_s},
        {"wall_s", elapsed()},
        {"workers", options.jobs},
        {"ended", found.why}};
    if (problem.raises())
      summary["withstood"] = found.level < 0 ? nlohmann::ordered_json(nullptr)
                                             : nlohmann::ordered_json(problem.raised_to(found.level));
    print("{}\n", summary.dump(2));
    return;
  }
  print("{}: {} after {} generations, {} runs, {:.0f} simulated seconds in {:.1f} s\n", name,
        found.success ? "success" : "no success", found.history.size(), found.evaluations, found.simulated_s,
        elapsed());
  if (problem.raises()) {
    print("{} {}\n", problem.spec().raise.setting,
          found.level < 0 ? fmt::format("{:g} was not withstood", problem.raised_to(0))
                          : fmt::format("{:g} was withstood", problem.raised_to(found.level)));
  }
  print("reward {:.3f}, {} of {} tests passed; it ended because: {}\n", found.reward, found.passes,
        problem.spec().success.tests, found.why);
  print("watch it: {}, or stunt run {}\n", (folder / "index.html").string(), best);
}

void optimize_with_workers(OptimizeOptions options) {
  if (options.workers.empty()) options.workers = MpiWorkers::started_by_mpirun() ? "mpi" : "threads";
  if (options.workers != "mpi") {
    const int jobs = options.jobs = options.jobs > 0 ? options.jobs : cores();
    return run_optimize(options,
                        *(options.workers == "threads" ? thread_evaluator : process_evaluator)(jobs));
  }
  if (options.jobs > 0)
    throw InputError("--jobs", "it with --workers mpi", "`mpirun -n N`: as many workers as there are ranks");
  const auto workers = MpiWorkers::join();
  options.jobs = workers->size();
  if (workers->rank() == 0) return run_optimize(options, workers->evaluator());
  workers->serve([&]() -> MpiWorkers::Work {
    return [problem = std::make_shared<Problem>(problem_of(options))](const std::string& task) {
      return problem->judge_task(task);
    };
  });
}

}  // namespace

void add_optimize(CLI::App& app) {
  auto options = std::make_shared<OptimizeOptions>();
  CLI::App* command = app.add_subcommand("optimize",
                                         "find the numbers of a scene that do best (without a name: list "
                                         "the problems that come with the program)");
  command->footer("Example:  stunt optimize data-driven --motion squat --duration 2 --generations 3");
  command->add_option("problem", options->problem,
                      "a problem file, a built-in problem, or a scene (docs/optimize.md)");
  command->add_option("--motion", options->motion, "of the first actor, instead of the problem's");
  command->add_option("--engine", options->engine, "instead of the scene's; see `stunt engines`");
  command->add_option("--preset", options->preset, "of the first actor's controller");
  command->add_option("--duration", options->duration, "seconds of a run at most, instead of the problem's")
      ->check(CLI::PositiveNumber);
  command->add_option("--set", options->set, "override any scene key")->type_name("KEY=VALUE");
  command->add_option("--generations", options->search.generations, "at most (default 50)")
      ->check(CLI::Range(1, 1000000));
  command->add_option("--population", options->population, "runs in a generation, instead of the problem's")
      ->check(CLI::Range(4, 100000));
  command->add_option("--budget", options->search.budget, "seconds: no generation begins after that")
      ->check(CLI::PositiveNumber);
  command->add_option("--seed", options->search.seed, "of the search and all noise (default 1)");
  command->add_flag("--to-the-end", options->search.to_the_end, "go on after success");
  command->add_flag("--resume", options->resume, "go on from what an earlier run left in the folder");
  command->add_option("--jobs", options->jobs, "runs at a time (the result does not depend on it)")
      ->check(CLI::Range(1, 256));
  command
      ->add_option(
          "--workers", options->workers,
          "threads (default); processes: a run that crashes costs one run; mpi (default under mpirun)")
      ->check(CLI::IsMember({"threads", "processes", "mpi"}));
  command->add_option("-o,--out", options->out, "folder for the results (default: out/<name>)");
  command->add_flag("--json", options->json, "print the summary as JSON, alone on stdout");
  command->add_flag("--quiet", options->quiet, "no progress");
  add_optimize_gait(*command);
  add_optimize_fall(*command);
  command->callback([options, command] {
    if (!command->get_subcommands().empty()) return;
    if (options->problem.empty()) {
      for (const std::string& name : built_in_problems()) print("{}\n", name);
      return;
    }
    optimize_with_workers(*options);
  });
}

}  // namespace stunt
