#include "stunt/core/temporary.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "stunt/core/error.h"

namespace stunt {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kNameBegins = ".stunt-", kNameEnds = ".part";
constexpr std::size_t kNameDigits = 16;

std::string unguessable_name() {
  std::uint64_t random = 0;
  if (getrandom(&random, sizeof random, 0) != sizeof random)
    throw RunError("no random numbers from the system");
  return fmt::format("{}{:0{}x}{}", kNameBegins, random, kNameDigits, kNameEnds);
}

bool is_temporary_name(const std::string& name) {
  return name.size() == kNameBegins.size() + kNameDigits + kNameEnds.size() &&
         name.starts_with(kNameBegins) && name.ends_with(kNameEnds) &&
         name.find_first_not_of("0123456789abcdef", kNameBegins.size()) == kNameBegins.size() + kNameDigits;
}

// The lock is taken after the file is made: in between, another run may have taken it for a leftover.
bool still_there(int descriptor) {
  struct stat status {};
  return fstat(descriptor, &status) == 0 && status.st_nlink > 0;
}

}  // namespace

Temporary Temporary::make(const fs::path& parent, const fs::path& purpose, bool folder) {
  for (;;) {
    const fs::path path = parent / unguessable_name();
    int descriptor = -1;
    if (!folder) {
      descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    } else if (mkdir(path.c_str(), 0700) == 0) {
      descriptor = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      if (descriptor < 0 && errno == ENOENT) continue;  // taken for a leftover
    }
    if (descriptor < 0) {
      if (errno == EEXIST) continue;
      throw RunError(fmt::format("cannot write {}: {}", purpose.string(), std::strerror(errno)));
    }
    Temporary made(path, descriptor);
    while (flock(descriptor, LOCK_EX) != 0 && errno == EINTR) {
    }
    if (still_there(descriptor)) return made;
  }
}

Temporary Temporary::file(const fs::path& parent, const fs::path& purpose) {
  return make(parent, purpose, false);
}
Temporary Temporary::folder(const fs::path& parent, const fs::path& purpose) {
  return make(parent, purpose, true);
}

Temporary::~Temporary() {
  if (descriptor_ < 0) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  close(descriptor_);
}

Temporary::Temporary(Temporary&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

Temporary& Temporary::operator=(Temporary&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

void remove_leftovers(const fs::path& parent) {
  std::vector<fs::path> leftovers;
  std::error_code error;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end; entry.increment(error)) {
    if (is_temporary_name(entry->path().filename().string())) leftovers.push_back(entry->path());
  }
  for (const fs::path& path : leftovers) {
    const int descriptor = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) continue;
    struct stat status {};
    const bool ours = fstat(descriptor, &status) == 0 && status.st_uid == geteuid();
    if (ours && flock(descriptor, LOCK_EX | LOCK_NB) == 0) fs::remove_all(path, error);
    close(descriptor);
  }
}

}  // namespace stunt
