// Reading MJCF (MuJoCo's XML): from a file, with the files it includes and its meshes, or from a text.
#pragma once

#include <filesystem>
#include <string>

#include "stunt/actor/actor.h"

namespace stunt {

// Files that are named are sought as MuJoCo does, beside `path`. A file that would take far more time or memory than a
// character needs (bodies by the thousand, copies made by <replicate>, <composite> or <flexcomp> counted) is refused
// before it is parsed. Both throw InputError.
SpecPtr parse_mjcf_file(const std::filesystem::path& path);
SpecPtr parse_mjcf_text(const std::string& text, const std::string& place);

// Makes the meshes that `spec` names as files part of `spec`: `model` is what it was compiled to. True when there were
// any: compiled again, the spec can be written as an MJCF text that stands alone.
bool embed_meshes(mjSpec& spec, const mjModel& model);

// MuJoCo's message in one line.
std::string mujoco_message(const char* text);

}  // namespace stunt
