// stunt optimize fall: numbers with which a body falls well.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "commands.h"
#include "console.h"
#include "rehearse_options.h"
#include "stunt/core/files.h"
#include "stunt/motion/motion_files.h"
#include "stunt/optimize/fall_search.h"

namespace stunt {
namespace {

struct FallOptions {
  std::string motions, from, out = "out/fall";
  FallsSpec falls;
  FallSearchOptions search;
  int jobs = 1;
  bool quiet = false;
};

void run_fall_search(FallOptions options) {
  options.falls.motions = options.motions.empty() ? toppled_motions() : motion_files(options.motions);
  options.falls.seed = options.search.seed;
  FallSettings start;
  if (!options.from.empty()) {
    Config config = Config::parse(read_file(options.from), options.from);
    read_settings(config, start);
    config.done();
  }
  std::filesystem::create_directories(options.out);
  std::optional<StatusLine> line(std::in_place, options.quiet);
  bool stopped = false;
  std::vector<Toppled> starts = topple(options.falls, [&](double share) {
    line->update(fmt::format("pushing over: {:.0f} %", 100 * share));
    return !interrupted();
  });
  const auto evaluator = process_evaluator(options.jobs);
  std::string history = "generation,seconds,best,middle,sigma\n";
  const FallSettings found =
      find_fall(start, starts, options.falls, options.search, *evaluator,
                [&](const FallGeneration& row, const FallSettings& middle) {
                  history += fmt::format("{},{:.1f},{:.4f},{:.4f},{:.3f}\n", row.number, row.seconds,
                                         row.best, row.middle, row.sigma);
                  write_file(std::filesystem::path(options.out) / "history.csv", history);
                  write_file(std::filesystem::path(options.out) / "best.yaml", write_settings(middle));
                  line->update(fmt::format(
                      "generation {} of {}, {:.0f} s: best {:.3f}, middle {:.3f}, spread {:.2f}", row.number,
                      options.search.generations, row.seconds, row.best, row.middle, row.sigma));
                  stopped = take_interrupt();
                  return !stopped;
                });
  line.reset();
  const std::filesystem::path best = std::filesystem::path(options.out) / "best.yaml";
  write_file(best, write_settings(found));
  print("numbers in {}; in a scene: actors.0.falling: {{how: protect, foreseen: true, protect: ...}}\n",
        best.string());
}

}  // namespace

void add_optimize_fall(CLI::App& optimize) {
  auto options = std::make_shared<FallOptions>();
  options->jobs = cores();
  FallSearchOptions& search = options->search;
  CLI::App* command = optimize.add_subcommand(
      "fall", "postures and stiffness with which a body falls well (docs/injury.md#falling-well)");
  command->footer("Example:  stunt optimize fall --falls 4 --batch 2 --population 4 --generations 1");
  command->add_option("--motions", options->motions,
                      "a folder of motions to fall out of (default: built-in ones)");
  command->add_option("--falls", options->falls.count, "to learn from (default 100)")
      ->check(CLI::Range(1, 10000));
  command->add_option("--batch", search.batch, "falls that a generation is judged by (default 24)")
      ->check(CLI::Range(1, 10000));
  command->add_option("--watched", options->falls.watched, "seconds of every fall that count (default 2.5)")
      ->check(CLI::Range(0.5, 60.0));
  command->add_option("--from", options->from, "a best.yaml to begin from");
  command->add_option("--engine", options->falls.engine, "see `stunt engines`");
  command->add_option("--budget", search.budget, "seconds: no generation begins after that")
      ->check(CLI::PositiveNumber);
  command->add_option("--generations", search.generations, "at most (default 60)")
      ->check(CLI::Range(1, 1000000));
  command->add_option("--population", search.population, "tries in a generation (default 16)")
      ->check(CLI::Range(4, 10000));
  command->add_option("--spread", search.spread, "factor on the first spreads (default 1)")
      ->check(CLI::PositiveNumber);
  command->add_option("--seed", search.seed, "of pushes and search (default 1)");
  command->add_option("--jobs", options->jobs, "tries at a time (the result does not depend on it)")
      ->check(CLI::Range(1, 256));
  command->add_option("-o,--out", options->out, "folder for the results (default: out/fall)");
  command->add_flag("--quiet", options->quiet, "no progress");
  command->callback([options] { run_fall_search(*options); });
}

}  // namespace stunt
