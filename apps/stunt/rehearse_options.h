// The flags of a rehearsal, and how it is shown while it goes on.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "stunt/optimize/rehearsal.h"

namespace stunt {

struct RehearseOptions {
  bool rehearse = false;
  bool unasked = false;  // a little, by the length of the motion
  double budget = 60;
  std::optional<int> rollouts;
};
int cores();                                                           // of this machine
nlohmann::ordered_json rehearse_json(const RehearseOptions& options);  // null without a rehearsal
void add_rehearse_options(CLI::App& command, RehearseOptions& options);

// Of a scene, in `threads` threads, with a line of progress under `label`. Ctrl-C ends it and keeps the best so far.
Rehearsal rehearse_shown(const Scene& scene, const RehearseOptions& options, int threads,
                         const std::string& label, bool quiet);

}  // namespace stunt
