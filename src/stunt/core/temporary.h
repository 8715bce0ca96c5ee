// Files and folders that exist only while something is being written. Their names cannot be guessed, none is made
// through a link that somebody put there, and the writer holds a lock on each: one without a lock was left behind by a
// run that was killed, and the next run beside it removes it.
#pragma once

#include <filesystem>

namespace stunt {

class Temporary {
 public:
  // An empty file with the user's usual permissions, or an empty folder for the user alone, in `parent`. `purpose` is
  // what is to be written, for the message: throws RunError when it cannot be made.
  static Temporary file(const std::filesystem::path& parent, const std::filesystem::path& purpose);
  static Temporary folder(const std::filesystem::path& parent, const std::filesystem::path& purpose);

  Temporary() = default;  // none
  ~Temporary();           // removes what is still there, with all in it
  Temporary(Temporary&& other) noexcept;
  Temporary& operator=(Temporary&& other) noexcept;

  explicit operator bool() const { return descriptor_ >= 0; }
  const std::filesystem::path& path() const { return path_; }
  int descriptor() const { return descriptor_; }  // a file is open for writing

 private:
  Temporary(std::filesystem::path path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  static Temporary make(const std::filesystem::path& parent, const std::filesystem::path& purpose,
                        bool folder);

  std::filesystem::path path_;
  int descriptor_ = -1;
};

// Removes the temporary files and folders in `parent` that are the user's own and that nobody is writing.
void remove_leftovers(const std::filesystem::path& parent);

}  // namespace stunt
