#include "stunt/solve/free_set_cholesky.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace stunt {
namespace {

// Four doubles in one register: with -march=x86-64-v3 each operation below is one AVX2 instruction, elsewhere
// the compiler splits it.
using Pack = double __attribute__((vector_size(32)));
constexpr int kPanel = 4;  // columns factored together; also the row padding
constexpr double kSmallestPivot =
    1e-12;  // of the diagonal entry; less is singular for all that double can tell

inline void load(const double* from, Pack& pack) { std::memcpy(&pack, from, sizeof(Pack)); }
inline void store(const Pack& pack, double* to) { std::memcpy(to, &pack, sizeof(Pack)); }

int round_up(int n) { return (n + kPanel - 1) / kPanel * kPanel; }
int round_down(int n) { return n / kPanel * kPanel; }

// acc[p][c] = L(row + 4p.., column + c) minus what the columns on the left contribute:
// sum over k < column of L(row.., k) L(column + c, k). All in registers: Packs * 4 accumulators.
template <int Packs>
inline void subtract_left_columns(const double* L, int stride, int row, int column,
                                  Pack (&acc)[Packs][kPanel]) {
  for (int p = 0; p < Packs; ++p) {
    for (int c = 0; c < kPanel; ++c) load(L + row + 4 * p + (column + c) * stride, acc[p][c]);
  }
  const double* left = L + row;
  const double* panel = L + column;
  for (int k = 0; k < column; ++k, left += stride, panel += stride) {
    Pack rows[Packs];
    for (int p = 0; p < Packs; ++p) load(left + 4 * p, rows[p]);
    for (int c = 0; c < kPanel; ++c) {
      for (int p = 0; p < Packs; ++p) acc[p][c] -= rows[p] * panel[c];
    }
  }
}

// The rows below a factored diagonal block: X D' = acc, with D the 4 x 4 lower triangle at (column, column).
template <int Packs>
inline void finish(double* L, int stride, int row, int column, const double* inverse_diagonal) {
  Pack acc[Packs][kPanel];
  subtract_left_columns<Packs>(L, stride, row, column, acc);
  for (int c = 0; c < kPanel; ++c) {
    for (int d = 0; d < c; ++d) {
      const double below = L[column + c + (column + d) * stride];
      for (int p = 0; p < Packs; ++p) acc[p][c] -= acc[p][d] * below;
    }
    for (int p = 0; p < Packs; ++p) {
      acc[p][c] *= inverse_diagonal[column + c];
      store(acc[p][c], L + row + 4 * p + (column + c) * stride);
    }
  }
}

}  // namespace

void FreeSetCholesky::resize(int n) {
  n_ = n;
  stride_ = round_up(n);
  order_.resize(static_cast<std::size_t>(n));
  old_row_.resize(static_cast<std::size_t>(n));
  in_factor_.resize(static_cast<std::size_t>(n));
  const auto length = static_cast<std::size_t>(stride_);
  if (L_.size() < length * length) L_.resize(length * length);
  if (inverse_diagonal_.size() < length) inverse_diagonal_.resize(length);
  clear();
}

void FreeSetCholesky::clear() {
  size_ = padded_ = 0;
  std::fill(in_factor_.begin(), in_factor_.end(), char{0});
}

bool FreeSetCholesky::update(const double* H, int stride, const std::vector<char>& is_free) {
  const int old_size = size_;
  int kept = 0, first_gone = old_size;
  for (int row = 0; row < old_size; ++row) {
    const int variable = order_[row];
    if (is_free[variable]) {
      order_[kept] = variable;
      old_row_[kept++] = row;
    } else {
      in_factor_[variable] = 0;
      first_gone = std::min(first_gone, row);
    }
  }
  size_ = kept;
  for (int i = 0; i < n_; ++i) {
    if (is_free[i] && !in_factor_[i]) {
      in_factor_[i] = 1;
      order_[size_++] = i;
    }
  }
  if (kept == old_size && size_ == old_size) return true;
  padded_ = round_up(size_);

  const int valid = round_down(first_gone);  // columns left of the change
  for (int column = 0; column < valid; ++column) {
    double* L = L_.data() + column * stride_;
    for (int row = first_gone; row < kept; ++row) L[row] = L[old_row_[row]];
  }
  // Rows that joined (and padding) still lack those columns. Whole packs of rows: a few are computed again.
  const int joined = std::max(valid, round_down(kept));
  for (int column = 0; column < valid && joined < padded_; column += kPanel) {
    gather(H, stride, column, joined);
    finish_rows(column, joined);
  }
  for (int column = valid; column < padded_; column += kPanel) {
    gather(H, stride, column, column);
    if (!factor_diagonal_block(column)) {
      clear();
      return false;
    }
    finish_rows(column, column + kPanel);
  }
  return true;
}

// Copies H into four columns of L, to be worked on in place.
void FreeSetCholesky::gather(const double* H, int stride, int column, int first_row) {
  for (int c = column; c < column + kPanel; ++c) {
    double* L = L_.data() + c * stride_;
    if (c < size_) {
      const double* from = H + order_[c] * stride;
      for (int row = first_row; row < size_; ++row) L[row] = from[order_[row]];
      std::fill(L + std::max(first_row, size_), L + padded_, 0.0);
    } else {
      std::fill(L + first_row, L + padded_, 0.0);
      if (c >= first_row) L[c] = 1.0;
    }
  }
}

// The 4 x 4 block on the diagonal, scalar by scalar.
bool FreeSetCholesky::factor_diagonal_block(int column) {
  double original[kPanel], block[kPanel][kPanel];  // block[c][row]
  for (int c = 0; c < kPanel; ++c) original[c] = L_[column + c + (column + c) * stride_];
  Pack acc[1][kPanel];
  subtract_left_columns<1>(L_.data(), stride_, column, column, acc);
  for (int c = 0; c < kPanel; ++c) store(acc[0][c], block[c]);
  for (int c = 0; c < kPanel; ++c) {
    for (int d = 0; d < c; ++d) {
      for (int row = c; row < kPanel; ++row) block[c][row] -= block[d][row] * block[d][c];
    }
    const double pivot = block[c][c];
    if (!(pivot > kSmallestPivot * original[c])) return false;
    const double root = std::sqrt(pivot), inverse = 1.0 / root;
    inverse_diagonal_[column + c] = inverse;
    block[c][c] = root;
    for (int row = c + 1; row < kPanel; ++row) block[c][row] *= inverse;
    for (int row = c; row < kPanel; ++row) L_[column + row + (column + c) * stride_] = block[c][row];
  }
  return true;
}

void FreeSetCholesky::finish_rows(int column, int first_row) {
  int row = first_row;
  for (; row + 8 <= padded_; row += 8) finish<2>(L_.data(), stride_, row, column, inverse_diagonal_.data());
  for (; row < padded_; row += 4) finish<1>(L_.data(), stride_, row, column, inverse_diagonal_.data());
}

void FreeSetCholesky::solve(double* x) const {
  // L y = x, a panel of four unknowns at a time.
  for (int column = 0; column < padded_; column += kPanel) {
    const double* L = L_.data() + column * stride_;
    double y[kPanel];
    for (int c = 0; c < kPanel; ++c) {
      double rest = x[column + c];
      for (int d = 0; d < c; ++d) rest -= L[column + c + d * stride_] * y[d];
      y[c] = x[column + c] = rest * inverse_diagonal_[column + c];
    }
    for (int row = column + kPanel; row < padded_; row += 4) {
      Pack rest, l;
      load(x + row, rest);
      for (int c = 0; c < kPanel; ++c) {
        load(L + row + c * stride_, l);
        rest -= l * y[c];
      }
      store(rest, x + row);
    }
  }
  // L' x = y, backwards.
  for (int column = padded_ - kPanel; column >= 0; column -= kPanel) {
    const double* L = L_.data() + column * stride_;
    Pack sum[kPanel] = {};
    for (int row = column + kPanel; row < padded_; row += 4) {
      Pack known, l;
      load(x + row, known);
      for (int c = 0; c < kPanel; ++c) {
        load(L + row + c * stride_, l);
        sum[c] += l * known;
      }
    }
    for (int c = kPanel - 1; c >= 0; --c) {
      double rest = x[column + c] - ((sum[c][0] + sum[c][1]) + (sum[c][2] + sum[c][3]));
      for (int d = c + 1; d < kPanel; ++d) rest -= L[column + d + c * stride_] * x[column + d];
      x[column + c] = rest * inverse_diagonal_[column + c];
    }
  }
}

void add_columns(const double* matrix, int stride, int rows, const int* columns, const double* factors,
                 int count, double* out) {
  int k = 0;
  for (; k + 4 <= count; k += 4) {
    const double* a = matrix + columns[k] * stride;
    const double* b = matrix + columns[k + 1] * stride;
    const double* c = matrix + columns[k + 2] * stride;
    const double* d = matrix + columns[k + 3] * stride;
    for (int row = 0; row < rows; row += 4) {
      Pack sum, pa, pb, pc, pd;
      load(out + row, sum);
      load(a + row, pa);
      load(b + row, pb);
      load(c + row, pc);
      load(d + row, pd);
      sum += (pa * factors[k] + pb * factors[k + 1]) + (pc * factors[k + 2] + pd * factors[k + 3]);
      store(sum, out + row);
    }
  }
  for (; k < count; ++k) {
    const double* a = matrix + columns[k] * stride;
    for (int row = 0; row < rows; row += 4) {
      Pack sum, pa;
      load(out + row, sum);
      load(a + row, pa);
      sum += pa * factors[k];
      store(sum, out + row);
    }
  }
}

}  // namespace stunt
