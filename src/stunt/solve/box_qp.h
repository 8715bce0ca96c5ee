// A solver for strictly convex QPs with bounds only:  minimise 1/2 x'Hx + g'x,  lower <= x <= upper.
// Made for the plans of the controllers: dense, 40 to 160 variables, condition number up to 1e8, solved again
// and again with slowly changing numbers.
//
// Method. A guess tells which variables rest on a bound. With the others free, Newton's step lands on the
// minimum of that face at once; then
//  1. every variable that left its bounds is put on the bound, every bound variable whose multiplier has the
//  wrong
//     sign is freed, all at once, and the step is repeated (block principal pivoting, Judice and Pires 1994;
//     the same as the primal-dual active set of Hintermueller, Ito and Kunisch 2003). With a good guess this
//     ends after one to three rounds, exactly at the solution;
//  2. should the number of such exchanges stop falling, the solver changes to a monotone method: a projected
//  Newton
//     step (Bertsekas 1982) where that decreases the cost enough, else up to the first bound in the way; at
//     the minimum of a face the bounds with the wrong sign are freed, one at a time where all together do not
//     help. The cost falls from face to face, so none comes twice, and it ends;
//  3. where H is only semidefinite (duplicate columns), H + delta I takes its place in proximal-point rounds
//  (Parikh
//     and Boyd 2014, section 4.1), which converge to a minimum of the problem itself.
// The Cholesky factor is kept through the exchanges (free_set_cholesky.h). Put the variables that rarely
// touch their bounds first: the factor is then kept up to there.
#pragma once

#include <chrono>
#include <vector>

#include "stunt/solve/free_set_cholesky.h"
#include "stunt/solve/qp.h"

namespace stunt {

class BoxQpSolver final : public QpSolver {
 public:
  const QpResult& solve(const QpProblem& problem, const VecX* guess = nullptr) override;

  // How often the ways above were taken, over the life of this solver.
  struct Counts {
    long solves = 0, factorisations = 0, monotone = 0, proximal = 0;
  };
  const Counts& counts() const { return counts_; }

 private:
  enum class Outcome { optimal, cycling, not_definite, out_of_iterations, out_of_time };

  void prepare(const QpProblem& problem, const VecX* guess);
  void finish(Outcome outcome);
  Outcome minimise();
  Outcome minimise_by_proximal_rounds();
  Outcome exchange_blocks();
  Outcome descend();
  bool step_until_bounds();

  bool factor();
  void newton_step();
  void add_step(double length);
  double inward_pressure(int variable) const;
  bool release_all();
  bool release_one();
  double cost() const;
  void refresh_gradient();
  bool out_of_time() const;

  int n_ = 0, padded_ = 0;
  std::vector<double> H_;                 // both triangles, columns padded_ apart, padding zero
  std::vector<double> g_, x_, gradient_;  // padded_
  std::vector<double> trial_gradient_;    // padded_
  std::vector<double> lower_, upper_;     // n
  std::vector<char> is_free_;             // n; the others rest on the bound where x_ stands
  std::vector<char> refused_;             // n; freed alone since the cost last fell
  std::vector<double> step_, trial_;      // padded_; by row of the factor, by variable
  std::vector<int> changed_;              // n
  std::vector<double> center_;            // n; of the proximal rounds
  FreeSetCholesky factor_;
  double shift_ = 0.0;           // delta of the proximal rounds
  double scale_ = 0.0;           // largest entry of H x and of g
  double sign_tolerance_ = 0.0;  // multipliers smaller than this are rounding
  std::chrono::steady_clock::time_point start_;
  QpResult result_;
  Counts counts_;
};

}  // namespace stunt
