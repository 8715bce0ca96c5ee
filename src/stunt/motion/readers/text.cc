#include "stunt/motion/readers/text.h"

#include <fmt/format.h>

#include <cstdint>

#include "stunt/core/error.h"
#include "stunt/motion/clip.h"

namespace stunt {
namespace {

constexpr std::uint32_t kReplacement = 0xFFFD;

void append_utf8(std::string& out, std::uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (c >> 18));
    out += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

// Length of the valid character (RFC 3629) at `at`, or 0.
std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : std::uint32_t{0};
  };
  const std::uint32_t first = byte(at);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 && first <= 0xF4 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 0;
  if (length == 0 || first > 0xF4) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return 0;
  }
  const std::uint32_t second = byte(at + 1);
  const bool too_long = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool surrogate = first == 0xED && second >= 0xA0;
  const bool too_large = first == 0xF4 && second >= 0x90;
  return too_long || surrogate || too_large ? 0 : length;
}

}  // namespace

std::string decode_utf16(std::string bytes) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  if (bytes.size() < 4) return bytes;
  const bool little_mark = byte(0) == 0xFF && byte(1) == 0xFE, big_mark = byte(0) == 0xFE && byte(1) == 0xFF;
  const bool little = little_mark || (byte(0) != 0 && byte(1) == 0 && byte(2) != 0 && byte(3) == 0);
  const bool big = big_mark || (byte(0) == 0 && byte(1) != 0 && byte(2) == 0 && byte(3) != 0);
  if (!little && !big) return bytes;
  std::string out;
  out.reserve(bytes.size() / 2);
  const auto unit = [&](std::size_t i) -> std::uint32_t {
    return little ? byte(i) | (byte(i + 1) << 8) : (byte(i) << 8) | byte(i + 1);
  };
  for (std::size_t i = little_mark || big_mark ? 2 : 0; i + 1 < bytes.size(); i += 2) {
    const std::uint32_t c = unit(i);
    if (c < 0xD800 || c > 0xDFFF) {
      append_utf8(out, c);
    } else if (c < 0xDC00 && i + 3 < bytes.size() && unit(i + 2) >= 0xDC00 && unit(i + 2) <= 0xDFFF) {
      append_utf8(out, 0x10000 + ((c - 0xD800) << 10) + (unit(i + 2) - 0xDC00));
      i += 2;
    } else {
      append_utf8(out, kReplacement);
    }
  }
  return out;
}

std::string to_utf8(std::string_view bytes) {
  bool longer = false;  // is any byte part of a valid longer character?
  for (std::size_t i = 0; i < bytes.size();) {
    const std::size_t length = utf8_length(bytes, i);
    longer |= length > 1;
    i += std::max<std::size_t>(1, length);
  }
  std::string out;
  for (std::size_t i = 0; i < bytes.size();) {
    const std::size_t length = utf8_length(bytes, i);
    const auto byte = static_cast<unsigned char>(bytes[i]);
    if (length == 0) {
      append_utf8(out, longer || byte < 0xA0 ? kReplacement : byte);
    } else if (length == 1 && (byte < 0x20 || byte == 0x7F)) {
      out += ' ';
    } else {
      out += bytes.substr(i, length);
    }
    i += std::max<std::size_t>(1, length);
  }
  return out;
}

std::string readable_name(std::string_view bytes, const std::string& place) {
  if (bytes.size() > kLongestName) {
    throw InputError(place, fmt::format("a name of {} characters", bytes.size()),
                     fmt::format("at most {}", kLongestName));
  }
  return to_utf8(bytes);
}

}  // namespace stunt
