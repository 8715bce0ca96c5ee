// stunt benchmark: every clip of a folder, one table.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "console.h"
#include "rehearse_options.h"
#include "stunt/core/error.h"
#include "stunt/core/files.h"
#include "stunt/motion/motion_files.h"
#include "stunt/optimize/evaluator.h"
#include "stunt/report/files/benchmark_table.h"
#include "stunt/simulate/run_scene.h"
#include "track_scene.h"

namespace stunt {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

RunSummary run_clip(TrackOptions track, const RehearseOptions& rehearse, int threads, const std::string& file,
                    const std::vector<std::string>& set) {
  track.motion = file;
  const Scene scene = track_scene(track, set);
  if (!rehearse.rehearse) return summarize(run_scene(scene));
  const Rehearsal rehearsal = rehearse_shown(scene, rehearse, threads, "", true);
  return summarize(run_scene(rehearsal.scene), rehearsal);
}

}  // namespace

void add_benchmark(CLI::App& app) {
  struct Options {
    std::string folder, out;
    TrackOptions track;
    RehearseOptions rehearse;
    std::vector<std::string> set;
    bool json = false, quiet = false;
    int jobs = 1;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("benchmark", "track every motion of a folder and print one table");
  command->footer("Example:  stunt benchmark data/motions --controller pd --pedestal");
  command->add_option("folder", options->folder, "a folder with motion files")->required();
  add_track_options(*command, options->track);
  add_rehearse_options(*command, options->rehearse);
  command->add_option("--set", options->set, "override any scene key")->type_name("KEY=VALUE");
  command->add_option("--jobs", options->jobs, "clips at a time (the table does not depend on it)")
      ->check(CLI::Range(1, 256));
  command->add_option("-o,--out", options->out, "also write the table as JSON to this file");
  command->add_flag("--json", options->json, "print JSON, alone on stdout");
  command->add_flag("--quiet", options->quiet, "no progress");
  command->callback([options] {
    const std::vector<std::string> files = motion_files(options->folder);
    options->track.motion = files.front();
    const Scene scene =
        track_scene(options->track, options->set);  // complains about flags before the first clip
    std::vector<BenchmarkRow> rows;
    {
      Progress progress("benchmark", options->quiet);
      const int count = static_cast<int>(files.size());
      const int threads = std::max(1, cores() / options->jobs);
      const auto results = evaluate<RunSummary>(
          *process_evaluator(options->jobs), count,
          [&](int i) {
            return run_clip(options->track, options->rehearse, threads, files[static_cast<std::size_t>(i)],
                            options->set);
          },
          [&](int done) {
            progress.update(done, count);
            return !interrupted();
          });
      for (std::size_t i = 0; i < files.size(); ++i)
        rows.push_back({fs::path(files[i]).stem().string(), results[i].error, results[i].value});
    }
#ifdef NDEBUG
    constexpr const char* kBuild = "release";
#else
    constexpr const char* kBuild = "debug";
#endif
    const ordered_json settings = {{"engine", scene.engine},
                                   {"timestep_s", scene.timestep},
                                   {"seed", scene.seed},
                                   {"controller", options->track.controller.value_or("default")},
                                   {"preset", options->track.preset.value_or("default")},
                                   {"pedestal", options->track.pedestal},
                                   {"set", options->set},
                                   {"jobs", options->jobs},
                                   {"rehearse", rehearse_json(options->rehearse)},
                                   {"build", kBuild}};
    const std::string table = benchmark_json(rows, settings).dump(2) + "\n";
    if (!options->out.empty()) write_file(options->out, table);
    print("{}", options->json ? table : benchmark_text(rows, settings));
  });
}

}  // namespace stunt
