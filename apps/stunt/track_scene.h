// The scene that `track` and `benchmark` make from flags: one actor on the ground.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "stunt/simulate/scene/scene.h"

namespace stunt {

struct TrackOptions {
  std::string motion;
  std::optional<std::string> character, controller, preset, engine;
  std::optional<double> assist, timestep, duration, slope_deg;
  std::optional<std::uint64_t> seed;
  bool pedestal = false, loop = false;
  ImportOptions import;
};
void add_track_options(CLI::App& command, TrackOptions& options);
Scene track_scene(const TrackOptions& options, const std::vector<std::string>& set);

}  // namespace stunt
