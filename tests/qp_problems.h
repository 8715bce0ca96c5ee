// QPs for tests and benchmarks: sequences shaped like the plans of the controllers, and small difficult ones.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <Eigen/Cholesky>

#include "stunt/core/random.h"
#include "stunt/core/rotation.h"
#include "stunt/solve/qp.h"

namespace stunt {

inline MatX random_matrix(Random& random, int rows, int cols) {
  MatX result(rows, cols);
  for (int j = 0; j < cols; ++j) {
    for (int i = 0; i < rows; ++i) result(i, j) = random.normal();
  }
  return result;
}
inline VecX random_vector(Random& random, int size) { return random_matrix(random, size, 1); }

// A plan asks for torques tau and contact forces V lambda that bring the accelerations
//   a = M^-1 (S tau + J'V lambda - h)
// near the desired ones, and the contact points near rest:
//   minimise |a - desired|_Q^2 + noslip |J a|^2 + 1e-4 |x|^2,  x = (tau, lambda),  |tau| <= limit,  lambda >=
//   0.
// next() lets everything walk randomly by `rate`; now and then a contact comes or goes, and with it four
// variables.
class PlanSequence {
 public:
  PlanSequence(std::uint64_t seed, int torques, int contacts, double rate, bool contacts_change)
      : random_(seed), torques_(torques), nv_(torques + 6), rate_(rate), contacts_change_(contacts_change) {
    // Inertia: from 0.02 kg m^2 at the wrists to 70 kg at the root, coupled by a well-conditioned
    // correlation.
    const MatX mix = random_matrix(random_, nv_, nv_) / std::sqrt(nv_);
    inertia_ = VecX::Constant(nv_, 70.0);
    for (int i = 3; i < nv_; ++i) inertia_[i] = 0.02 * std::pow(250.0, random_.uniform());
    coupling_ = 0.4 * mix * mix.transpose() + 0.3 * MatX::Identity(nv_, nv_);
    weight_ = VecX::Constant(nv_, 1.0);
    for (int i = 0; i < nv_; ++i) weight_[i] = std::pow(10.0, random_.uniform(-1.0, 1.0));
    desired_ = 5.0 * random_vector(random_, nv_);
    bias_ = 10.0 * random_vector(random_, nv_);
    bias_[2] = 70.0 * 9.81;
    lower.resize(torques);
    for (int i = 0; i < torques; ++i) lower[i] = -random_.uniform(50.0, 250.0);
    limits_ = lower;
    for (int foot = 0; foot < 8; ++foot) {
      feet_.push_back(random_matrix(random_, 6, nv_));
      feet_pattern_.push_back(VecX::Zero(nv_));
      for (int i = 3; i < nv_; ++i) {
        // A third of the joints moves a foot, the light ones less: 1 to 10 kg are felt at a contact.
        if (random_.uniform() < 1.0 / 3.0) feet_pattern_.back()[i] = std::sqrt(inertia_[i] / 20.0);
      }
    }
    for (int k = 0; k < contacts; ++k) add_contact();
    kept_ = std::vector<int>(points_.size(), -1);
    build();
  }

  void next() {
    walk(coupling_factor_, nv_ * nv_);
    for (int i = 0; i < nv_; ++i) {
      desired_[i] += 5.0 * rate_ * random_.normal() - 0.5 * rate_ * desired_[i];
      if (i != 2) bias_[i] += 10.0 * rate_ * random_.normal() - 0.5 * rate_ * bias_[i];
    }
    bias_[2] = 70.0 * 9.81 * (1.0 + rate_ * random_.normal());
    for (MatX& foot : feet_) foot += rate_ * random_matrix(random_, 6, nv_) - 0.5 * rate_ * rate_ * foot;
    kept_.clear();
    for (int k = 0; k < static_cast<int>(points_.size()); ++k) kept_.push_back(k);
    if (contacts_change_ && random_.uniform() < 0.1) {
      if (points_.size() > 2 && random_.uniform() < 0.5) {
        const auto gone = static_cast<std::ptrdiff_t>(random_.next() % points_.size());
        points_.erase(points_.begin() + gone);
        kept_.erase(kept_.begin() + gone);
      } else if (points_.size() < 16) {
        add_contact();
        kept_.push_back(-1);
      }
    }
    build();
  }

  // The last solution, carried over to the variables of now: new contacts start without force.
  VecX guess(const VecX& last) const {
    VecX result = VecX::Zero(g.size());
    result.head(torques_) = last.head(torques_);
    for (std::size_t k = 0; k < kept_.size(); ++k) {
      if (kept_[k] >= 0)
        result.segment<4>(torques_ + 4 * static_cast<int>(k)) = last.segment<4>(torques_ + 4 * kept_[k]);
    }
    return result;
  }

  QpProblem problem() const { return {.H = H, .g = g, .lower = lower, .upper = upper}; }

  MatX H;
  VecX g, lower, upper;

 private:
  struct Point {
    int foot;
    Vec3 at;
  };

  void add_contact() {
    Point point{static_cast<int>(points_.size()) / 4, Vec3::Zero()};
    for (int c = 0; c < 3; ++c) point.at[c] = 0.1 * random_.normal();
    points_.push_back(point);
  }

  void walk(MatX& state, int size) {
    if (state.size() == 0) state = MatX::Zero(nv_, nv_);
    state *= 1.0 - rate_;
    state += random_matrix(random_, nv_, nv_) * (rate_ / std::sqrt(static_cast<double>(size)));
  }

  void build() {
    const int contacts = static_cast<int>(points_.size()), n = torques_ + 4 * contacts;
    const VecX root = inertia_.cwiseSqrt();
    MatX coupling = coupling_;
    if (coupling_factor_.size() > 0) coupling += coupling_factor_ * coupling_factor_.transpose();
    const MatX M = root.asDiagonal() * coupling * root.asDiagonal();

    // Points of a foot share its motion: J = J_linear - [at]x J_angular. The root's translation moves all of
    // them.
    MatX J(3 * contacts, nv_), forces = MatX::Zero(nv_, n);
    for (int k = 0; k < contacts; ++k) {
      const Point& point = points_[static_cast<std::size_t>(k)];
      const auto f = static_cast<std::size_t>(point.foot % 8);
      const MatX foot = feet_[f] * feet_pattern_[f].asDiagonal();
      Mat3 cross;
      cross << 0, -point.at.z(), point.at.y(), point.at.z(), 0, -point.at.x(), -point.at.y(), point.at.x(), 0;
      J.middleRows(3 * k, 3) = foot.topRows(3) - cross * foot.bottomRows(3);
      J.block(3 * k, 0, 3, 3).setIdentity();
    }
    for (int i = 0; i < torques_; ++i) forces(6 + i, i) = 1.0;
    Eigen::Matrix<double, 3, 4> cone;  // edges of a friction pyramid, coefficient 0.8
    cone << 0.8, -0.8, 0, 0, 0, 0, 0.8, -0.8, 1, 1, 1, 1;
    for (int k = 0; k < contacts; ++k) {
      forces.middleCols(torques_ + 4 * k, 4) = J.middleRows(3 * k, 3).transpose() * cone;
    }
    const Eigen::LLT<MatX> factor(M);
    const MatX W = factor.solve(forces);
    const VecX free_acceleration = -factor.solve(bias_);
    const VecX wanted = desired_ - free_acceleration;
    const double noslip = 10.0;
    const MatX JW = J * W;
    H = W.transpose() * weight_.asDiagonal() * W + noslip * JW.transpose() * JW + 1e-4 * MatX::Identity(n, n);
    g = -W.transpose() * weight_.cwiseProduct(wanted) + noslip * JW.transpose() * (J * free_acceleration);
    lower = VecX::Zero(n);
    upper = VecX::Constant(n, std::numeric_limits<double>::infinity());
    lower.head(torques_) = limits_;
    upper.head(torques_) = -limits_;
  }

  Random random_;
  int torques_, nv_;
  double rate_;
  bool contacts_change_;
  VecX inertia_, weight_, desired_, bias_, limits_;
  MatX coupling_, coupling_factor_;
  std::vector<MatX> feet_;          // 6 x nv: linear and angular velocity of a foot
  std::vector<VecX> feet_pattern_;  // nv
  std::vector<Point> points_;
  std::vector<int> kept_;  // where each contact stood in the problem before, -1 for a new one
};

// A dense box QP with a wide spectrum. `rank` < n makes H singular.
struct BoxProblem {
  MatX H;
  VecX g, lower, upper;
  QpProblem problem() const { return {.H = H, .g = g, .lower = lower, .upper = upper}; }
};
inline BoxProblem random_box_problem(Random& random, int n, int rank, double log10_condition) {
  MatX factor = random_matrix(random, rank, n);
  for (int i = 0; i < rank; ++i) factor.row(i) *= std::pow(10.0, -0.5 * log10_condition * random.uniform());
  BoxProblem box{factor.transpose() * factor, random_vector(random, n), VecX(n), VecX(n)};
  if (rank >= n) box.H += std::pow(10.0, -log10_condition) * MatX::Identity(n, n);
  for (int i = 0; i < n; ++i) {
    box.lower[i] = random.normal() - 1.0;
    box.upper[i] = box.lower[i] + std::abs(random.normal());
  }
  return box;
}

}  // namespace stunt
