#include "stunt/control/modal/contact_plan.h"

#include <Eigen/Cholesky>
#include <cassert>
#include <cmath>

namespace stunt {

ContactPlan::ContactPlan(int most_points, int most_frames) {
  const int columns = kEdges * most_points;
  edges_.resize(columns);
  wrench_.setZero(6, columns);
  slots_.resize(static_cast<std::size_t>(most_points) * most_frames);
  pull_.resize(static_cast<std::size_t>(columns) * most_frames);
  touches_.resize(static_cast<std::size_t>(most_points) * most_frames);
  impulses_.setZero(most_frames, columns);
}

void ContactPlan::begin(int frames, double frame_time, Impulse kind, int frames_per_force) {
  assert(frames > 0 && frames <= impulses_.rows() && frames_per_force > 0);
  frames_ = frames;
  frame_time_ = frame_time;
  delay_ = kind == Impulse::spread ? 0.5 : 0;
  hold_ = frames_per_force;
  slots_per_point_ = (frames + hold_ - 1) / hold_;
  points_ = 0;
}

void ContactPlan::add_point(const Wrench& wrench, const Vec3& normal, double friction,
                            std::span<const std::uint8_t> touches) {
  const Vec3 side = (std::abs(normal.x()) < 0.9 ? Vec3::UnitX() : Vec3::UnitY()).cross(normal).normalized();
  const Vec3 along = normal.cross(side);
  const Vec3 tangents[kEdges] = {side, along, -side, -along};
  Edges edges;
  for (int e = 0; e < kEdges; ++e) edges.col(e) = normal + friction * tangents[e];
  add_point(wrench, edges, touches);
}

void ContactPlan::add_point(const Wrench& wrench, const Edges& edges, std::span<const std::uint8_t> touches) {
  assert(kEdges * (points_ + 1) <= wrench_.cols() && static_cast<int>(touches.size()) >= frames_);
  for (int e = 0; e < kEdges; ++e) {
    edges_[kEdges * points_ + e] = edges.col(e);
    wrench_.col(kEdges * points_ + e) = wrench * edges_[kEdges * points_ + e];
  }
  Slot* slots = &slots_[static_cast<std::size_t>(points_) * slots_per_point_];
  for (int s = 0; s < slots_per_point_; ++s) slots[s] = {0, 0, 0};
  for (int k = 0; k < frames_; ++k) {
    touches_[static_cast<std::size_t>(points_) * frames_ + k] = touches[k];
    if (!touches[k]) continue;
    Slot& slot = slots[k / hold_];
    slot.time += (frames_ - k - delay_) * frame_time_;
    slot.count += 1;
    slot.cost += 1;
  }
  ++points_;
}

// Of 1/2 u^T W^-1 u + sum 1/(2 w_3 cost) max(0, B^T u)^2 - gap^T u.
double ContactPlan::gradient(const Vec12& u, Vec12& out) {
  out = inverse_weight_.cwiseProduct(u);
  double value = u.dot(0.5 * out - gap_);
  out -= gap_;
  const Vec6 position = u.head<6>(), rate = u.tail<6>();
  for (int i = 0; i < points_; ++i) {
    const Slot* slots = &slots_[static_cast<std::size_t>(i) * slots_per_point_];
    for (int e = 0; e < kEdges; ++e) {
      const int column = kEdges * i + e;
      const double alpha = wrench_.col(column).dot(position), beta = wrench_.col(column).dot(rate);
      double* pulls = &pull_[static_cast<std::size_t>(column) * slots_per_point_];
      double time_sum = 0, sum = 0;
      for (int s = 0; s < slots_per_point_; ++s) {
        const Slot& slot = slots[s];
        const double pull = slot.time * alpha + slot.count * beta;
        pulls[s] = pull;
        if (pull <= 0 || slot.count == 0) continue;
        const double lambda = pull * inverse_force_ / slot.cost;
        time_sum += slot.time * lambda;
        sum += slot.count * lambda;
        value += 0.5 * pull * lambda;
      }
      out.head<6>() += time_sum * wrench_.col(column);
      out.tail<6>() += sum * wrench_.col(column);
    }
  }
  return value;
}

void ContactPlan::hessian(Mat12& out) const {
  out.setZero();
  Eigen::Matrix<double, 6, 6> outer;
  for (int i = 0; i < points_; ++i) {
    const Slot* slots = &slots_[static_cast<std::size_t>(i) * slots_per_point_];
    for (int e = 0; e < kEdges; ++e) {
      const int column = kEdges * i + e;
      const double* pulls = &pull_[static_cast<std::size_t>(column) * slots_per_point_];
      double tt = 0, tc = 0, cc = 0;
      for (int s = 0; s < slots_per_point_; ++s) {
        if (pulls[s] <= 0 || slots[s].count == 0) continue;
        const double w = inverse_force_ / slots[s].cost;
        tt += w * slots[s].time * slots[s].time;
        tc += w * slots[s].time * slots[s].count;
        cc += w * slots[s].count * slots[s].count;
      }
      if (cc == 0) continue;
      outer.noalias() = wrench_.col(column) * wrench_.col(column).transpose();
      out.topLeftCorner<6, 6>() += tt * outer;
      out.bottomLeftCorner<6, 6>() += tc * outer;
      out.bottomRightCorner<6, 6>() += cc * outer;
    }
  }
  out.topRightCorner<6, 6>() = out.bottomLeftCorner<6, 6>();
  out.diagonal() += inverse_weight_;
}

void ContactPlan::solve(const Vec6& gap, const Vec6& gap_rate, const ContactPlanWeights& weights, Vec12& u) {
  constexpr int kMostIterations = 50;
  constexpr double kTolerance = 1e-9;  // relative to the gap
  gap_ << gap, gap_rate;
  inverse_weight_.segment<3>(0).setConstant(1 / weights.position);
  inverse_weight_.segment<3>(3).setConstant(1 / weights.turn);
  inverse_weight_.segment<3>(6).setConstant(1 / weights.velocity);
  inverse_weight_.segment<3>(9).setConstant(1 / weights.turn_rate);
  inverse_force_ = 1 / weights.force;
  if (!u.allFinite()) u.setZero();
  const double enough = kTolerance * (gap_.norm() + 1e-12);

  Vec12 slope, trial_slope;
  Mat12 H;
  double value = gradient(u, slope);
  converged_ = false;
  for (iterations_ = 0; iterations_ < kMostIterations; ++iterations_) {
    if (slope.norm() <= enough) {
      converged_ = true;
      break;
    }
    hessian(H);
    const Vec12 step = H.llt().solve(slope);
    const double descent = slope.dot(step);
    double length = 1;
    Vec12 trial;
    for (int halving = 0; halving < 30; ++halving, length *= 0.5) {
      trial = u - length * step;
      const double trial_value = gradient(trial, trial_slope);
      // The gradient decides too: near the solution the values differ by rounding alone.
      if (trial_value <= value - 1e-4 * length * descent || trial_slope.norm() <= 0.5 * slope.norm()) {
        value = trial_value;
        break;
      }
    }
    u = trial;
    slope = trial_slope;
  }

  for (int i = 0; i < points_; ++i) {
    for (int e = 0; e < kEdges; ++e) {
      const int column = kEdges * i + e;
      for (int k = 0; k < frames_; ++k) {
        const std::size_t s = static_cast<std::size_t>(k / hold_);
        const Slot& slot = slots_[static_cast<std::size_t>(i) * slots_per_point_ + s];
        const double pull = pull_[static_cast<std::size_t>(column) * slots_per_point_ + s];
        const bool pushes = touches_[static_cast<std::size_t>(i) * frames_ + k] && pull > 0;
        impulses_(k, column) = pushes ? pull * inverse_force_ / slot.cost : 0;
      }
    }
  }
}

Vec3 ContactPlan::impulse(int frame, int point) const {
  Vec3 sum = Vec3::Zero();
  for (int e = 0; e < kEdges; ++e) sum += impulses_(frame, kEdges * point + e) * edges_[kEdges * point + e];
  return sum;
}

ContactPlan::Vec6 ContactPlan::first_impulse() const {
  Vec6 sum = Vec6::Zero();
  for (int column = 0; column < kEdges * points_; ++column) sum += impulses_(0, column) * wrench_.col(column);
  return sum;
}

}  // namespace stunt
