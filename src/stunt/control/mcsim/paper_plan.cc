#include "stunt/control/mcsim/paper_plan.h"

#include <Eigen/QR>

#include <limits>

namespace stunt {
namespace {

constexpr double kForceCost = 1e-6;     // on lambda, against 1 on accelerations
constexpr double kDependent = 1e-4;     // rows of eq. 7e that are this near to others add nothing
constexpr double kRelaxedWeight = 100;  // of eq. 7e as a cost, against 1 on accelerations

}  // namespace

PaperPlanner::PaperPlanner(const Actor& actor)
    : nv_(actor.nv()), limits_(actor.torque_limits()), solver_(make_proxqp_solver()) {
  result_.torque = result_.acceleration = VecX::Zero(nv_);
  solver_->options.tolerance = 1e-7;
  solver_->options.max_iterations = 300;
}

QpProblem PaperPlanner::problem() const {
  return {.H = H_, .g = g_, .A = A_, .b = b_, .C = C_, .l = l_, .u = u_, .lower = lower_};
}

// Eq. 7a to 7d.
void PaperPlanner::pose(ActorDynamics& dynamics, const VecX& desired, double friction,
                        const std::vector<PlanContact>& contacts) {
  const int columns = 4 * static_cast<int>(contacts.size()), n = nv_ + columns, joints = nv_ - 6;
  const RowMatX& M = dynamics.mass_matrix();
  const VecX& h = dynamics.bias();
  H_.setZero(n, n);
  H_.diagonal().head(nv_).setOnes();
  H_.diagonal().tail(columns).setConstant(kForceCost);
  g_.setZero(n);
  g_.head(nv_) = -desired;
  lower_.setConstant(n, -std::numeric_limits<double>::infinity());
  lower_.tail(columns).setZero();

  pose_no_slip(dynamics, contacts);
  A_.topLeftCorner(6, nv_) = M.topRows<6>();
  b_.head<6>() = -h.head<6>();
  C_.resize(joints, n);
  C_.leftCols(nv_) = M.bottomRows(joints);
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const int at = static_cast<int>(k);
    const FrictionCone V = friction_cone(contacts[k].normal, friction);
    A_.block<6, 4>(0, nv_ + 4 * at).noalias() = -points_.block<6, 3>(0, 3 * at) * V;
    C_.middleCols<4>(nv_ + 4 * at).noalias() = -points_.block(6, 3 * at, joints, 3) * V;
  }
  l_ = -limits_.tail(joints) - h.tail(joints);
  u_ = limits_.tail(joints) - h.tail(joints);
}

// Eq. 7e as independent rows. With all J^T = Q R P^T, the rows are y = Q_r^T a, and y is the least squares
// solution of R_r^T y = P^T (-J-dot v). Leaves room for the six rows of the root.
void PaperPlanner::pose_no_slip(ActorDynamics& dynamics, const std::vector<PlanContact>& contacts) {
  const int rows = 3 * static_cast<int>(contacts.size()), n = nv_ + 4 * static_cast<int>(contacts.size());
  points_.resize(nv_, rows);
  bias_.resize(rows);
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const int at = 3 * static_cast<int>(k);
    dynamics.point_jacobian(contacts[k].body, contacts[k].point, J_);
    points_.middleCols<3>(at) = J_.transpose();
    bias_.segment<3>(at) = -dynamics.point_bias_acceleration(contacts[k].body, contacts[k].point);
  }
  Eigen::ColPivHouseholderQR<MatX> qr;
  int rank = 0;
  if (rows > 0) {
    qr.setThreshold(kDependent);
    qr.compute(points_);
    rank = static_cast<int>(qr.rank());
  }
  A_.setZero(6 + rank, n);
  b_.setZero(6 + rank);
  if (rank == 0) return;
  const MatX R = qr.matrixR().topRows(rank).template triangularView<Eigen::Upper>();
  const VecX wanted = qr.colsPermutation().transpose() * bias_;
  const MatX Q = qr.householderQ() * MatX::Identity(nv_, rank);
  A_.block(6, 0, rank, nv_) = Q.transpose();
  b_.tail(rank) = R.transpose().colPivHouseholderQr().solve(wanted);
}

const PlanResult& PaperPlanner::solve(ActorDynamics& dynamics, const VecX& desired, double friction,
                                      const std::vector<PlanContact>& contacts) {
  pose(dynamics, desired, friction, contacts);
  solution_ = &solver_->solve(problem());
  result_.iterations = solution_->iterations;
  result_.converged = solution_->status == QpStatus::solved;
  if (!result_.converged) {
    // Free fall without torques meets what is left, so there is a solution.
    const auto rows = A_.bottomRows(A_.rows() - 6);
    const auto wanted = b_.tail(b_.size() - 6);
    MatX H = H_;
    VecX g = g_;
    H.noalias() += kRelaxedWeight * rows.transpose() * rows;
    g.noalias() -= kRelaxedWeight * rows.transpose() * wanted;
    solution_ = &solver_->solve(
        {.H = H, .g = g, .A = A_.topRows(6), .b = b_.head(6), .C = C_, .l = l_, .u = u_, .lower = lower_});
    result_.iterations += solution_->iterations;
    if (solution_->status != QpStatus::solved) {
      result_.torque.setConstant(std::numeric_limits<double>::quiet_NaN());
      return result_;
    }
  }
  const VecX& x = solution_->x;
  result_.acceleration = x.head(nv_);
  result_.torque.head<6>().setZero();
  result_.torque.tail(nv_ - 6).noalias() = C_ * x;
  result_.torque.tail(nv_ - 6) += dynamics.bias().tail(nv_ - 6);
  result_.residual = (A_.topRows(6) * x - b_.head(6)).norm() / (9.81 * dynamics.actor().mass());
  result_.saturated = static_cast<int>(
      (result_.torque.tail(nv_ - 6).array().abs() > 0.9999 * limits_.tail(nv_ - 6).array()).count());
  result_.torque = result_.torque.cwiseMax(-limits_).cwiseMin(limits_);
  result_.force.resize(contacts.size());
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    result_.force[k] =
        friction_cone(contacts[k].normal, friction) * x.segment<4>(nv_ + 4 * static_cast<int>(k));
  }
  return result_;
}

}  // namespace stunt
