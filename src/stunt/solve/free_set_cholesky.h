// Cholesky factor of the rows and columns of a symmetric matrix that belong to the "free" variables, kept
// while variables leave and join the free set.
//
// The factor's order is: the variables that stayed free, in their old order, then those that joined, by
// index. A row of a Cholesky factor depends on the rows before it only, so everything up to the first
// variable that left remains valid and only the corner after it is factored again; a variable that joins
// costs one more row. This is cheaper and rounds less than rotating the leaving variable out (Golub and Van
// Loan, section 6.5) because the variables that change their mind come last in our problems.
#pragma once

#include <vector>

#include "stunt/core/rotation.h"

namespace stunt {

class FreeSetCholesky {
 public:
  // Room for n variables. Allocates when n is larger than ever before. Forgets the factor.
  void resize(int n);
  // Forgets the factor (the matrix changed).
  void clear();

  // Makes this the factor of H(free, free), where is_free[i] tells of variable i. H: n columns, `stride`
  // apart, both triangles; unchanged since clear(). False when H(free, free) is not positive definite to
  // working precision: then the factor is forgotten.
  bool update(const double* H, int stride, const std::vector<char>& is_free);

  int size() const { return size_; }
  int variable(int row) const { return order_[row]; }

  // right_side (padded to a multiple of 4, by row of the factor) becomes H(free, free)^-1 right_side.
  void solve(double* right_side) const;

 private:
  void gather(const double* H, int stride, int column, int first_row);
  bool factor_diagonal_block(int column);
  void finish_rows(int column, int first_row);

  int n_ = 0, size_ = 0,
      padded_ = 0;  // padded_: size_ rounded up to whole panels; padding rows are unit rows
  int stride_ = 0;
  std::vector<int> order_;    // variable of each row
  std::vector<int> old_row_;  // where a row was before the last update
  std::vector<char> in_factor_;
  std::vector<double> L_;                 // column major; what is above the diagonal is never read
  std::vector<double> inverse_diagonal_;  // 1 / L(i, i)
};

// out[0..rows) += sum over k of matrix(:, columns[k]) * factors[k], for a column-major matrix. Rows padded
// to 4.
void add_columns(const double* matrix, int stride, int rows, const int* columns, const double* factors,
                 int count, double* out);

}  // namespace stunt
