// The complementarity problem of a step: which impulses keep points from passing through surfaces, within a friction pyramid, and
// joints from passing their limits (Jain and Liu 2011, eq. 29 to 34 and appendix A).
#pragma once

#include <vector>

#include "stunt/solve/lcp.h"

namespace stunt {

class ContactLcp {
 public:
  static constexpr int kSides = 6;              // friction directions
  static constexpr int kPerPoint = kSides + 2;  // f, beta, lambda

  struct Point {
    double friction;
    double gap;  // m/s: the speed along the normal may be minus this at the end of the step
  };

  ContactLcp(int most_points, int most_limits);

  // `response`: rows are speeds, columns impulses: three per point (normal and two tangents), then one per limit. `speed`: the
  // same without impulses. `limit_gap`: as Point::gap. `impulses` becomes the solution; false: none was found, and friction
  // was left out.
  bool solve(const Eigen::Ref<const MatX>& response, const Eigen::Ref<const VecX>& speed,
             const std::vector<Point>& points, const std::vector<double>& limit_gaps,
             Eigen::Ref<VecX> impulses);

  // Where the next search begins: carried from step to step, so that a restored run goes on bit for bit.
  const std::vector<double>& guess() const { return guess_; }
  void set_guess(const double* values, std::size_t count) { guess_.assign(values, values + count); }

 private:
  LcpStatus attempt(int n, double softness);

  LcpSolver solver_;
  MatX C_;
  Eigen::Matrix<double, kSides, 2> directions_;
  VecX h_, z_;
  std::vector<double> guess_;
};

}  // namespace stunt
