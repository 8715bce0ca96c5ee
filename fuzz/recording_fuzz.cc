// A recording's parts, put into a sound NPZ (npz_fuzz breaks those): reading ends with a recording, which can
// be judged, or an InputError. The input is texts divided by lines "----": `about`, the scene as YAML and as MJCF, the first
// character's MJCF, and arrays, one a line: name, type (f4, f8, i4, i8, u1) and numbers.
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "stunt/assess/run_summary.h"
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

template <stunt::NpyNumber T, class Read = T>
void add(stunt::NpzWriter& file, const std::string& name, std::istream& numbers) {
  std::vector<T> values;
  for (Read value; numbers >> value;) values.push_back(static_cast<T>(value));
  file.add(name, values);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string rest(reinterpret_cast<const char*>(data), size);
  stunt::NpzWriter file(0);
  for (const char* name : {"about", "scene_yaml", "scene_xml", "actor0_xml"})
    file.add_text(name, next_text(rest));
  std::istringstream lines(rest);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name, type;
    words >> name >> type;
    if (type == "f4") add<float>(file, name, words);
    if (type == "f8") add<double>(file, name, words);
    if (type == "i4") add<std::int32_t>(file, name, words);
    if (type == "i8") add<std::int64_t>(file, name, words);
    if (type == "u1") add<std::uint8_t, unsigned>(file, name, words);
  }
  try {
    stunt::summarize(stunt::parse_recording(file.finish(), "fuzz.npz"));
  } catch (const stunt::InputError&) {
  }
  return 0;
}
