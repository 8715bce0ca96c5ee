// How many pullers share a load: the static optimisation of muscle forces (Geijtenbeek 2013, eq. 4.12, 4.13).
//
//   min  sum_i a_i^2 + W max(0, a_i - 1)^2  +  sum_j (r_j / rho)^2     so that  sum_i a_i d_i + r = t,  a >= 0
//
// a_i: the force of puller i, in its strength; d_i: what it does to the n loads at its full strength; r: what is left to
// reserves, which are so dear that they take next to nothing where anybody can pull. With W = 0 this is eq. 4.13 as printed;
// W > 0 asks a puller for more than its strength only where the others cannot help.
//
// Few loads, hundreds of bounds: solved in the multipliers v of the loads, of which there are n. The dual function
//
//   psi(v) = sum_i phi*(d_i . v) + sum_j rho^2 v_j^2 / 4 - t . v          (phi*: conjugate of a puller's cost)
//
// is convex, once differentiable and made of quadratic pieces, so Newton's method with a line search ends after a few steps;
// it begins where it ended the last time, which for the next frame of a motion is nearly there. d_i are sparse.
#pragma once

#include <span>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/Core>

namespace stunt {

class LoadSharing {
 public:
  struct Entry {
    int load;
    double value;
  };
  // `loads`: n. `overload`: W. `reserve`: rho, in the unit of the loads.
  LoadSharing(int loads, double overload, double reserve);

  // The pullers: columns[i] begins at first[i] in entries, first has one more than there are pullers. Which loads a puller
  // acts on may not change, but values may: set them in entries().
  void set_pullers(std::vector<int> first, std::vector<Entry> entries);
  std::span<Entry> entries() { return entries_; }
  int size() const { return static_cast<int>(first_.size()) - 1; }

  // Returns the number of Newton steps; negative where it did not come to the tolerance.
  int solve(const Eigen::VectorXd& loads);
  const Eigen::VectorXd& share() const { return share_; }      // a
  const Eigen::VectorXd& reserve() const { return reserve_; }  // r, in the unit of the loads
  void forget() { multiplier_.setZero(); }                     // where it ended

 private:
  double evaluate(const Eigen::VectorXd& multiplier, const Eigen::VectorXd& loads);

  double overload_, reserve_cost_;
  std::vector<int> first_;
  std::vector<Entry> entries_;
  Eigen::VectorXd multiplier_, trial_, step_, gradient_, share_, slope_, reserve_;
  Eigen::MatrixXd hessian_;
  Eigen::LLT<Eigen::MatrixXd> factor_;
};

}  // namespace stunt
