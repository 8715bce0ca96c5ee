// Pictures as rows of red, green, blue bytes, and their PNG file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stunt {

struct Image {
  int width = 0, height = 0;      // pixels
  std::vector<std::uint8_t> rgb;  // height x width x 3, the top row first
};

std::string to_png(const Image& image);

}  // namespace stunt
