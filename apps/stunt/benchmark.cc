// stunt benchmark: every clip of a folder, one table.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "batch.h"
#include "commands.h"
#include "stunt/core/error.h"
#include "stunt/core/files.h"
#include "stunt/report/files/summary.h"
#include "stunt/simulate/cast.h"
#include "track_scene.h"

namespace stunt {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

ordered_json run_clip(TrackOptions track, const std::string& file, const std::vector<std::string>& set) {
  const std::string name = fs::path(file).stem().string();
  try {
    track.motion = file;
    const Scene scene = track_scene(track, set);
    Cast cast = make_cast(scene);
    Simulation simulation(scene, std::move(cast.members));
    return summarize(simulation.run());
  } catch (const std::exception& error) {
    return {{"motion", name}, {"error", error.what()}};
  }
}

void print_table(const ordered_json& table) {
  fmt::print("{:<24} {:>6} {:>5} {:>7} {:>7} {:>7} {:>6} {:>7}  {}\n", "motion", "s", "done", "fell s",
             "err deg", "mpjpe cm", "rough", "x real", "reason");
  for (const auto& row : table["clips"]) {
    if (row.contains("error")) {
      fmt::print("{:<24} {}\n", row.value("motion", "?"), row["error"].get<std::string>());
      continue;
    }
    const bool fell = !row["fell_at_s"].is_null();
    const auto number = [](const ordered_json& value) {
      return value.is_number() ? value.get<double>() : NAN;
    };
    std::string reason = row["fall_reason"].is_string() ? row["fall_reason"].get<std::string>() : "";
    if (row.contains("diverged") && row["diverged"].is_string()) reason = row["diverged"].get<std::string>();
    fmt::print(
        "{:<24} {:6.2f} {:>5} {:>7} {:7.2f} {:8.2f} {:6.2f} {:7.1f}  {}\n", row["motion"].get<std::string>(),
        row["duration_s"].get<double>(), row["completed"].get<bool>() ? "yes" : "no",
        fell ? fmt::format("{:.2f}", row["fell_at_s"].get<double>()) : "",
        57.29578 * number(row["joint_error_rad"]["mean"]), 100 * number(row["mpjpe_m"]["root_relative"]),
        number(row["roughness"]), number(row["realtime_factor"]), reason);
  }
  fmt::print("completed {} of {}; real-time factor (median) {:.1f}\n", table["completed"].get<int>(),
             table["total"].get<int>(),
             table["realtime_factor"]["median"].is_number() ? table["realtime_factor"]["median"].get<double>()
                                                            : 0.0);
  fmt::print("settings: {}\n", table["settings"].dump());
}

}  // namespace

void add_benchmark(CLI::App& app) {
  struct Options {
    std::string folder, out;
    TrackOptions track;
    std::vector<std::string> set;
    bool json = false, quiet = false;
    int jobs = 1;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("benchmark", "track every motion of a folder and print one table");
  command->footer("Example:  stunt benchmark data/motions --controller pd --pedestal");
  command->add_option("folder", options->folder, "a folder with motion files")->required();
  add_track_options(*command, options->track);
  command->add_option("--set", options->set, "override any scene key")->type_name("KEY=VALUE");
  command->add_option("--jobs", options->jobs, "clips at a time (the table does not depend on it)")
      ->check(CLI::Range(1, 256));
  command->add_option("--out", options->out, "also write the table as JSON to this file");
  command->add_flag("--json", options->json, "print JSON, alone on stdout");
  command->add_flag("--quiet", options->quiet, "no progress");
  command->callback([options] {
    const std::vector<std::string> files = motion_files(options->folder);
    options->track.motion = files.front();
    const Scene scene =
        track_scene(options->track, options->set);  // complains about flags before the first clip
    std::vector<ordered_json> clips;
    {
      Progress progress("benchmark", static_cast<double>(files.size()), options->quiet);
      clips = in_processes(
          static_cast<int>(files.size()), options->jobs,
          [&](int i) { return run_clip(options->track, files[i], options->set); }, progress);
    }
    int completed = 0;
    std::vector<double> factors;
    for (std::size_t i = 0; i < clips.size(); ++i) {
      if (!clips[i].contains("motion")) clips[i]["motion"] = fs::path(files[i]).stem().string();
      if (clips[i].contains("error")) continue;
      completed += clips[i]["completed"].get<bool>();
      if (clips[i]["realtime_factor"].is_number())
        factors.push_back(clips[i]["realtime_factor"].get<double>());
    }
    std::sort(factors.begin(), factors.end());
    const ordered_json table = {
        {"clips", clips},
        {"completed", completed},
        {"total", clips.size()},
        {"realtime_factor",
         {{"median", factors.empty() ? ordered_json() : ordered_json(factors[factors.size() / 2])}}},
        {"settings",
         {{"engine", scene.engine},
          {"timestep_s", scene.timestep},
          {"seed", scene.seed},
          {"controller", options->track.controller.value_or("default")},
          {"preset", options->track.preset.value_or("default")},
          {"pedestal", options->track.pedestal},
          {"set", options->set},
          {"jobs", options->jobs},
          {"build",
#ifdef NDEBUG
           "release"
#else
           "debug"
#endif
          }}}};
    if (!options->out.empty()) write_file(options->out, table.dump(2) + "\n");
    if (options->json) {
      fmt::print("{}\n", table.dump(2));
    } else {
      print_table(table);
    }
  });
}

}  // namespace stunt
