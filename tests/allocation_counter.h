// Counts calls of operator new in this process, so that a test can prove that a loop allocates nothing.
#pragma once

#include <cstddef>

namespace stunt::test {

std::size_t allocations();  // since the program started, of all threads

}  // namespace stunt::test
