// AMASS NPZ: whatever the bytes are, reading ends with a clip or an InputError.
#include <cstdint>
#include <string>

#include "stunt/core/error.h"
#include "stunt/motion/interpret.h"
#include "stunt/motion/readers/amass.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    stunt::Clip clip = stunt::read_amass(std::string(reinterpret_cast<const char*>(data), size), "fuzz.npz");
    stunt::interpret(clip, {}, "fuzz.npz");
  } catch (const stunt::InputError&) {
  }
  return 0;
}
