// The motion files of a folder.
#pragma once

#include <string>
#include <vector>

namespace stunt {

// Sorted. Throws InputError when there are none.
std::vector<std::string> motion_files(const std::string& folder);

}  // namespace stunt
