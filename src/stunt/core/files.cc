#include "stunt/core/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "stunt/core/error.h"
#include "stunt/core/temporary.h"

namespace stunt {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void refuse(const fs::path& path, int error) {
  throw RunError(fmt::format("cannot write {}: {}", path.string(), std::strerror(error)));
}

void write_all(int file, std::string_view bytes, const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) refuse(path, errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

// Where a chain of symbolic links ends, whether or not anything is there.
fs::path end_of_links(fs::path path) {
  constexpr int kMostLinks = 40;  // as the kernel allows
  std::error_code error;
  for (int i = 0; fs::is_symlink(fs::symlink_status(path, error)); ++i) {
    if (i == kMostLinks) refuse(path, ELOOP);
    path = path.parent_path() / fs::read_symlink(path, error);
    if (error) refuse(path, error.value());
  }
  return path;
}

// Writes to what open() gave, and closes it.
void write_opened(int file, std::string_view bytes, const fs::path& shown) {
  if (file < 0) refuse(shown, errno);
  struct Closer {
    int file;
    ~Closer() { close(file); }
  } closer{file};
  write_all(file, bytes, shown);
}

void replace(const fs::path& path, const struct stat* before, std::string_view bytes) {
  const fs::path parent = path.has_parent_path() ? path.parent_path() : fs::path(".");
  remove_leftovers(parent);
  const Temporary temporary = Temporary::file(parent, path);
  write_all(temporary.descriptor(), bytes, path);
  if (before && fchmod(temporary.descriptor(), before->st_mode & 07777) != 0) refuse(path, errno);
  if (rename(temporary.path().c_str(), path.c_str()) != 0) refuse(path, errno);
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
  struct stat there {
  }, open_already{};
  const bool exists = stat(path.c_str(), &there) == 0;
  if (exists && S_ISDIR(there.st_mode)) throw InputError(path.string(), "a folder", "a file to write");
  // /dev/stdout leads to a file that is being written: it must not be replaced by another.
  if (exists && fstat(STDOUT_FILENO, &open_already) == 0 && open_already.st_dev == there.st_dev &&
      open_already.st_ino == there.st_ino) {
    std::fflush(stdout);
    write_all(STDOUT_FILENO, bytes, path);
  } else if (exists && !S_ISREG(there.st_mode)) {
    write_opened(open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC), bytes, path);
  } else {
    replace(end_of_links(path), exists ? &there : nullptr, bytes);
  }
}

void create_file(const fs::path& path, std::string_view bytes, const fs::path& shown) {
  write_opened(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666), bytes, shown);
}

}  // namespace stunt
