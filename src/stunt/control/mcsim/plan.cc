#include "stunt/control/mcsim/plan.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stunt {

FrictionCone friction_cone(const Vec3& normal, double friction) {
  const Vec3 guide = std::abs(normal.x()) < 0.7 ? Vec3::UnitX() : Vec3::UnitY();
  const Vec3 t1 = (guide - normal * normal.dot(guide)).normalized(), t2 = normal.cross(t1);
  FrictionCone edges;
  edges << normal + friction * t1, normal - friction * t1, normal + friction * t2, normal - friction * t2;
  return edges;
}

Planner::Planner(const Actor& actor, int most_contacts)
    : nv_(actor.nv()), limits_(actor.torque_limits()), factor_(nv_) {
  Q_.resize(nv_, nv_);
  g_ = a0_ = centrifugal_ = VecX::Zero(nv_);
  U_.resize(nv_, 6 + 3 * most_contacts);
  B_.resize(nv_, 4 * most_contacts);
  lambda_ = slack_ = softness_ = VecX::Zero(4 * most_contacts);
  result_.torque = result_.acceleration = VecX::Zero(nv_);
  result_.force.reserve(most_contacts);
  rows_.reserve(nv_);
  bound_.reserve(nv_);
  solved_.reserve(nv_);
  pushing_.reserve(4 * most_contacts);
  E_ = QinvE_ = QinvM_ = A_ = H_ = MatX::Zero(nv_, nv_);
  C_ = MatX::Zero(nv_, 4 * most_contacts);
  d_ = y_ = multiplier_ = gradient_ = newton_ = trial_ = VecX::Zero(nv_);
}

const PlanResult& Planner::solve(ActorDynamics& dynamics, const PlanTargets& targets,
                                 const std::vector<PlanContact>& contacts) {
  const int points = std::min<int>(static_cast<int>(contacts.size()), static_cast<int>(B_.cols()) / 4);
  const RowMatX& M = dynamics.mass_matrix();
  const VecX& h = dynamics.bias();

  // Hessian, the weights plus U U^T, and gradient in a.
  int columns = 0;
  Q_.setZero();
  Q_.diagonal() = targets.weight;
  g_ = targets.weight.cwiseProduct(targets.acceleration);
  if (targets.com_weight.squaredNorm() > 0) {
    dynamics.com_jacobian(J_);
    const Vec3 wanted =
        targets.com_weight.cwiseProduct(targets.com_acceleration - dynamics.com_bias_acceleration());
    for (int axis = 0; axis < 3; ++axis) {
      U_.col(columns++) = std::sqrt(targets.com_weight[axis]) * J_.row(axis).transpose();
      g_ += J_.row(axis).transpose() * wanted[axis];
    }
  }
  if (targets.spin_weight > 0) {
    // A-dot v is the moment about the centre of mass that the motion would need with no acceleration: the
    // root's rows of the bias without gravity.
    dynamics.angular_momentum_matrix(J_);
    centrifugal_ = h - dynamics.gravity_bias();
    const Vec3 arm = dynamics.body_position(0) - dynamics.com();
    const Vec3 drift = dynamics.body_rotation(0) * Vec3(centrifugal_.segment<3>(3)) +
                       arm.cross(Vec3(centrifugal_.head<3>()));
    const Vec3 wanted = targets.spin_weight * (targets.spin_rate - drift);
    for (int axis = 0; axis < 3; ++axis) {
      U_.col(columns++) = std::sqrt(targets.spin_weight) * J_.row(axis).transpose();
      g_ += J_.row(axis).transpose() * wanted[axis];
    }
  }
  for (int k = 0; k < points; ++k) {
    const PlanContact& contact = contacts[k];
    dynamics.point_jacobian(contact.body, contact.point, J_);
    const FrictionCone edges = friction_cone(contact.normal, targets.friction);
    for (int i = 0; i < 4; ++i) B_.col(4 * k + i).noalias() = J_.transpose() * edges.col(i);
    softness_.segment<4>(4 * k).setConstant(1 / (targets.regularisation * contact.reluctance));
    const double hold = targets.hold_weight * contact.hold;
    if (hold <= 1e-6) continue;
    const Vec3 slip = dynamics.point_velocity(contact.body, contact.point) - contact.velocity;
    const Vec3 wanted = -dynamics.point_bias_acceleration(contact.body, contact.point) -
                        contact.damping * targets.hold_damping * slip;
    for (int axis = 0; axis < 3; ++axis) U_.col(columns++) = std::sqrt(hold) * J_.row(axis).transpose();
    g_.noalias() += hold * (J_.transpose() * wanted);
  }
  if (columns > 0) Q_.selfadjointView<Eigen::Lower>().rankUpdate(U_.leftCols(columns));
  factor_.compute(Q_.selfadjointView<Eigen::Lower>());
  a0_ = factor_.solve(g_);

  // The root's rows always bind; torques that exceed their limit join, with their applied torque at the
  // limit. Where none does, the one that would most like to leave its limit again is let go: the sign of its
  // multiplier tells. A body far too weak for what is asked may not settle; then the torques are cut to the
  // limits, and `converged` stays false.
  rows_.assign({0, 1, 2, 3, 4, 5});
  bound_.assign(6, 0.0);
  solved_.assign(nv_, 0);
  pushing_.assign(4 * points, 1);
  constexpr int kMostRounds = 8;  // a body that falls may be planned for coarsely
  result_.iterations = 0;
  result_.converged = false;
  result_.torque.setConstant(std::numeric_limits<double>::quiet_NaN());
  for (int round = 0; round < kMostRounds; ++round) {
    const int steps = solve_rows(dynamics, 4 * points);
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
    if (changed) continue;
    int leaving = -1;
    double worst = -1e-9 * (1 + multiplier_.head(rows_.size()).cwiseAbs().maxCoeff());
    for (int i = 6; i < static_cast<int>(rows_.size()); ++i) {
      const double outward = std::copysign(multiplier_[i], multiplier_[i] * bound_[i]);
      if (outward < worst) {
        worst = outward;
        leaving = i;
      }
    }
    if (leaving < 0) {
      result_.converged = true;
      break;
    }
    rows_.erase(rows_.begin() + leaving);
    bound_.erase(bound_.begin() + leaving);
  }
  result_.saturated = static_cast<int>(rows_.size()) - 6;
  result_.torque = result_.torque.cwiseMax(-limits_).cwiseMin(limits_);
  result_.force.resize(points);
  for (int k = 0; k < points; ++k) {
    result_.force[k] = friction_cone(contacts[k].normal, targets.friction) * lambda_.segment<4>(4 * k);
  }
  return result_;
}

// Rows E^T a - B_rows lambda = bound - h_rows, as a = a0 + Q^-1 E y', where y' solves A y' = B_rows lambda -
// r. All work is done in the corners of matrices of the largest size, so that nothing is allocated when rows
// come and go.
int Planner::solve_rows(ActorDynamics& dynamics, int columns) {
  const RowMatX& M = dynamics.mass_matrix();
  const VecX& h = dynamics.bias();
  const int m = static_cast<int>(rows_.size());
  auto E = E_.leftCols(m), QinvE = QinvE_.leftCols(m);
  auto C = C_.topLeftCorner(m, columns);
  auto d = d_.head(m), y = y_.head(m), gradient = gradient_.head(m), newton = newton_.head(m),
       trial = trial_.head(m);
  for (int i = 0; i < m; ++i) {
    const int row = rows_[i];
    E.col(i) = M.row(row).transpose();
    d[i] = h[row] - bound_[i] + E.col(i).dot(a0_);
    C.row(i) = B_.row(row).head(columns);
    if (!solved_[row]) {
      QinvM_.col(row) = E.col(i);
      factor_.matrixL().solveInPlace(QinvM_.col(row));
      factor_.matrixU().solveInPlace(QinvM_.col(row));
      solved_[row] = 1;
    }
    QinvE.col(i) = QinvM_.col(row);
  }
  Eigen::Ref<MatX> A = A_.topLeftCorner(m, m), H = H_.topLeftCorner(m, m);
  A.noalias() = E.transpose() * QinvE;
  const Eigen::LLT<Eigen::Ref<MatX>> factor_A(A);  // in place
  if (factor_A.info() != Eigen::Success) return -1;
  factor_A.matrixL().solveInPlace(C);
  factor_A.matrixL().solveInPlace(d);

  // Dual: phi(y) = 1/2 |y|^2 + sum_k max(0, C_k^T y)^2 / (2 eps_k) - d^T y; lambda_k = max(0, C_k^T y) /
  // eps_k, and the residual is y = d - C lambda.
  const double tolerance = 1e-9 * (1 + d.norm());
  y.setZero();
  auto lambda = lambda_.head(columns);
  auto slack = slack_.head(columns);
  const auto softness = softness_.head(columns);
  const auto evaluate = [&](const auto& at) {
    slack.noalias() = C.transpose() * at;
    lambda = slack.cwiseMax(0.0).cwiseProduct(softness);
    return 0.5 * at.squaredNorm() + 0.5 * lambda.dot(slack) - d.dot(at);
  };
  double value = evaluate(y);
  constexpr int kMostSteps = 60;
  int step = 0;
  for (; step < kMostSteps; ++step) {
    gradient = y - d;
    gradient.noalias() += C * lambda;
    if (gradient.norm() < tolerance) break;
    H.setIdentity();
    // At y = 0 nothing is active yet: take the forces that pushed with the rows before, at first all of them.
    const bool first = step == 0;
    for (int k = 0; k < columns; ++k) {
      if (first ? pushing_[k] != 0 : slack[k] > 0) {
        H.selfadjointView<Eigen::Lower>().rankUpdate(C.col(k), softness[k]);
      }
    }
    const Eigen::LLT<Eigen::Ref<MatX>> factor_H(H);
    newton = factor_H.solve(gradient);
    const double slope = gradient.dot(newton);
    double length = 1;
    for (int halving = 0; halving < 30; ++halving, length *= 0.5) {
      trial = y - length * newton;
      const double trial_value = evaluate(trial);
      if (trial_value <= value - 1e-4 * length * slope || halving == 29) {
        y = trial;
        value = trial_value;
        break;
      }
    }
  }
  for (int k = 0; k < columns; ++k) pushing_[k] = lambda[k] > 0;
  // y = d - C lambda in the scaled rows; a = a0 - Q^-1 E L^-T y.
  auto multiplier = multiplier_.head(m);
  multiplier = y;
  factor_A.matrixU().solveInPlace(multiplier);
  result_.acceleration = a0_;
  result_.acceleration.noalias() -= QinvE * multiplier;
  return step < kMostSteps ? step : -1;
}

}  // namespace stunt
