// Any bytes as an NPZ archive, and as a bare NPY array: an InputError or an array, nothing else.
#include <cstddef>
#include <cstdint>

#include "stunt/core/error.h"
#include "stunt/core/npz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  try {
    const stunt::NpzFile file(bytes, "fuzz.npz", 1 << 24);
    for (const auto& name : file.names()) {
      try {
        file.read(name);
      } catch (const stunt::InputError&) {
      }
    }
  } catch (const stunt::InputError&) {
  }
  try {
    stunt::parse_npy(bytes, "fuzz.npy");
  } catch (const stunt::InputError&) {
  }
  return 0;
}
