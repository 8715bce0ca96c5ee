// Linear complementarity problems: find z with
//
//   w = M z + q,   w >= 0,   z >= 0,   w_i z_i = 0
//
// M need not be symmetric. Where it is positive semidefinite on z >= 0 (copositive), as for contact with a friction pyramid, a
// solution is found wherever there is one (Cottle, Pang and Stone, "The Linear Complementarity Problem", section 4.4).
//
// How: first the guess that the same z are above zero as the caller says, which is one linear system; then Lemke's method, a
// walk from one choice of non-zero variables to a neighbouring one. In either case the last choice is solved for anew, so that
// rounding does not grow with the length of the walk. A walk that ends nowhere is made once more with a little added to the
// diagonal: on singular matrices rounding leads astray.
#pragma once

#include <string>
#include <vector>

#include "stunt/core/rotation.h"

namespace stunt {

enum class LcpStatus {
  solved,
  none,        // the walk ends in a ray: no solution, for the matrices it is meant for
  pivot_limit  // rounding, or a matrix it is not meant for; z is not to be used
};
std::string to_string(LcpStatus status);

class LcpSolver {
 public:
  // For at most this many unknowns without allocating; larger problems grow it.
  explicit LcpSolver(int most = 0);

  // `z` has the size of q. What is above zero in it on entry is the guess; the solution is in it on return.
  LcpStatus solve(const Eigen::Ref<const MatX>& M, const Eigen::Ref<const VecX>& q, Eigen::Ref<VecX> z);

  int pivots() const { return pivots_; }  // of the last solution; 0: the guess was right

 private:
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  LcpStatus walk(const Eigen::Ref<const MatX>& M, const Eigen::Ref<const VecX>& q, double ridge);
  void pivot(int n, int row, int column);
  bool solve_for(const Eigen::Ref<const MatX>& M, const Eigen::Ref<const VecX>& q, Eigen::Ref<VecX> z,
                 double slack);
  void make_room(int n);

  RowMajor tableau_;                         // n x (n + 2): z, the covering variable, and the constants
  RowMajor system_;                          // of the z above zero, with its right-hand side
  std::vector<int> basic_, other_, chosen_;  // variables: w_i is i, z_i is n + i, the covering one 2 n
  VecX w_;
  int pivots_ = 0;
};

}  // namespace stunt
