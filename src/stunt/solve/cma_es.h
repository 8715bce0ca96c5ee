// Covariance matrix adaptation: a search for the smallest value of a function of n numbers that is only ever compared,
// never differentiated (Hansen, "The CMA Evolution Strategy: A Tutorial", arXiv 1604.00772, 2016/2023). Every generation
// draws lambda points from a normal distribution, ranks them, and moves and reshapes the distribution towards the better
// ones:
//
//   x_k = m + sigma C^(1/2) z_k,   z_k ~ N(0, I)                                                  eq. 5
//   m     += sigma <y>_w                                   y_k = (x_k - m) / sigma                eq. 9
//   p_s    = (1 - c_s) p_s + sqrt(c_s (2 - c_s) mu_eff) C^(-1/2) <y>_w                            eq. 43
//   sigma *= exp(min(1, c_s / d_s (|p_s| / E|N(0, I)| - 1)))                                      eq. 44
//   p_c    = (1 - c_c) p_c + h sqrt(c_c (2 - c_c) mu_eff) <y>_w                                   eq. 45
//   C      = (1 + c_1 d(h) - c_1 - c_mu sum w) C + c_1 p_c p_c' + c_mu sum w_k y_k y_k'           eq. 47
//
// All numbers inside are in units of the given spreads, so that a search moves each of its numbers by its own measure.
// Only the order of the costs counts: any increasing function of them gives the same path, bit for bit.
//
// Bounds: the function is continued beyond a bound as in a mirror. A mean that crosses one is mirrored back, and with it
// the distribution, which changes nothing of what is seen inside.
//
//   CmaEs search({.mean = start, .spread = spread}, {.seed = 1});
//   while (search.stopped().empty()) {
//     const MatX& points = search.ask();  // n x lambda, a point in each column
//     search.tell(costs(points));
//   }
//   use(search.best());
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "stunt/core/random.h"
#include "stunt/core/rotation.h"

namespace stunt {

// Where to look. Sizes n; throws std::invalid_argument where they differ, a spread is not above zero, bounds are empty or
// the mean lies outside.
struct CmaSpace {
  VecX mean;
  VecX spread;      // standard deviation of the first generation
  VecX lower = {};  // absent: no bounds; entries may be infinite
  VecX upper = {};
};

struct CmaOptions {
  std::uint64_t seed = 1;
  int population = 0;  // lambda; 0: 4 + 3 ln n, eq. 48
  bool separable =
      false;  // only the diagonal of C, learnt (n + 2) / 3 times as fast (Ros and Hansen 2008): for
              // hundreds of numbers
  bool negative_weights = true;  // the worse half is moved away from (eq. 46, 50 to 53)
  // Noisy costs (Hansen, Niederberger, Guzzella and Koumoutsakos 2009): some points are to be judged twice in every
  // generation. Where that changes their order, more judgements are asked for, and then wider steps.
  bool noisy = false;
  int most_repeats = 1;         // noisy: how many judgements of a point may be asked for, to be averaged
  double small_change = 1e-12;  // of the best cost over many generations: the search has arrived
  double small_step = 1e-12;    // of every number, in its spreads: likewise
};

// eq. 49 to 58. All that depends on n and lambda alone.
struct CmaConstants {
  CmaConstants(int n, int population, bool separable, bool negative_weights);
  VecX weights;     // lambda, falling; the positive ones add up to 1
  int parents;      // mu: so many are positive
  double mu_eff;    // variance-effective size of the parents
  double c_c, c_s;  // 1/generation, of the two paths
  double c_1, c_mu;
  double d_s;       // damping of sigma
  double expected;  // |N(0, I)|
};

class CmaEs {
 public:
  CmaEs(CmaSpace space, const CmaOptions& options);

  // The points to be judged: n x lambda, within the bounds. The same ones until tell().
  const MatX& ask();
  // Noisy: which of them to judge a second time, and how many judgements to average each time.
  const std::vector<int>& again() const { return again_; }
  int repeats() const;
  // What they cost, smaller is better; a cost that is not a number is the worst. `again`: the second judgement, as
  // again() has it.
  void tell(const VecX& costs, const VecX& again = {});
  // Points of somebody else's making, in place of those asked for (n x lambda). Those beyond a bound are seen in its
  // mirror.
  void tell_points(const MatX& points, const VecX& costs);

  // Why going on is pointless; empty while it is not.
  std::string stopped() const;
  // Begins again with twice the population (Auger and Hansen 2005), somewhere within the bounds, where there are any, and
  // else at the first mean. The best point is kept.
  void restart();

  const VecX& best() const { return best_; }  // n, of all points so far; the mean before any
  double best_cost() const { return best_cost_; }
  VecX mean() const;       // n, within the bounds
  VecX deviation() const;  // n: standard deviation of the next generation
  double sigma() const { return sigma_; }
  const MatX& covariance() const { return covariance_; }  // in units of the spreads; separable: its diagonal
  int dimension() const { return static_cast<int>(space_.mean.size()); }
  int population() const { return static_cast<int>(constants_.weights.size()); }
  int generation() const { return generation_; }  // of this start
  int restarts() const { return restarts_; }
  double uncertainty() const { return uncertainty_; }  // noisy: above 0 the order is not to be trusted

 private:
  void begin(const VecX& mean);
  void sample();
  void choose_again();
  VecX inside(const VecX& x) const;  // scaled -> within the bounds, in the caller's units
  VecX ranks_under_noise(const VecX& costs, const VecX& again);
  void update(const VecX& costs);
  void mirror_mean();
  void decompose();
  VecX whitened(const VecX& y) const;  // C^(-1/2) y

  CmaSpace space_;
  CmaOptions options_;
  CmaConstants constants_;
  Random random_;
  VecX lower_, upper_;  // in units of the spreads, relative to nothing: x / spread

  VecX mean_;  // scaled
  double sigma_ = 1;
  MatX covariance_;  // n x n, or n x 1
  VecX path_s_, path_c_;
  MatX axes_;           // columns: eigenvectors of C
  VecX lengths_;        // roots of its eigenvalues
  int decomposed_ = 0;  // generation

  MatX scaled_, points_;  // n x lambda
  bool asked_ = false;
  std::vector<int> again_;
  double repeats_ = 1, uncertainty_ = 0;

  int generation_ = 0, restarts_ = 0;
  std::deque<double> recent_;  // best cost of each of the last generations
  double best_cost_;
  VecX best_;
};

}  // namespace stunt
