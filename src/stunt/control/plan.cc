#include "stunt/control/plan.h"

#include <algorithm>
#include <cmath>

namespace stunt {
namespace {

// Two directions at right angles to a unit normal.
void tangents(const Vec3& normal, Vec3& t1, Vec3& t2) {
  const Vec3 guide = std::abs(normal.x()) < 0.7 ? Vec3::UnitX() : Vec3::UnitY();
  t1 = (guide - normal * normal.dot(guide)).normalized();
  t2 = normal.cross(t1);
}

}  // namespace

Planner::Planner(const Actor& actor, int most_contacts) : nv_(actor.nv()), limits_(actor.torque_limits()) {
  Q_.resize(nv_, nv_);
  factor_ = Eigen::LLT<MatX>(nv_);
  g_ = a0_ = VecX::Zero(nv_);
  B_.resize(nv_, 4 * most_contacts);
  lambda_ = slack_ = VecX::Zero(4 * most_contacts);
  result_.torque = result_.acceleration = VecX::Zero(nv_);
  rows_.reserve(nv_);
  bound_.reserve(nv_);
}

const PlanResult& Planner::solve(ActorDynamics& dynamics, const PlanTargets& targets,
                                 const std::vector<PlanContact>& contacts) {
  const int points = std::min<int>(static_cast<int>(contacts.size()), static_cast<int>(B_.cols()) / 4);
  const RowMatX& M = dynamics.mass_matrix();
  const VecX& h = dynamics.bias();

  // Hessian and gradient in a.
  Q_.setZero();
  Q_.diagonal() = targets.weight;
  g_ = targets.weight.cwiseProduct(targets.acceleration);
  if (targets.com_weight.squaredNorm() > 0) {
    dynamics.com_jacobian(J_);
    const Vec3 wanted = targets.com_weight.cwiseProduct(targets.com_acceleration - dynamics.com_bias_acceleration());
    for (int axis = 0; axis < 3; ++axis) {
      Q_.selfadjointView<Eigen::Lower>().rankUpdate(J_.row(axis).transpose(), targets.com_weight[axis]);
      g_ += J_.row(axis).transpose() * wanted[axis];
    }
  }
  for (int k = 0; k < points; ++k) {
    const PlanContact& contact = contacts[k];
    dynamics.point_jacobian(contact.body, contact.point, J_);
    Vec3 t1, t2;
    tangents(contact.normal, t1, t2);
    const double mu = targets.friction;
    B_.col(4 * k).noalias() = J_.transpose() * (contact.normal + mu * t1);
    B_.col(4 * k + 1).noalias() = J_.transpose() * (contact.normal - mu * t1);
    B_.col(4 * k + 2).noalias() = J_.transpose() * (contact.normal + mu * t2);
    B_.col(4 * k + 3).noalias() = J_.transpose() * (contact.normal - mu * t2);
    if (!contact.held) continue;
    const Vec3 slip = dynamics.point_velocity(contact.body, contact.point) - contact.surface_velocity;
    const Vec3 wanted = -dynamics.point_bias_acceleration(contact.body, contact.point) - targets.hold_damping * slip;
    Q_.selfadjointView<Eigen::Lower>().rankUpdate(J_.transpose(), targets.hold_weight);
    g_.noalias() += targets.hold_weight * (J_.transpose() * wanted);
  }
  factor_.compute(Q_.selfadjointView<Eigen::Lower>());
  a0_ = factor_.solve(g_);

  // The root's rows always bind; torques that exceed their limit join, with their applied torque at the limit.
  rows_.assign({0, 1, 2, 3, 4, 5});
  bound_.assign(6, 0.0);
  constexpr int kMostRounds = 4;
  result_.iterations = 0;
  result_.converged = false;
  for (int round = 0; round < kMostRounds; ++round) {
    const int steps = solve_rows(dynamics, targets, 4 * points);
    if (steps < 0) break;
    result_.iterations += steps;
    result_.torque.noalias() = M * result_.acceleration;
    result_.torque += h;
    result_.torque.noalias() -= B_.leftCols(4 * points) * lambda_.head(4 * points);
    result_.residual = result_.torque.head<6>().norm() / (9.81 * dynamics.actor().mass());
    result_.torque.head<6>().setZero();
    bool changed = false;
    for (int i = 6; i < nv_; ++i) {
      if (std::abs(result_.torque[i]) <= limits_[i] * (1 + 1e-9)) continue;
      if (std::find(rows_.begin(), rows_.end(), i) != rows_.end()) continue;
      rows_.push_back(i);
      bound_.push_back(std::copysign(limits_[i], result_.torque[i]));
      changed = true;
    }
    if (!changed) {
      result_.converged = true;
      break;
    }
  }
  result_.saturated = static_cast<int>(rows_.size()) - 6;
  result_.torque = result_.torque.cwiseMax(-limits_).cwiseMin(limits_);
  result_.force.resize(points);
  for (int k = 0; k < points; ++k) {
    Vec3 t1, t2;
    tangents(contacts[k].normal, t1, t2);
    const double mu = targets.friction;
    const auto l = lambda_.segment<4>(4 * k);
    result_.force[k] = l.sum() * contacts[k].normal + mu * (l[0] - l[1]) * t1 + mu * (l[2] - l[3]) * t2;
  }
  return result_;
}

// Rows E^T a - B_rows lambda = bound - h_rows, as a = a0 + Q^-1 E y', where y' solves A y' = B_rows lambda - r.
int Planner::solve_rows(ActorDynamics& dynamics, const PlanTargets& targets, int columns) {
  const RowMatX& M = dynamics.mass_matrix();
  const VecX& h = dynamics.bias();
  const int m = static_cast<int>(rows_.size());
  E_.resize(nv_, m);
  C_.resize(m, columns);
  d_.resize(m);
  for (int i = 0; i < m; ++i) {
    E_.col(i) = M.row(rows_[i]).transpose();
    d_[i] = h[rows_[i]] - bound_[i] + E_.col(i).dot(a0_);
    C_.row(i) = B_.row(rows_[i]).head(columns);
  }
  QinvE_ = factor_.solve(E_);
  A_.noalias() = E_.transpose() * QinvE_;
  factor_A_.compute(A_);
  if (factor_A_.info() != Eigen::Success) return -1;
  factor_A_.matrixL().solveInPlace(C_);
  factor_A_.matrixL().solveInPlace(d_);

  // Dual: phi(y) = 1/2 |y|^2 + |max(0, C^T y)|^2 / (2 eps) - d^T y, lambda = max(0, C^T y) / eps, residual y = d - C lambda.
  const double eps = targets.regularisation;
  const double tolerance = 1e-9 * (1 + d_.norm());
  y_.setZero(m);
  H_.resize(m, m);
  auto lambda = lambda_.head(columns);
  auto slack = slack_.head(columns);
  const auto evaluate = [&](const VecX& y) {
    slack.noalias() = C_.transpose() * y;
    lambda = slack.cwiseMax(0.0) / eps;
    return 0.5 * y.squaredNorm() + 0.5 * eps * lambda.squaredNorm() - d_.dot(y);
  };
  // A start that is right when all coefficients are positive.
  double value = evaluate(y_);
  constexpr int kMostSteps = 60;
  int step = 0;
  for (; step < kMostSteps; ++step) {
    gradient_ = y_ - d_;
    gradient_.noalias() += C_ * lambda;
    if (gradient_.norm() < tolerance) break;
    H_.setIdentity();
    // At y = 0 nothing is active yet: take all columns, as if every force pushed.
    const bool first = step == 0;
    for (int k = 0; k < columns; ++k) {
      if (first || slack[k] > 0) H_.selfadjointView<Eigen::Lower>().rankUpdate(C_.col(k), 1 / eps);
    }
    factor_H_.compute(H_.selfadjointView<Eigen::Lower>());
    newton_ = factor_H_.solve(gradient_);
    const double slope = gradient_.dot(newton_);
    double length = 1;
    for (int halving = 0; halving < 30; ++halving, length *= 0.5) {
      trial_ = y_ - length * newton_;
      const double trial_value = evaluate(trial_);
      if (trial_value <= value - 1e-4 * length * slope || halving == 29) {
        y_ = trial_;
        value = trial_value;
        break;
      }
    }
  }
  // y = d - C lambda in the scaled rows; a = a0 - Q^-1 E L^-T y.
  trial_ = y_;
  factor_A_.matrixU().solveInPlace(trial_);
  result_.acceleration = a0_;
  result_.acceleration.noalias() -= QinvE_ * trial_;
  return step < kMostSteps ? step : -1;
}

}  // namespace stunt
