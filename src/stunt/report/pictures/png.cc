#include "stunt/report/pictures/png.h"

#include <zlib.h>

#include <cstdlib>
#include <stdexcept>
#include <string_view>

namespace stunt {
namespace {

void append_big_endian(std::string& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(value >> shift));
}

// Length, type, data, checksum of type and data (PNG specification, section 5.3).
void append_chunk(std::string& out, const char* type, std::string_view data) {
  append_big_endian(out, static_cast<std::uint32_t>(data.size()));
  const auto start = out.size();
  out.append(type, 4).append(data);
  const auto* bytes = reinterpret_cast<const Bytef*>(out.data() + start);
  append_big_endian(out, static_cast<std::uint32_t>(crc32(0, bytes, static_cast<uInt>(out.size() - start))));
}

std::uint8_t paeth(int a, int b, int c) {  // left, above, above left (section 9.4)
  const int pa = std::abs(b - c), pb = std::abs(a - c), pc = std::abs(a + b - 2 * c);
  return static_cast<std::uint8_t>(pa <= pb && pa <= pc ? a : (pb <= pc ? b : c));
}

}  // namespace

std::string to_png(const Image& image) {
  const std::size_t row = static_cast<std::size_t>(image.width) * 3;
  std::vector<std::uint8_t> filtered;
  filtered.reserve((row + 1) * static_cast<std::size_t>(image.height));
  for (int y = 0; y < image.height; ++y) {
    const std::uint8_t* line = image.rgb.data() + row * static_cast<std::size_t>(y);
    const std::uint8_t* above = y > 0 ? line - row : nullptr;
    filtered.push_back(4);  // Paeth: small for shaded surfaces
    for (std::size_t i = 0; i < row; ++i) {
      const int left = i >= 3 ? line[i - 3] : 0, up = above ? above[i] : 0,
                corner = above && i >= 3 ? above[i - 3] : 0;
      filtered.push_back(static_cast<std::uint8_t>(line[i] - paeth(left, up, corner)));
    }
  }
  uLongf size = compressBound(static_cast<uLong>(filtered.size()));
  std::string packed(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(packed.data()), &size, filtered.data(),
                static_cast<uLong>(filtered.size()), 6) != Z_OK) {
    throw std::runtime_error("zlib could not compress a picture");
  }
  packed.resize(size);

  std::string header;
  append_big_endian(header, static_cast<std::uint32_t>(image.width));
  append_big_endian(header, static_cast<std::uint32_t>(image.height));
  header += std::string("\x08\x02\x00\x00\x00", 5);  // 8 bits, red green blue, no interlace
  std::string out("\x89PNG\r\n\x1a\n", 8);
  append_chunk(out, "IHDR", header);
  append_chunk(out, "IDAT", packed);
  append_chunk(out, "IEND", "");
  return out;
}

}  // namespace stunt
