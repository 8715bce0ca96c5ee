#include "stunt/core/output_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "stunt/core/error.h"
#include "stunt/core/files.h"

namespace stunt {
namespace fs = std::filesystem;
namespace {

constexpr int kMostTakenOver = 1000;  // files and folders of others that are linked into the new folder
constexpr int kLongestWait = 60;      // s, for another run to finish its commit

[[noreturn]] void cannot_write(const fs::path& path, int error) {
  throw RunError(fmt::format("cannot write {}: {}", path.string(), std::strerror(error)));
}

// A lock on a folder, held while this lives. Where the file system has no locks, none.
class FolderLock {
 public:
  explicit FolderLock(const fs::path& folder)
      : descriptor_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (descriptor_ < 0) return;
    for (int tries = 0; flock(descriptor_, LOCK_EX | LOCK_NB) != 0; ++tries) {
      if (errno != EWOULDBLOCK && errno != EINTR) return;
      if (tries == kLongestWait * 100) {
        close(descriptor_);
        throw RunError(fmt::format("cannot write in {}: another run has been writing there for {} s",
                                   folder.string(), kLongestWait));
      }
      usleep(10'000);
    }
  }
  ~FolderLock() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

std::set<std::string> files_of_last_run(const fs::path& folder) {
  std::set<std::string> names;
  std::ifstream list(folder / OutputFolder::kListFile);
  for (std::string name; std::getline(list, name);) names.insert(name);
  return names;
}

// Links everything in `from` but `except` into `to`. False when there is too much of it, or it cannot be linked.
bool take_over(const fs::path& from, const fs::path& to, const std::set<std::string>& except, int& budget) {
  std::error_code error;
  for (fs::directory_iterator entry(from, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (except.contains(name)) continue;
    if (--budget < 0) return false;
    if (entry->symlink_status().type() == fs::file_type::directory) {
      if (!fs::create_directory(to / name, entry->path(), error)) return false;
      if (!take_over(entry->path(), to / name, {}, budget)) return false;
    } else if (linkat(AT_FDCWD, entry->path().c_str(), AT_FDCWD, (to / name).c_str(), 0) != 0) {
      return false;
    }
  }
  return !error;
}

// Whether this process is at work in the folder or below it: after an exchange it would stand in the removed one.
bool is_current(const fs::path& folder) {
  std::error_code error;
  for (fs::path at = fs::current_path(error); !error; at = at.parent_path()) {
    if (at == folder) return true;
    if (at == at.parent_path()) return false;
  }
  return true;
}

// The new folder in the place of the old one, and the old one in its. False when that cannot be done.
bool exchange(const fs::path& fresh, const fs::path& target, std::set<std::string> replaced) {
  struct stat old {};
  if (is_current(target) || stat(target.c_str(), &old) != 0) return false;
  if (faccessat(AT_FDCWD, target.c_str(), W_OK | X_OK, AT_EACCESS) != 0) cannot_write(target, errno);
  if (old.st_uid != geteuid() && chown(fresh.c_str(), old.st_uid, old.st_gid) != 0) return false;
  if (chmod(fresh.c_str(), old.st_mode & 07777) != 0) return false;
  replaced.merge(files_of_last_run(target));
  int budget = kMostTakenOver;
  if (!take_over(target, fresh, replaced, budget)) return false;
  if (renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) != 0) return false;
  // Whatever came into the old folder while this went on.
  std::error_code error;
  for (fs::directory_iterator entry(fresh, error), end; !error && entry != end; entry.increment(error)) {
    const fs::path name = entry->path().filename();
    if (!replaced.contains(name.string()))
      renameat2(AT_FDCWD, entry->path().c_str(), AT_FDCWD, (target / name).c_str(), RENAME_NOREPLACE);
  }
  return true;
}

void rename_each(const fs::path& fresh, const fs::path& target, const std::set<std::string>& names) {
  for (const std::string& name : files_of_last_run(target)) {
    const bool plain = !name.empty() && name.find('/') == std::string::npos;
    if (plain && !names.contains(name)) unlink((target / name).c_str());
  }
  for (const std::string& name : names) {
    if (rename((fresh / name).c_str(), (target / name).c_str()) != 0) cannot_write(target / name, errno);
  }
}

}  // namespace

OutputFolder::OutputFolder(fs::path folder) : folder_(std::move(folder)) {
  std::error_code error;
  if (fs::exists(folder_, error) && !fs::is_directory(folder_, error)) {
    throw InputError(folder_.string(), "a file", "a folder for the output, or a name not taken yet");
  }
}

OutputFolder::~OutputFolder() {
  private_ = Temporary();
  std::error_code error;
  for (const auto& folder : made_folders_) fs::remove(folder, error);  // only when it is empty
}

void OutputFolder::begin() {
  std::error_code error;
  target_ = fs::weakly_canonical(fs::absolute(folder_), error);
  if (error) cannot_write(folder_, error.value());
  if (!target_.has_filename()) target_ = target_.parent_path();  // the name was given with a slash at its end
  const fs::path parent = target_.parent_path();
  for (fs::path missing = parent; !missing.empty() && !fs::exists(missing, error);
       missing = missing.parent_path())
    made_folders_.push_back(missing);
  fs::create_directories(parent, error);
  if (error) throw RunError(fmt::format("cannot make the folder {}: {}", folder_.string(), error.message()));
  remove_leftovers(parent);
  private_ = Temporary::folder(parent, folder_);
  new_ = private_.path() / "new";
  if (mkdir(new_.c_str(), 0777) != 0) cannot_write(folder_, errno);
}

void OutputFolder::add(const std::string& name, std::string_view bytes) {
  if (names_.contains(name))
    throw InputError((folder_ / name).string(), "two outputs to one place", "one each");
  if (!private_) begin();
  create_file(new_ / name, bytes, folder_ / name);
  names_.insert(name);
}

void OutputFolder::commit() {
  if (names_.empty()) return;
  create_file(new_ / kListFile, fmt::format("{}\n", fmt::join(names_, "\n")), folder_ / kListFile);
  names_.insert(kListFile);
  const FolderLock lock(target_.parent_path());
  const bool appeared = renameat2(AT_FDCWD, new_.c_str(), AT_FDCWD, target_.c_str(), RENAME_NOREPLACE) == 0;
  if (!appeared) {
    std::error_code error;
    fs::create_directory(target_, error);  // where the file system does not know the flag
    if (!exchange(new_, target_, names_)) rename_each(new_, target_, names_);
  }
  private_ = Temporary();
  names_.clear();
  made_folders_.clear();
}

}  // namespace stunt
