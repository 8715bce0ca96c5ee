// glTF and GLB through assimp: whatever the bytes are, reading ends with a clip or an InputError.
#include <cstdint>
#include <string_view>

#include "stunt/core/error.h"
#include "stunt/motion/interpret.h"
#include "stunt/motion/readers/assimp_reader.h"

// Leaks inside the library on broken files are not ours to mend; everything else counts.
extern "C" const char* __lsan_default_suppressions() { return "leak:libassimp"; }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    stunt::Clip clip =
        stunt::read_with_assimp(bytes, bytes.starts_with("glTF") ? "glb" : "gltf", "fuzz.gltf");
    stunt::interpret(clip, {}, "fuzz.gltf");
  } catch (const stunt::InputError&) {
  }
  return 0;
}
