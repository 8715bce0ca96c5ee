// Many runs at once: each in a process of its own, so that one that crashes costs one row.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "console.h"

namespace stunt {

// The motion files of a folder, sorted. Throws InputError when there are none.
std::vector<std::string> motion_files(const std::string& folder);

// Runs `work(i)` for all i below `count` in up to `jobs` child processes at a time; the results in order of
// i, with
// {"error": ...} for a process that crashed. Throws RunError on Ctrl-C.
std::vector<nlohmann::ordered_json> in_processes(int count, int jobs,
                                                 const std::function<nlohmann::ordered_json(int)>& work,
                                                 Progress& progress);

}  // namespace stunt
