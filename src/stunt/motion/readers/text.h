// Text as files have it, made UTF-8: everything inside is.
#pragma once

#include <string>
#include <string_view>

namespace stunt {

// A text file's bytes as UTF-8: UTF-16 with or without a byte order mark is converted, anything else returned as
// it is.
std::string decode_utf16(std::string bytes);

// Valid UTF-8 whatever the bytes are: as they stand where they are that; where none of them is part of a longer
// character, taken as Latin-1; otherwise with U+FFFD for what is cut or wrong. Control characters become blanks.
std::string to_utf8(std::string_view bytes);

// A joint's or animation's name in UTF-8. Throws InputError where it is longer than kLongestName.
std::string readable_name(std::string_view bytes, const std::string& place);

}  // namespace stunt
