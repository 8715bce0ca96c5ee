// Matrices of normally distributed numbers, for tests of solvers.
#pragma once

#include "stunt/core/random.h"
#include "stunt/core/rotation.h"

namespace stunt {

inline MatX random_matrix(Random& random, int rows, int columns) {
  MatX result(rows, columns);
  for (double& entry : result.reshaped()) entry = random.normal();
  return result;
}
inline VecX random_vector(Random& random, int size) { return random_matrix(random, size, 1); }

}  // namespace stunt
