// Counts the memory allocations of the process (malloc and what is built on it: new, Eigen), to test that a
// loop makes none. With address sanitizer, which brings its own malloc, nothing can be counted: skip then.
//
//   if (!mallocs_can_be_counted()) GTEST_SKIP() << "the sanitizer owns malloc";
//   const long before = malloc_count();
//   ...
//   EXPECT_EQ(malloc_count() - before, 0);
#pragma once

namespace stunt {

bool mallocs_can_be_counted();
// By this thread, since it started.
long malloc_count();

}  // namespace stunt
