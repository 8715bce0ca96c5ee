#include "stunt/motion/readers/text.h"

#include <gtest/gtest.h>

#include "stunt/core/error.h"

namespace stunt {
namespace {

TEST(Text, NamesBecomeUtf8) {
  EXPECT_EQ(to_utf8("LeftFoot"), "LeftFoot");
  EXPECT_EQ(to_utf8("\xE5\xB7\xA6\xE8\xB6\xB3"), "\xE5\xB7\xA6\xE8\xB6\xB3");          // as it stands
  EXPECT_EQ(to_utf8("Fu\xDF"), "Fu\xC3\x9F");                                          // Latin-1
  EXPECT_EQ(to_utf8("\xE5\xB7\xA6\xE8\xB6"), "\xE5\xB7\xA6\xEF\xBF\xBD\xEF\xBF\xBD");  // cut
  EXPECT_EQ(to_utf8("a\tb"), "a b");
  EXPECT_EQ(to_utf8("\xC0\xAF"), "\xC3\x80\xC2\xAF");  // an overlong slash is no slash
  EXPECT_THROW(readable_name(std::string(1 << 20, 'a'), "here"), InputError);
}

TEST(Text, Utf16IsFoundByItsMarkOrItsZeros) {
  const std::string little("H\0i\0\x3D\xD8\x00\xDE", 8);  // a character of two units
  EXPECT_EQ(decode_utf16("\xFF\xFE" + little), "Hi\xF0\x9F\x98\x80");
  EXPECT_EQ(decode_utf16(little), "Hi\xF0\x9F\x98\x80");
  EXPECT_EQ(decode_utf16(std::string("\xFE\xFF\0H\0i", 6)), "Hi");
  EXPECT_EQ(decode_utf16("HIERARCHY"), "HIERARCHY");
  EXPECT_EQ(decode_utf16(std::string("\xFF\xFE\x00\xDC", 4)), "\xEF\xBF\xBD");  // half a character
}

}  // namespace
}  // namespace stunt
