#include "stunt/world/penalty/tree_matrix.h"

#include <algorithm>

namespace stunt {

TreeMatrix::TreeMatrix(const mjModel& model)
    : size_(model.nv), start_(size_), length_(size_), inverse_(size_), from_mass_(model.nC) {
  for (int i = 0; i < size_; ++i) {
    start_[i] = static_cast<int>(columns_.size());
    const int parent = model.dof_parentid[i];
    if (parent >= 0) {
      for (int k = 0; k < length_[parent]; ++k) columns_.push_back(columns_[start_[parent] + k]);
    }
    columns_.push_back(i);
    length_[i] = static_cast<int>(columns_.size()) - start_[i];
    columns_.resize(start_[i] + padded(length_[i]), i);
    // MuJoCo leaves out entries of bodies whose own mass matrix is diagonal.
    for (int k = model.M_rowadr[i]; k < model.M_rowadr[i] + model.M_rownnz[i]; ++k) {
      const auto row = chain(i);
      from_mass_[k] =
          start_[i] +
          static_cast<int>(std::lower_bound(row.begin(), row.end(), model.M_colind[k]) - row.begin());
    }
  }
  entries_.assign(columns_.size(), 0.0);
}

void TreeMatrix::set_mass(const mjData& data) {
  std::fill(entries_.begin(), entries_.end(), 0.0);
  for (std::size_t k = 0; k < from_mass_.size(); ++k) entries_[from_mass_[k]] = data.M[k];
}

void TreeMatrix::add_three_rows(int dof, const double* rows, const double weight[3]) {
  const int n = length_[dof], stride = padded(n);
  const int* columns = &columns_[start_[dof]];
  const double *x = rows, *y = rows + stride, *z = rows + 2 * stride;
  for (int a = 0; a < n; ++a) {
    const double wx = weight[0] * x[a], wy = weight[1] * y[a], wz = weight[2] * z[a];
    double* __restrict row = &entries_[start_[columns[a]]];
    for (int b = 0; b <= a; b += 4) {
      for (int k = b; k < b + 4; ++k) row[k] += wx * x[k] + wy * y[k] + wz * z[k];
    }
  }
}

void TreeMatrix::add_block(int first, const double x[3], double weight) {
  for (int i = 0; i < 3; ++i) {
    double* end = &entries_[start_[first + i] + length_[first + i] - 1];
    for (int j = 0; j <= i; ++j) end[j - i] += weight * x[i] * x[j];
  }
}

// Whole groups of four are updated: what this writes behind the end of a row is never read as an entry.
void TreeMatrix::factor() {
  for (int k = size_ - 1; k >= 0; --k) {
    const int n = length_[k];
    const int* columns = &columns_[start_[k]];
    double* __restrict source = &entries_[start_[k]];
    inverse_[k] = 1 / source[n - 1];
    for (int a = n - 2; a >= 0; --a) {
      const double factor = source[a] * inverse_[k];
      double* __restrict target = &entries_[start_[columns[a]]];
      for (int b = 0; b <= a; b += 4) {
        for (int c = b; c < b + 4; ++c) target[c] -= factor * source[c];
      }
    }
    for (int a = 0; a < n - 1; ++a) source[a] *= inverse_[k];  // not before: a load of four would wait for it
  }
}

void TreeMatrix::solve(double* x) const {
  for (int k = size_ - 1; k >= 0; --k) {
    const double value = x[k];
    if (value == 0) continue;
    const int* columns = &columns_[start_[k]];
    const double* row = &entries_[start_[k]];
    for (int a = 0; a < length_[k] - 1; ++a) x[columns[a]] -= row[a] * value;
  }
  for (int k = 0; k < size_; ++k) {
    const int* columns = &columns_[start_[k]];
    const double* row = &entries_[start_[k]];
    double value = x[k] * inverse_[k];
    for (int a = 0; a < length_[k] - 1; ++a) value -= row[a] * x[columns[a]];
    x[k] = value;
  }
}

}  // namespace stunt
