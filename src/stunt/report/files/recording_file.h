// A recording as one file, recording.npz: self-contained, opens in NumPy, described in docs/recording.md.
// Equal recordings give equal bytes; wall-clock timings are therefore not in it (summary.json has them).
#pragma once

#include <filesystem>
#include <string>

#include "stunt/simulate/recording.h"

namespace stunt {

std::string format_recording(const Recording& recording);

// The same recording but for timings, with scene and actors rebuilt from their MJCF. `place` names it in
// errors. Throws InputError: not a recording, another version, cut short, or parts that do not fit together.
Recording parse_recording(std::string bytes, const std::string& place);
// An NPZ with a scene in it: not a motion in that format.
bool is_recording(const std::filesystem::path& path);
// A run's folder stands for the recording in it.
std::filesystem::path recording_path(const std::filesystem::path& given);
Recording load_recording(const std::filesystem::path& given);

}  // namespace stunt
