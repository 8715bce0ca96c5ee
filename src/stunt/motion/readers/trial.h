// A first reading of a file in a process of its own, for readers that are not ours: whatever a broken file makes them do
// (crash, run for ever, ask for all memory) ends there, as an error with the file's name.
#pragma once

#include <functional>
#include <string>

namespace stunt {

struct TrialLimits {
  int seconds = 8;                             // of the processor
  std::size_t bytes = std::size_t{900} << 20;  // beyond what the program has already
};

// Calls `read` in a child process and throws InputError(place, ...) when that did not come to its end within the limits.
// An exception that `read` throws is not told: the second reading, in this process, throws it again. Where no process
// can be started nothing happens.
void try_reading(const std::function<void()>& read, const std::string& place, const TrialLimits& limits = {});

}  // namespace stunt
