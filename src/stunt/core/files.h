// Reading whole files, and writing one so that a killed run leaves either the old file or a whole new one.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace stunt {

// The bytes of a file. Throws InputError when it is missing, not a regular file, or larger than `largest` bytes.
std::string read_file(const std::filesystem::path& path, std::size_t largest = std::size_t{1} << 30);

// Writes to a temporary file beside `path` and renames it, keeping the permissions of a file that was there. A link is
// followed; what is no regular file (a device, a pipe, the program's own stdout) is written into. Throws InputError for
// a folder, RunError when the disk refuses.
void write_file(const std::filesystem::path& path, std::string_view bytes);

// Writes a file where none may be yet. Errors speak of `shown`.
void create_file(const std::filesystem::path& path, std::string_view bytes,
                 const std::filesystem::path& shown);

}  // namespace stunt
