#include "places.h"

namespace stunt {

std::string program_file() { return STUNT_PROGRAM; }

std::string in_source(const std::string& path) { return std::string(STUNT_SOURCE_DIR) + "/" + path; }

}  // namespace stunt
