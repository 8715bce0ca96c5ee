// A recording's parts, put into a sound NPZ (npz_fuzz breaks those): reading ends with a recording or an
// InputError. The input is texts divided by lines "----": `about`, the scene's MJCF, the first character's
// MJCF, and arrays, one a line: name, type (f4, f8, i4, i8) and numbers.
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "stunt/core/error.h"
#include "stunt/core/npz.h"
#include "stunt/report/files/recording_file.h"

namespace {

std::string next_text(std::string& rest) {
  const std::size_t end = rest.find("----\n");
  const std::string text = rest.substr(0, end);
  rest.erase(0, end == std::string::npos ? end : end + 5);
  return text;
}

template <stunt::NpyNumber T>
void add(stunt::NpzWriter& file, const std::string& name, std::istream& numbers) {
  std::vector<T> values;
  for (T value; numbers >> value;) values.push_back(value);
  file.add(name, values);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string rest(reinterpret_cast<const char*>(data), size);
  stunt::NpzWriter file(0);
  for (const char* name : {"about", "scene_xml", "actor0_xml"}) file.add_text(name, next_text(rest));
  std::istringstream lines(rest);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name, type;
    words >> name >> type;
    if (type == "f4") add<float>(file, name, words);
    if (type == "f8") add<double>(file, name, words);
    if (type == "i4") add<std::int32_t>(file, name, words);
    if (type == "i8") add<std::int64_t>(file, name, words);
  }
  try {
    stunt::parse_recording(file.finish(), "fuzz.npz");
  } catch (const stunt::InputError&) {
  }
  return 0;
}
