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

// Simulates and writes summary.json, recording.npz, scene.glb, report.html and simulated.bvh (with several characters
// one BVH each, by name).
void produce(const Scene& scene, const ProduceOptions& options);

}  // namespace stunt
