#include "stunt/core/embedded.h"

// Made by cmake/embed_data.cmake; the last entry is all null.
extern "C" {
struct StuntEmbeddedFile {
  const char* name;
  const char* begin;
  const char* end;
};
extern const StuntEmbeddedFile stunt_embedded_table[];
}

namespace stunt {

std::optional<std::string_view> embedded_file(std::string_view name) {
  for (const auto* file = stunt_embedded_table; file->name; ++file) {
    if (name == file->name)
      return std::string_view(file->begin, static_cast<std::size_t>(file->end - file->begin));
  }
  return std::nullopt;
}

std::vector<std::string> embedded_names(std::string_view folder) {
  std::vector<std::string> names;
  for (const auto* file = stunt_embedded_table; file->name; ++file) {
    const std::string_view name = file->name;
    if (name.size() > folder.size() && name.starts_with(folder) && name[folder.size()] == '/') {
      const auto stem = name.substr(folder.size() + 1);
      names.emplace_back(stem.substr(0, stem.rfind('.')));
    }
  }
  return names;
}

}  // namespace stunt
