// The files of data/ that are linked into the library, so that everything works offline and from any folder.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stunt {

// By name relative to data/, for example "motions/walk.bvh".
std::optional<std::string_view> embedded_file(std::string_view name);

// The names (without folder and ending) of the files in a folder of data/: embedded_names("motions") has "walk".
std::vector<std::string> embedded_names(std::string_view folder);

}  // namespace stunt
