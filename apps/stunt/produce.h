// One run from a scene to files: what `track` and `run` share.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "stunt/world/scene.h"

namespace stunt {

struct ProduceOptions {
  std::string out;               // folder; empty: out/<scene name>
  bool json = false;             // the summary alone on stdout
  bool quiet = false;
  bool require_upright = false;  // a fall is exit status 1
  std::vector<std::string> set;  // overrides of scene keys
};
void add_produce_options(CLI::App& command, ProduceOptions& options);

// Simulates and writes recording.npz, simulated.bvh, scene.glb, summary.json and report.html.
void produce(const Scene& scene, const ProduceOptions& options);

}  // namespace stunt
