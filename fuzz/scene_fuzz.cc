// Scene YAML: whatever the bytes are, reading ends with a scene or an InputError.
#include <cstdint>
#include <string_view>

#include "stunt/core/error.h"
#include "stunt/simulate/scene/scene.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    stunt::read_scene({reinterpret_cast<const char*>(data), size}, "fuzz.yaml");
  } catch (const stunt::InputError&) {
  }
  return 0;
}
