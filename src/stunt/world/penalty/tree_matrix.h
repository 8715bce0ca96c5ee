// A symmetric matrix with the sparsity of a kinematic forest: entry (i, j) is there only where one of the two degrees of
// freedom moves the other. The mass matrix is one, and stays one when dampers and springs are added that act between the
// ground and one body: they touch the degrees of freedom from the root to that body.
#pragma once

#include <mujoco/mujoco.h>

#include <cstddef>
#include <span>
#include <vector>

namespace stunt {

class TreeMatrix {
 public:
  explicit TreeMatrix(const mjModel& model);

  // The degrees of freedom that move `dof`, from the root on, itself last.
  std::span<const int> chain(int dof) const {
    return {&columns_[start_[dof]], static_cast<std::size_t>(length_[dof])};
  }
  // A row of numbers along a chain is kept in memory for this many, so that four can be handled at a time.
  static int padded(int length) { return (length + 3) & ~3; }

  void set_mass(const mjData& data);  // M with armature, as mj_makeM left it
  void copy_entries(const TreeMatrix& other) { entries_ = other.entries_; }
  void add_diagonal(int dof, double value) { entries_[start_[dof] + length_[dof] - 1] += value; }
  // Adds J^T diag(weight) J, where J has three rows along chain(dof), each padded.
  void add_three_rows(int dof, const double* rows, const double weight[3]);
  // Adds weight * x x^T on three neighbouring degrees of freedom of one joint, `first` to first + 2.
  void add_block(int first, const double x[3], double weight);

  // L^T D L (Featherstone, Rigid Body Dynamics Algorithms, section 6.5): no entry appears that was not there.
  void factor();
  void solve(double* x) const;  // x = A^-1 x, after factor()

 private:
  int size_;
  std::vector<int> start_, length_;  // of each row; rows are padded
  std::vector<int> columns_;         // as entries_
  std::vector<double> entries_;      // lower triangle by rows; L after factor()
  std::vector<double> inverse_;      // of D
  std::vector<int> from_mass_;       // entry of MuJoCo's M -> entry here
};

}  // namespace stunt
