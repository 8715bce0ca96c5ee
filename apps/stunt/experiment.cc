// stunt experiment: a paper's tables and figures, made again.
#include "stunt/experiment/experiment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <thread>

#include "commands.h"
#include "console.h"
#include "stunt/core/error.h"
#include "stunt/core/output_folder.h"
#include "stunt/motion/motion_files.h"
#include "stunt/optimize/evaluator.h"
#include "stunt/simulate/prepared_motions.h"

namespace stunt {
namespace {

using nlohmann::ordered_json;

// One line for each setup of each part: what was varied, and how many runs were completed.
void print_tables(const ordered_json& rows) {
  std::string line, begun;
  const auto flush = [&] {
    if (!line.empty()) print("{}\n", line);
  };
  for (const ordered_json& row : rows) {
    const auto text = [&](const char* key) { return row[key].get<std::string>(); };
    if (!row.contains("value")) continue;  // times of plans: in the files
    const std::string head = fmt::format("{:<9} {:<7} {:<8} {:<8}", text("part"), text("engine"),
                                         text("preset"), text("character"));
    if (head != begun) {
      flush();
      begun = line = head;
    }
    line += fmt::format("  {}: {}/{}", text("value"), row["completed"].get<int>(), row["total"].get<int>());
  }
  flush();
}

void run_study(const ExperimentKind& kind, const ExperimentOptions& options, const std::string& out,
               bool json, bool quiet) {
  for (const std::string& part : options.parts) {
    if (std::find(kind.study_parts.begin(), kind.study_parts.end(), part) == kind.study_parts.end()) {
      throw InputError("--only", "'" + part + "'",
                       fmt::format("one of: {}", fmt::join(kind.study_parts, ", ")));
    }
  }
  OutputFolder folder(out.empty() ? "out/" + kind.name : out);
  Study study;
  {
    Progress progress(kind.name, quiet);
    study = kind.study(options, [&](double share) {
      progress.update(share, 1);
      return !interrupted();
    });
  }
  for (const auto& [name, bytes] : study_files(study)) folder.add(name, bytes);
  folder.commit();
  if (json) {
    print("{}\n",
          ordered_json{{"experiment", kind.name}, {"notes", study.notes}, {"tables", tables(study)}}.dump(2));
    return;
  }
  for (const std::string& note : study.notes) say(note, quiet);
  print("{}results in {}\n", study_text(study), folder.path().string());
}

}  // namespace

void add_experiment(CLI::App& app) {
  struct Options {
    std::string name, out = "", motions;
    ExperimentOptions experiment;
    bool json = false, quiet = false;
    int jobs = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("experiment", "make a paper's tables and figures again (without a name: list them)");
  command->footer(
      "Example:  stunt experiment mcsim --only slopes --engine mujoco --character fit --set duration=1");
  command->add_option("name", options->name, "of the experiment");
  const auto list = [&](const char* flag, std::vector<std::string>& names, const char* text) {
    command->add_option(flag, names, text)->delimiter(',')->type_name("NAME,...");
  };
  list("--only", options->experiment.parts, "these parts alone");
  list("--engine", options->experiment.engines, "these engines alone");
  list("--preset", options->experiment.presets, "these presets of the controller alone");
  list("--character", options->experiment.characters, "these characters alone");
  command->add_option("--motions", options->motions,
                      "a folder with captured walks, to be used beside the built-in one");
  command->add_option("--plates", options->experiment.plates,
                      "realism: a folder with OpenSim's example3DWalking (a walk over force plates)");
  command->add_option("--set", options->experiment.keys, "override any scene key in every run")
      ->type_name("KEY=VALUE");
  command->add_option("--seed", options->experiment.seed, "of everything random (default 1)");
  command
      ->add_option("--seeds", options->experiment.seeds,
                   "hit-and-react: how many, of fights and rallies (default 10)")
      ->check(CLI::Range(1, 1000));
  command
      ->add_option(
          "--generations", options->experiment.generations,
          "data-driven, optimised and reuse: so many without success end an optimisation (default 50)")
      ->check(CLI::Range(1, 100000));
  command->add_option("--jobs", options->jobs, "runs at a time (the tables do not depend on it)")
      ->check(CLI::Range(1, 256));
  command->add_option("-o,--out", options->out, "folder for the results (default: out/<name>)");
  command->add_flag("--json", options->json, "print the tables as JSON, alone on stdout");
  command->add_flag("--quiet", options->quiet, "no progress");
  command->callback([options] {
    if (options->name.empty()) {
      for (const ExperimentKind& kind : experiments()) print("{:<12} {}\n", kind.name, kind.help);
      return;
    }
    const ExperimentKind* chosen = nullptr;
    std::vector<std::string> known;
    for (const ExperimentKind& kind : experiments()) {
      known.push_back(kind.name);
      if (kind.name == options->name) chosen = &kind;
    }
    if (!chosen) {
      throw InputError("experiment", "'" + options->name + "'",
                       fmt::format("one of: {}", fmt::join(known, ", ")));
    }
    if (!options->motions.empty()) options->experiment.motions = motion_files(options->motions);
    options->experiment.jobs = options->jobs;
    if (!chosen->study && !options->experiment.plates.empty())
      throw InputError("--plates", "the experiment '" + chosen->name + "'", "realism");
    if (chosen->study) {
      run_study(*chosen, options->experiment, options->out, options->json, options->quiet);
      return;
    }
    const Experiment experiment = chosen->make(options->experiment);
    const int runs = static_cast<int>(experiment.trials.size());
    for (const std::string& note : experiment.notes) say(note, options->quiet);
    if (runs == 0)
      throw InputError("experiment", "nothing to run", "at least one preset that this build has");
    say(fmt::format("{} runs, {} at a time", runs, options->jobs), options->quiet);
    OutputFolder folder(options->out.empty() ? "out/" + options->name : options->out);
    std::vector<TrialOutcome> outcomes;
    {
      Progress progress("experiment", options->quiet);
      PreparedMotions prepared;
      prepare_motions(experiment, prepared);
      const auto results = evaluate<TrialOutcome>(
          *process_evaluator(options->jobs), runs,
          [&](int i) { return run_trial(experiment.trials[static_cast<std::size_t>(i)], &prepared); },
          [&](int done) {
            progress.update(done, runs);
            return !interrupted();
          });
      for (const auto& [outcome, error] : results) {
        outcomes.push_back(outcome);
        if (!error.empty()) outcomes.back().error = error;
      }
    }
    for (const auto& [name, bytes] : experiment_files(experiment, outcomes)) folder.add(name, bytes);
    folder.commit();
    const ordered_json rows = tables(experiment, outcomes);
    if (options->json) {
      print("{}\n",
            ordered_json{
                {"experiment", options->name}, {"runs", runs}, {"notes", experiment.notes}, {"tables", rows}}
                .dump(2));
    } else {
      print_tables(rows);
      print("results in {}\n", folder.path().string());
    }
  });
}

}  // namespace stunt
