#include "malloc_counter.h"

#include <cstddef>
#include <memory>

#include <gtest/gtest.h>
#include <Eigen/Core>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#define STUNT_COUNTS_ALLOCATIONS 1
#else
#define STUNT_COUNTS_ALLOCATIONS 0
#endif

namespace {
thread_local long count = 0;
}

#if STUNT_COUNTS_ALLOCATIONS
// The program's own definitions take precedence over the C library's, also for shared libraries. glibc keeps
// the real ones under a second name; free() needs no counting and stays as it is.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t items, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) noexcept {
  ++count;
  return __libc_malloc(size);
}
void* calloc(std::size_t items, std::size_t size) noexcept {
  ++count;
  return __libc_calloc(items, size);
}
void* realloc(void* block, std::size_t size) noexcept {
  ++count;
  return __libc_realloc(block, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  ++count;
  return __libc_memalign(alignment, size);
}
}
#endif

namespace stunt {

bool mallocs_can_be_counted() { return STUNT_COUNTS_ALLOCATIONS != 0; }
long malloc_count() { return count; }

TEST(MallocCounter, SeesNewAndEigen) {
  if (!mallocs_can_be_counted()) GTEST_SKIP() << "the sanitizer owns malloc";
  const long start = malloc_count();
  const auto number = std::make_unique<volatile int>(1);
  const long after_new = malloc_count();
  EXPECT_EQ(after_new - start, 1);
  Eigen::VectorXd vector(after_new + 100);
  vector.setOnes();
  EXPECT_EQ(malloc_count() - after_new, 1);
  EXPECT_EQ(vector.sum(), static_cast<double>(after_new + 100));
}

}  // namespace stunt
