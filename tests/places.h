// Where tests find the program and the files of this checkout. Only places.cc knows the paths: all other tests compile to
// the same in every checkout.
#pragma once

#include <string>

namespace stunt {

std::string program_file();
std::string in_source(const std::string& path);  // relative to the top of the checkout

}  // namespace stunt
