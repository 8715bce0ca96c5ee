// stunt benchmark: every clip of a folder, one table. Each clip runs in a process of its own, so that one that crashes
// costs one row.
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "commands.h"
#include "console.h"
#include "stunt/core/embedded.h"
#include "stunt/core/error.h"
#include "stunt/core/files.h"
#include "stunt/report/summary.h"
#include "stunt/simulate/cast.h"
#include "track_scene.h"

namespace stunt {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

std::vector<std::string> motion_files(const std::string& folder) {
  if (!fs::is_directory(folder)) throw InputError(folder, "no such folder", "a folder with motion files");
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    std::string ending = entry.path().extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
    static const std::vector<std::string> kEndings = {".bvh", ".amc", ".fbx", ".glb", ".gltf", ".npz", ".json", ".txt"};
    const bool licence = entry.path().stem() == "README" || entry.path().stem() == "LICENSE";
    if (entry.is_regular_file() && !licence && std::find(kEndings.begin(), kEndings.end(), ending) != kEndings.end()) {
      files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  if (files.empty()) throw InputError(folder, "no motion files", "BVH, AMC, FBX, glTF, NPZ or DeepMimic files");
  return files;
}

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

// Runs `work(i)` for all i in up to `jobs` child processes at a time; the results in order of i.
template <class Work>
std::vector<ordered_json> in_processes(int count, int jobs, Work work, Progress& progress) {
  struct Child {
    int index, pipe;
    pid_t pid;
    std::string text;
  };
  std::vector<ordered_json> results(count);
  std::vector<Child> children;
  int next = 0, finished = 0;
  while (finished < count) {
    while (next < count && static_cast<int>(children.size()) < jobs) {
      int ends[2];
      if (pipe(ends) != 0) throw RunError("cannot make a pipe for a child process");
      std::fflush(nullptr);
      const pid_t pid = fork();
      if (pid < 0) throw RunError("cannot start a child process");
      if (pid == 0) {
        close(ends[0]);
        const std::string text = work(next).dump();
        for (std::size_t sent = 0; sent < text.size();) {
          const ssize_t n = write(ends[1], text.data() + sent, text.size() - sent);
          if (n <= 0) _exit(1);
          sent += static_cast<std::size_t>(n);
        }
        _exit(0);
      }
      close(ends[1]);
      children.push_back({next++, ends[0], pid, ""});
    }
    std::vector<pollfd> waits;
    for (const Child& child : children) waits.push_back({child.pipe, POLLIN, 0});
    poll(waits.data(), waits.size(), 200);
    if (interrupted()) {
      for (const Child& child : children) kill(child.pid, SIGKILL);
      throw RunError("interrupted; nothing was written");
    }
    for (std::size_t i = children.size(); i-- > 0;) {
      if (!(waits[i].revents & (POLLIN | POLLHUP))) continue;
      char buffer[65536];
      const ssize_t n = read(children[i].pipe, buffer, sizeof buffer);
      if (n > 0) {
        children[i].text.append(buffer, static_cast<std::size_t>(n));
        continue;
      }
      close(children[i].pipe);
      int status = 0;
      waitpid(children[i].pid, &status, 0);
      results[children[i].index] = ordered_json::parse(children[i].text, nullptr, false);
      if (results[children[i].index].is_discarded()) {
        results[children[i].index] = {{"error", "the process that simulated it crashed"}};
      }
      children.erase(children.begin() + static_cast<long>(i));
      progress.update(++finished);
    }
  }
  return results;
}

void print_table(const ordered_json& table) {
  fmt::print("{:<24} {:>6} {:>5} {:>7} {:>7} {:>7} {:>6} {:>7}  {}\n", "motion", "s", "done", "fell s", "err deg",
             "mpjpe cm", "rough", "x real", "reason");
  for (const auto& row : table["clips"]) {
    if (row.contains("error")) {
      fmt::print("{:<24} {}\n", row.value("motion", "?"), row["error"].get<std::string>());
      continue;
    }
    const bool fell = !row["fell_at_s"].is_null();
    const auto number = [](const ordered_json& value) { return value.is_number() ? value.get<double>() : NAN; };
    std::string reason = row["fall_reason"].is_string() ? row["fall_reason"].get<std::string>() : "";
    if (row.contains("diverged") && row["diverged"].is_string()) reason = row["diverged"].get<std::string>();
    fmt::print("{:<24} {:6.2f} {:>5} {:>7} {:7.2f} {:8.2f} {:6.2f} {:7.1f}  {}\n", row["motion"].get<std::string>(),
               row["duration_s"].get<double>(), row["completed"].get<bool>() ? "yes" : "no",
               fell ? fmt::format("{:.2f}", row["fell_at_s"].get<double>()) : "", 57.29578 * number(row["joint_error_rad"]["mean"]),
               100 * number(row["mpjpe_m"]["root_relative"]), number(row["roughness"]), number(row["realtime_factor"]), reason);
  }
  fmt::print("completed {} of {}; real-time factor (median) {:.1f}\n", table["completed"].get<int>(),
             table["total"].get<int>(), table["realtime_factor"]["median"].is_number() ? table["realtime_factor"]["median"].get<double>() : 0.0);
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
  command->add_option("--jobs", options->jobs, "clips at a time (the table does not depend on it)")->check(CLI::Range(1, 256));
  command->add_option("--out", options->out, "also write the table as JSON to this file");
  command->add_flag("--json", options->json, "print JSON, alone on stdout");
  command->add_flag("--quiet", options->quiet, "no progress");
  command->callback([options] {
    const std::vector<std::string> files = motion_files(options->folder);
    options->track.motion = files.front();
    const Scene scene = track_scene(options->track, options->set);  // complains about flags before the first clip
    std::vector<ordered_json> clips;
    {
      Progress progress("benchmark", static_cast<double>(files.size()), options->quiet);
      clips = in_processes(static_cast<int>(files.size()), options->jobs,
                           [&](int i) { return run_clip(options->track, files[i], options->set); }, progress);
    }
    int completed = 0;
    std::vector<double> factors;
    for (std::size_t i = 0; i < clips.size(); ++i) {
      if (!clips[i].contains("motion")) clips[i]["motion"] = fs::path(files[i]).stem().string();
      if (clips[i].contains("error")) continue;
      completed += clips[i]["completed"].get<bool>();
      if (clips[i]["realtime_factor"].is_number()) factors.push_back(clips[i]["realtime_factor"].get<double>());
    }
    std::sort(factors.begin(), factors.end());
    const ordered_json table = {
        {"clips", clips},
        {"completed", completed},
        {"total", clips.size()},
        {"realtime_factor", {{"median", factors.empty() ? ordered_json() : ordered_json(factors[factors.size() / 2])}}},
        {"settings",
         {{"engine", scene.engine}, {"timestep_s", scene.timestep}, {"seed", scene.seed},
          {"controller", options->track.controller.value_or("default")}, {"preset", options->track.preset.value_or("default")},
          {"pedestal", options->track.pedestal}, {"set", options->set}, {"jobs", options->jobs},
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
