#include "stunt/motion/readers/trial.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <vector>

#include "stunt/core/error.h"

namespace stunt {
namespace {

std::string error_of(const std::function<void()>& read, const TrialLimits& limits = {}) {
  try {
    try_reading(read, "body.fbx", limits);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Trial, WhatEndsInTheChildIsAnError) {
  EXPECT_EQ(error_of([] { std::raise(SIGSEGV); }).find("body.fbx: found a file that its reader crashes on"),
            0u);
  EXPECT_NE(error_of([] { std::abort(); }).find("crashes"), std::string::npos);
  const auto forever = [] {
    for (volatile unsigned i = 0;;) i = i + 1;
  };
  EXPECT_NE(error_of(forever, {.seconds = 1}).find("more than 1 s"), std::string::npos);
#if !defined(__SANITIZE_ADDRESS__)
  const auto greedy = [] {
    for (std::vector<std::vector<char>> all;;) all.emplace_back(std::size_t{64} << 20);
  };
  EXPECT_NE(error_of(greedy, {.bytes = std::size_t{256} << 20}).find("too much memory"), std::string::npos);
  const auto quiet = [&] {
    try {
      greedy();
    } catch (const std::exception&) {
      throw InputError("body.fbx", "cannot be read");
    }
  };
  EXPECT_NE(error_of(quiet, {.bytes = std::size_t{256} << 20}).find("too much memory"), std::string::npos);
#endif
}

TEST(Trial, WhatIsReadOrRefusedThereIsLeftToTheSecondReading) {
  int read = 0;
  EXPECT_EQ(error_of([&] { ++read; }), "");
  EXPECT_EQ(read, 0) << "another process";
  EXPECT_EQ(error_of([] { throw InputError("body.fbx", "nothing", "a body"); }), "");
}

}  // namespace
}  // namespace stunt
