// One run from a scene to files: what `track` and `run` share.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "stunt/optimize/rehearsal.h"
#include "stunt/simulate/scene/scene.h"

namespace stunt {

struct RunOptions {
  std::string out;    // folder; empty: out/<scene name>
  bool json = false;  // the summary alone on stdout
  bool quiet = false;
  bool require_upright = false;  // a fall is exit status 1
  std::vector<std::string> set;  // overrides of scene keys
  std::string injury;            // preset of assess/injury; empty: it is not measured
  std::string write_scene;       // a file: the scene is written there, and not run
};
void add_run_options(CLI::App& command, RunOptions& options);
void add_seed_option(CLI::App& command, std::optional<std::uint64_t>& seed, const std::string& instead_of);

// Where the results go.
std::string results_folder(const Scene& scene, const RunOptions& options);

// What `make` returns. An error in an override that a flag stands for ({"engine=moon", "--engine"}) speaks of the flag.
Scene with_flags_named(const std::map<std::string, std::string>& flag_of_override,
                       const std::function<Scene()>& make);

// Simulates and writes summary.json, recording.npz, scene.glb, report.html and simulated.bvh (with several characters
// one BVH each, by name). After a rehearsal also rehearsed.yaml: the scene with what was found.
void run_and_write(const Scene& scene, const RunOptions& options, const Rehearsal* rehearsal = nullptr);

}  // namespace stunt
