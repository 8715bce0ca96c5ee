// MJCF: whatever the bytes are, reading ends with a character or an InputError; a character's own MJCF can be
// read again.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "stunt/actor/actor.h"
#include "stunt/core/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto actor =
        stunt::Actor::from_xml({reinterpret_cast<const char*>(data), size}, "fuzz", "fuzz.xml");
    const auto again = stunt::Actor::from_xml(actor->xml(), "fuzz", "written.xml");
    if (again->bodies().size() != actor->bodies().size() || again->nv() != actor->nv()) std::abort();
  } catch (const stunt::InputError&) {
  }
  return 0;
}
