// BVH: whatever the bytes are, reading ends with a clip or an InputError; a clip can be written and read
// again.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "stunt/core/error.h"
#include "stunt/motion/interpret.h"
#include "stunt/motion/readers/bvh.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  stunt::Clip clip;
  try {
    clip = stunt::read_bvh({reinterpret_cast<const char*>(data), size}, "fuzz.bvh");
  } catch (const stunt::InputError&) {
    return 0;
  }
  const stunt::Clip again = stunt::read_bvh(stunt::write_bvh(clip), "written.bvh");
  if (again.skeleton.size() != clip.skeleton.size() || again.frame_count() != clip.frame_count())
    std::abort();
  try {
    stunt::interpret(clip, {}, "fuzz.bvh");
  } catch (const stunt::InputError&) {
  }
  return 0;
}
