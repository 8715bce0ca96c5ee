// DeepMimic JSON: whatever the bytes are, reading ends with a clip or an InputError.
#include <cstdint>
#include <string_view>

#include "stunt/core/error.h"
#include "stunt/motion/interpret.h"
#include "stunt/motion/readers/deepmimic.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    stunt::Clip clip = stunt::read_deepmimic({reinterpret_cast<const char*>(data), size}, "fuzz.json");
    stunt::interpret(clip, {}, "fuzz.json");
  } catch (const stunt::InputError&) {
  }
  return 0;
}
