#include "tests/allocation_counter.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>

namespace {
std::atomic<std::size_t> count{0};
}

// The array and nothrow forms end here too; aligned forms are left alone. Not inlined, because GCC would then
// take free() for a mismatch with new.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++count;
  if (void* memory = std::malloc(size ? size : 1)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace stunt::test {

std::size_t allocations() { return count; }

TEST(AllocationCounter, Counts) {
  const std::size_t before = allocations();
  auto keep = std::make_unique<int>(3);
  EXPECT_GE(allocations() - before, 1u);
  EXPECT_EQ(*keep, 3);
}

}  // namespace stunt::test
