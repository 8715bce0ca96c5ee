// Runs the program as a person does: in a folder of its own, seeing its exit status and both its outputs.
#pragma once

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace stunt::test {

// A folder that disappears with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  void write(const std::string& name, const std::string& bytes) const;
  std::string read(const std::string& name) const;  // empty where there is none
  std::vector<std::string> names() const;           // everything in it, folders too, sorted

 private:
  std::filesystem::path path_;
};

struct Outcome {
  int status = -1;  // exit status; 128 + signal when it was killed by one
  std::string out, err;
  int error_lines() const;
};

struct Circumstances {
  std::uint64_t largest_file =
      0;                   // bytes a file may have before writing fails, as on a full disk; 0: no limit
  bool interrupt = false;  // Ctrl-C as soon as the program has said something on stderr
};

Outcome run_program(const TemporaryFolder& folder, const std::vector<std::string>& arguments,
                    const Circumstances& circumstances = {});
// A line as printed in the documentation: "stunt track walk".
Outcome run_line(const TemporaryFolder& folder, const std::string& line);

}  // namespace stunt::test
