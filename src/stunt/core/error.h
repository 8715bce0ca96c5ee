// The errors a person can cause.
#pragma once

#include <stdexcept>
#include <string>

namespace stunt {

// Something in the input or on the command line is wrong: exit status 2.
// `place` is the file with its line, or the key; `found` what is there; `expected` what should be.
// Reads as "walk.bvh:17: found 'CHANELS', expected CHANNELS".
class InputError : public std::runtime_error {
 public:
  InputError(const std::string& place, const std::string& found, const std::string& expected)
      : std::runtime_error(place + ": found " + found + ", expected " + expected) {}
  // For the rare case where found/expected do not fit: "walk.bvh: no legs could be found in this skeleton".
  InputError(const std::string& place, const std::string& problem)
      : std::runtime_error(place + ": " + problem) {}
};

// The run itself failed (full disk, interrupt): exit status 1.
class RunError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace stunt
