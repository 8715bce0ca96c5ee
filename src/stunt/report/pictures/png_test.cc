#include "stunt/report/pictures/png.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdlib>

namespace stunt {
namespace {

// Undoes the file by the specification, the other way round: chunks, checksums, inflate, Paeth filter.
TEST(Png, DecodesToTheSamePixels) {
  Image image{7, 5, {}};
  for (int i = 0; i < 7 * 5 * 3; ++i)
    image.rgb.push_back(static_cast<std::uint8_t>(i * i * 31 + (i % 3) * 50));
  const std::string png = to_png(image);
  ASSERT_EQ(png.substr(0, 8), std::string("\x89PNG\r\n\x1a\n", 8));
  const auto number = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t k = 0; k < 4; ++k) value = value << 8 | static_cast<std::uint8_t>(png[at + k]);
    return value;
  };
  std::string packed;
  for (std::size_t at = 8; at < png.size();) {
    const std::uint32_t length = number(at);
    const std::string type = png.substr(at + 4, 4);
    const auto* bytes = reinterpret_cast<const Bytef*>(png.data() + at + 4);
    EXPECT_EQ(number(at + 8 + length), crc32(0, bytes, length + 4)) << type;
    if (type == "IHDR") {
      EXPECT_EQ(number(at + 8), 7u);
      EXPECT_EQ(number(at + 12), 5u);
    }
    if (type == "IDAT") packed += png.substr(at + 8, length);
    at += 12 + length;
  }
  std::vector<std::uint8_t> rows(5 * (1 + 7 * 3));
  uLongf size = rows.size();
  ASSERT_EQ(uncompress(rows.data(), &size, reinterpret_cast<const Bytef*>(packed.data()), packed.size()),
            Z_OK);
  ASSERT_EQ(size, rows.size());
  std::vector<std::uint8_t> rgb(7 * 5 * 3);
  for (int y = 0; y < 5; ++y) {
    ASSERT_EQ(rows[static_cast<std::size_t>(y * 22)], 4);
    for (int x = 0; x < 21; ++x) {
      const auto pixel = [&](int px, int py) {
        return px < 0 || py < 0 ? 0 : static_cast<int>(rgb[static_cast<std::size_t>(py * 21 + px)]);
      };
      const int a = pixel(x - 3, y), b = pixel(x, y - 1), c = pixel(x - 3, y - 1), p = a + b - c;
      const int pa = std::abs(p - a), pb = std::abs(p - b), pc = std::abs(p - c);
      const int predicted = pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
      rgb[static_cast<std::size_t>(y * 21 + x)] =
          static_cast<std::uint8_t>(rows[static_cast<std::size_t>(y * 22 + 1 + x)] + predicted);
    }
  }
  EXPECT_EQ(rgb, image.rgb);
}

}  // namespace
}  // namespace stunt
