#include "stunt/core/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "stunt/core/error.h"

namespace stunt {
namespace fs = std::filesystem;
namespace {

fs::path temporary_name(const fs::path& path) {
  return path.parent_path() / fmt::format(".{}.{}.part", path.filename().string(), getpid());
}

// Writes what is to become `path` to its temporary name, which is returned.
fs::path write_through(const fs::path& target, std::string_view bytes) {
  const fs::path path = temporary_name(target);
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) throw RunError(fmt::format("cannot write {}: {}", target.string(), std::strerror(errno)));
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int error = errno;
      close(file);
      unlink(path.c_str());
      throw RunError(fmt::format("cannot write {}: {}", target.string(), std::strerror(error)));
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  if (close(file) != 0) {
    const int error = errno;
    unlink(path.c_str());
    throw RunError(fmt::format("cannot write {}: {}", target.string(), std::strerror(error)));
  }
  return path;
}

}  // namespace

std::string read_file(const fs::path& path, std::size_t largest) {
  std::error_code error;
  const auto status = fs::status(path, error);
  if (!fs::exists(status)) throw InputError(path.string(), "no such file", "a file that can be read");
  if (fs::is_directory(status)) throw InputError(path.string(), "a folder", "a file");
  if (!fs::is_regular_file(status))
    throw InputError(path.string(), "something that is not a regular file", "a file");
  const auto size = fs::file_size(path, error);
  if (!error && size > largest) {
    throw InputError(path.string(), fmt::format("{} bytes", size), fmt::format("at most {}", largest));
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw InputError(path.string(), std::strerror(errno), "a file that can be read");
  std::string bytes(size, '\0');
  stream.read(bytes.data(), static_cast<std::streamsize>(size));
  bytes.resize(static_cast<std::size_t>(stream.gcount()));
  return bytes;
}

void write_file(const fs::path& path, std::string_view bytes) {
  const fs::path temporary = write_through(path, bytes);
  std::error_code error;
  fs::rename(temporary, path, error);
  if (error) {
    unlink(temporary.c_str());
    throw RunError(fmt::format("cannot write {}: {}", path.string(), error.message()));
  }
}

OutputFolder::OutputFolder(fs::path folder) : folder_(std::move(folder)) {
  std::error_code error;
  if (fs::exists(folder_, error) && !fs::is_directory(folder_, error)) {
    throw InputError(folder_.string(), "a file", "a folder for the output, or a name not taken yet");
  }
}

OutputFolder::~OutputFolder() {
  for (const auto& name : names_) unlink(temporary_name(folder_ / name).c_str());
  std::error_code error;
  for (const auto& folder : made_folders_) fs::remove(folder, error);  // only when it is empty
}

void OutputFolder::add(const std::string& name, std::string_view bytes) {
  for (const auto& other : names_) {
    if (other == name) throw InputError((folder_ / name).string(), "two outputs to one place", "one each");
  }
  if (names_.empty() && !fs::exists(folder_)) {
    for (fs::path missing = folder_; !missing.empty() && !fs::exists(missing);
         missing = missing.parent_path()) {
      made_folders_.push_back(missing);
    }
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error)
      throw RunError(fmt::format("cannot make the folder {}: {}", folder_.string(), error.message()));
  }
  write_through(folder_ / name, bytes);
  names_.push_back(name);
}

void OutputFolder::commit() {
  for (const auto& name : names_) {
    std::error_code error;
    fs::rename(temporary_name(folder_ / name), folder_ / name, error);
    if (error) throw RunError(fmt::format("cannot write {}: {}", (folder_ / name).string(), error.message()));
  }
  names_.clear();
  made_folders_.clear();
}

}  // namespace stunt
