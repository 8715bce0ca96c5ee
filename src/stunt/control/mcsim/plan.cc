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

FrictionCone push_directions(const PlanContact& contact, double friction) {
  if (!contact.held) return friction_cone(contact.normal, friction);
  FrictionCone corners;
  corners << 1, 1, -1, -1, 1, -1, 1, -1, 1, -1, -1, 1;
  return corners;
}

Planner::Planner(const Actor& actor, int most_contacts)
    : nv_(actor.nv()), limits_(actor.torque_limits()), factor_(nv_) {
  Q_.resize(nv_, nv_);
  g_ = a0_ = bias_ = centrifugal_ = VecX::Zero(nv_);
  U_.resize(nv_, 6 + 3 * most_contacts);
  B_.resize(nv_, 4 * most_contacts);
  lambda_ = slack_ = softness_ = VecX::Zero(4 * most_contacts);
  result_.torque = result_.acceleration = VecX::Zero(nv_);
  result_.force.reserve(most_contacts);
  rows_.reserve(nv_);
  E_ = QinvM_ = A_ = H_ = MatX::Zero(nv_, nv_);
  C_ = MatX::Zero(nv_, 4 * most_contacts);
  d_ = y_ = multiplier_ = gradient_ = newton_ = trial_ = direction_ = signs_ = VecX::Zero(nv_);
}

const PlanResult& Planner::solve(ActorDynamics& dynamics, const PlanTargets& targets,
                                 const std::vector<PlanContact>& contacts) {
  const int points = std::min<int>(static_cast<int>(contacts.size()), static_cast<int>(B_.cols()) / 4);
  const VecX& h = dynamics.bias();
  bias_ = h;
  bias_.head<6>() -= targets.root_wrench;
  if (targets.load.size() > 0) bias_ -= targets.load;

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
    const FrictionCone edges = push_directions(contact, targets.friction);
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

  // The root's rows always bind. Where that asks for more torque than there is, the limits come in.
  result_.converged = false;
  result_.torque.setConstant(std::numeric_limits<double>::quiet_NaN());
  signs_.setZero();
  result_.iterations = bind_root(dynamics, 4 * points);
  if (result_.iterations >= 0) {
    find_torques(dynamics, 4 * points);
    result_.converged = (result_.torque.cwiseAbs() - limits_ * (1 + 1e-9)).tail(nv_ - 6).maxCoeff() <= 0 ||
                        bind_limits(dynamics, 4 * points);
  }
  result_.saturated = static_cast<int>(signs_.cwiseAbs().sum());
  result_.torque.head<6>().setZero();
  result_.torque = result_.torque.cwiseMax(-limits_).cwiseMin(limits_);
  result_.force.resize(points);
  for (int k = 0; k < points; ++k) {
    result_.force[k] = push_directions(contacts[k], targets.friction) * lambda_.segment<4>(4 * k);
  }
  return result_;
}

// What the accelerations and contact forces ask of the joints; the root's rows are what is left there.
void Planner::find_torques(ActorDynamics& dynamics, int columns) {
  result_.torque.noalias() = dynamics.mass_matrix() * result_.acceleration;
  result_.torque += bias_;
  result_.torque.noalias() -= B_.leftCols(columns) * lambda_.head(columns);
  result_.residual = result_.torque.head<6>().norm() / (9.81 * dynamics.actor().mass());
}

// Rows E^T a - B_rows lambda = -h_rows of the root, as a = a0 + Q^-1 E y', where y' solves A y' = B_rows lambda - r.
// With Q = L L^T and W = L^-1 E, A is W^T W and Q^-1 E y' is L^-T (W y').
int Planner::bind_root(ActorDynamics& dynamics, int columns) {
  using Vec6 = Eigen::Matrix<double, 6, 1>;
  using Mat6 = Eigen::Matrix<double, 6, 6>;
  const RowMatX& M = dynamics.mass_matrix();
  auto W = E_.leftCols<6>();
  W = M.topRows<6>().transpose();
  Vec6 d = bias_.head<6>();
  d.noalias() += W.transpose() * a0_;
  factor_.matrixL().solveInPlace(W);
  // Packed: sizes known to the compiler make the many small products below several times as fast.
  Eigen::Map<Eigen::Matrix<double, 6, Eigen::Dynamic>> C(C_.data(), 6, columns);
  C = B_.topLeftCorner(6, columns);
  const Eigen::LLT<Mat6> factor_A(W.transpose() * W);
  if (factor_A.info() != Eigen::Success) return -1;
  factor_A.matrixL().solveInPlace(C);
  factor_A.matrixL().solveInPlace(d);

  // Dual: phi(y) = 1/2 |y|^2 + sum_k max(0, C_k^T y)^2 / (2 eps_k) - d^T y; lambda_k = max(0, C_k^T y) /
  // eps_k, and the residual is y = d - C lambda.
  const double tolerance = 1e-9 * (1 + d.norm());
  Vec6 y = Vec6::Zero();
  auto lambda = lambda_.head(columns);
  auto slack = slack_.head(columns);
  const auto softness = softness_.head(columns);
  const auto evaluate = [&](const Vec6& at) {
    slack.noalias() = C.transpose() * at;
    lambda = slack.cwiseMax(0.0).cwiseProduct(softness);
    return 0.5 * at.squaredNorm() + 0.5 * lambda.dot(slack) - d.dot(at);
  };
  // A start that is right when all coefficients are positive.
  double value = evaluate(y);
  constexpr int kMostSteps = 60;
  int step = 0;
  for (; step < kMostSteps; ++step) {
    Vec6 gradient = y - d;
    gradient.noalias() += C * lambda;
    if (gradient.norm() < tolerance) break;
    Mat6 H = Mat6::Identity();
    // At y = 0 nothing is active yet: take all columns, as if every force pushed.
    const bool first = step == 0;
    for (int k = 0; k < columns; ++k) {
      if (first || slack[k] > 0) H.noalias() += (softness[k] * C.col(k)) * C.col(k).transpose();
    }
    const Vec6 newton = H.llt().solve(gradient);
    const double slope = gradient.dot(newton);
    double length = 1;
    for (int halving = 0; halving < 30; ++halving, length *= 0.5) {
      const Vec6 trial = y - length * newton;
      const double trial_value = evaluate(trial);
      if (trial_value <= value - 1e-4 * length * slope || halving == 29) {
        y = trial;
        value = trial_value;
        break;
      }
    }
  }
  // y = d - C lambda in the scaled rows; a = a0 - Q^-1 E L_A^-T y.
  factor_A.matrixU().solveInPlace(y);
  multiplier_.head<6>() = y;
  VecX& change = result_.acceleration;
  change.noalias() = W * y;
  factor_.matrixU().solveInPlace(change);
  change = a0_ - change;
  return step < kMostSteps ? step : -1;
}

// The whole dual, with the limits: a torque row's multiplier is not 0 where the torque is at its limit, with its sign.
//   phi(y) = 1/2 y^T M Q^-1 M^T y + sum_k max(0, B_k^T y)^2 / (2 eps_k) - (M a0 + h)^T y + sum_i limit_i |y_i|
// Its gradient without the last term is minus the torques. The torque that is furthest beyond its limit joins, and
// Newton steps find the minimum over the rows that have joined; where a multiplier comes to 0 on the way, its row
// leaves (after Goldfarb and Idnani 1983). phi falls with every step, so no set of rows comes twice.
bool Planner::bind_limits(ActorDynamics& dynamics, int columns) {
  rows_.assign({0, 1, 2, 3, 4, 5});
  y_.head<6>() = multiplier_.head<6>();
  QinvM_.leftCols<6>() = E_.leftCols<6>();  // bind_root has done half of the solve
  factor_.matrixU().solveInPlace(QinvM_.leftCols<6>());
  for (int i = 0; i < 6; ++i) enter(dynamics, i, columns);
  constexpr int kMostSteps = 60;
  const double tolerance = 1e-8 * 9.81 * dynamics.actor().mass();  // N or Nm
  for (int steps = 0; steps < kMostSteps;) {
    int worst = -1;
    double beyond = tolerance;
    for (int row = 6; row < nv_; ++row) {
      const double more = signs_[row] != 0 ? 0 : std::abs(result_.torque[row]) - limits_[row];
      if (more > beyond) beyond = more, worst = row;
    }
    if (worst < 0) return true;
    signs_[worst] = std::copysign(1.0, result_.torque[worst]);
    QinvM_.col(worst) = factor_.solve(dynamics.mass_matrix().row(worst).transpose());
    y_[static_cast<Eigen::Index>(rows_.size())] = 0;
    rows_.push_back(worst);
    enter(dynamics, static_cast<int>(rows_.size()) - 1, columns);
    while (steps < kMostSteps && newton_step(columns, tolerance)) ++steps, ++result_.iterations;
    result_.acceleration = a0_;
    for (std::size_t i = 0; i < rows_.size(); ++i)
      result_.acceleration.noalias() -= y_[static_cast<Eigen::Index>(i)] * QinvM_.col(rows_[i]);
    find_torques(dynamics, columns);
  }
  return false;
}

// Row i of the dual's matrices.
void Planner::enter(ActorDynamics& dynamics, int i, int columns) {
  const RowMatX& M = dynamics.mass_matrix();
  const int row = rows_[i];
  for (int k = 0; k <= i; ++k) A_(i, k) = A_(k, i) = M.row(rows_[k]).dot(QinvM_.col(row));
  C_.row(i).head(columns) = B_.row(row).head(columns);
  d_[i] = bias_[row] + M.row(row).dot(a0_) - (i < 6 ? 0.0 : signs_[row] * limits_[row]);
}

void Planner::leave(int i) {
  const int m = static_cast<int>(rows_.size());
  signs_[rows_[i]] = 0;
  rows_.erase(rows_.begin() + i);
  for (int k = i; k + 1 < m; ++k) {
    A_.row(k).head(m) = A_.row(k + 1).head(m);
    C_.row(k) = C_.row(k + 1);
    d_[k] = d_[k + 1];
    y_[k] = y_[k + 1];
  }
  for (int k = i; k + 1 < m; ++k) A_.col(k).head(m) = A_.col(k + 1).head(m);
}

// One step towards the minimum of phi over the rows that have joined; false where it is reached. lambda is up to date.
bool Planner::newton_step(int columns, double tolerance) {
  const int m = static_cast<int>(rows_.size());
  const auto A = A_.topLeftCorner(m, m);
  const auto C = C_.topLeftCorner(m, columns);
  const auto d = d_.head(m), softness = softness_.head(columns);
  auto y = y_.head(m), gradient = gradient_.head(m), step = newton_.head(m), trial = trial_.head(m),
       product = direction_.head(m);
  auto lambda = lambda_.head(columns), slack = slack_.head(columns);
  const auto evaluate = [&](const auto& at) {
    slack.noalias() = C.transpose() * at;
    lambda = slack.cwiseMax(0.0).cwiseProduct(softness);
    product.noalias() = A * at;
    return 0.5 * at.dot(product) + 0.5 * lambda.dot(slack) - d.dot(at);
  };
  const double value = evaluate(y);
  gradient = product - d;
  gradient.noalias() += C * lambda;
  if (gradient.cwiseAbs().maxCoeff() < tolerance) return false;
  Eigen::Ref<MatX> H = H_.topLeftCorner(m, m);
  H = A;
  for (int k = 0; k < columns; ++k) {
    if (slack[k] > 0) H.selfadjointView<Eigen::Lower>().rankUpdate(C.col(k), softness[k]);
  }
  const Eigen::LLT<Eigen::Ref<MatX>> factor_H(H);  // in place
  step = factor_H.solve(gradient);
  double longest = 1;
  int blocking = -1;
  for (int i = 6; i < m; ++i) {
    if ((y[i] - step[i]) * signs_[rows_[i]] >= 0) continue;
    if (y[i] / step[i] < longest) longest = y[i] / step[i], blocking = i;
  }
  const double slope = gradient.dot(step);
  double length = longest;
  for (int halving = 0;; ++halving, length *= 0.5) {
    trial = y - length * step;
    if (evaluate(trial) <= value - 1e-4 * length * slope || halving == 20) break;
  }
  y = trial;
  if (blocking >= 0 && length == longest) leave(blocking);
  return true;
}

}  // namespace stunt
