// Reading whole files, and writing so that a killed run leaves either the old files or whole new ones.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace stunt {

// The bytes of a file. Throws InputError when it is missing, not a regular file, or larger than `largest` bytes.
std::string read_file(const std::filesystem::path& path, std::size_t largest = std::size_t{1} << 30);

// Writes to a temporary name beside `path` and renames it. Throws RunError when the disk refuses.
void write_file(const std::filesystem::path& path, std::string_view bytes);

// The files of one run. They are collected under temporary names and appear under their own names together,
// on commit(). Dropped without commit, nothing remains and earlier files are untouched.
class OutputFolder {
 public:
  explicit OutputFolder(std::filesystem::path folder);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  void add(const std::string& name, std::string_view bytes);  // InputError when a name is added twice
  void commit();
  const std::filesystem::path& path() const { return folder_; }

 private:
  std::filesystem::path folder_;
  std::vector<std::string> names_;
  std::vector<std::filesystem::path> made_folders_;  // innermost first
};

}  // namespace stunt
