// A path near another one, drawn towards goals for a mixture of its position and acceleration.
//
//   min_c  sum_i n_i (c_i - r_i)^2 + w (c''_i - r''_i)^2 + s_i (alpha_i c_i - beta_i c''_i - t_i)^2
//
// r is the path to stay near, t the goals. c'' is the second difference over the square of the sampling time;
// the first and last frames have that of their neighbours. The normal equations have five diagonals and are
// factored once for all r and t.
#pragma once

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>

#include <vector>

#include "stunt/core/rotation.h"

namespace stunt {

// How much the goal of a frame counts, and what it is a goal for: alpha c - beta c''.
struct PathGoal {
  double weight;    // s
  double alpha;     // 1
  double beta;      // s^2
  double near = 1;  // n, of the path's position
};

class PathSolver {
 public:
  // One goal per frame, at least 3; `acceleration_weight` is w, in s^4.
  PathSolver(std::vector<PathGoal> goals, double rate_hz, double acceleration_weight);

  // `path` is r, `acceleration` r'', `target` t: a value per frame each.
  VecX solve(const VecX& path, const VecX& acceleration, const VecX& target) const;

 private:
  // The first of the three frames that give c'' at a frame.
  int first_of(int frame) const;

  std::vector<PathGoal> goals_;
  double second_[3];  // c'' = second_ . (three frames), 1/s^2
  double acceleration_weight_;
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factored_;
};

}  // namespace stunt
