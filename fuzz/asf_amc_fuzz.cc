// ASF and AMC in one input, the AMC from the first "#!OML" on: reading ends with a clip or an InputError.
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "stunt/core/error.h"
#include "stunt/motion/interpret.h"
#include "stunt/motion/readers/asf_amc.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view both(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = std::min(both.find("#!OML"), both.size());
  try {
    stunt::Clip clip = stunt::read_asf_amc(both.substr(0, cut), "fuzz.asf", both.substr(cut), "fuzz.amc");
    stunt::interpret(clip, {}, "fuzz.amc");
  } catch (const stunt::InputError&) {
  }
  return 0;
}
