#include "stunt/control/modal/modes.h"

#include <Eigen/Eigenvalues>
#include <cmath>

namespace stunt {

VecX paper_joint_stiffness(const Actor& actor) {
  const auto& bodies = actor.bodies();
  std::vector<double> carried(bodies.size());
  for (std::size_t b = bodies.size(); b-- > 0;) {  // a parent comes before its children
    carried[b] += bodies[b].mass;
    if (bodies[b].parent >= 0) carried[bodies[b].parent] += carried[b];
  }
  VecX stiffness = VecX::Zero(actor.nv());
  for (const ActorJoint& joint : actor.joints()) {
    if (joint.type != JointType::free)
      stiffness.segment(joint.v_address, joint.dofs).setConstant(carried[joint.body]);
  }
  return stiffness;
}

Modes::Modes(const Actor& actor, const VecX& stiffness) : stiffness_(stiffness), mass_(actor.mass()) {
  const int joints = size() - kRigid;
  root_of_stiffness_ = stiffness_.tail(joints).cwiseSqrt();
  coupling_ = MatX::Zero(kRigid, joints);
  schur_ = MatX::Identity(joints, joints);
  phi_ = MatX::Zero(size(), joints);
  momenta_ = MatX::Identity(joints, joints);
  frequency2_ = VecX::Ones(joints);
  inverse_frequency2_ = workspace_ = VecX::Zero(joints);
  below_diagonal_ = reflections_ = VecX::Zero(joints - 1);
}

void Modes::compute(ActorDynamics& dynamics) {
  const RowMatX& M = dynamics.mass_matrix();
  const int joints = size() - kRigid;

  // The inertia about the centre of mass from that about the root, which M has in the root's axes.
  com_ = dynamics.com();
  root_ = dynamics.body_position(0);
  root_rotation_ = dynamics.body_rotation(0).toRotationMatrix();
  const Vec3 arm = com_ - root_;
  inertia_ = root_rotation_ * M.block<3, 3>(3, 3) * root_rotation_.transpose() -
             mass_ * (arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose());
  half_inertia_ = inertia_.llt().matrixL();

  const Rigid root_mass = M.topLeftCorner<kRigid, kRigid>();
  const Eigen::LLT<Rigid> root(root_mass);
  coupling_ = M.topRightCorner(kRigid, joints);
  root.matrixL().solveInPlace(coupling_);
  schur_ = M.bottomRightCorner(joints, joints);
  schur_.noalias() -= coupling_.transpose() * coupling_;
  for (int i = 0; i < joints; ++i) {
    for (int j = 0; j < joints; ++j) schur_(i, j) /= root_of_stiffness_[i] * root_of_stiffness_[j];
  }
  diagonalise();
  // Eigenvalues 1 / w^2 rise: the softest mode is the last.
  for (int m = 0; m < joints; ++m) {
    const int column = joints - 1 - m;
    const double inverse = std::max(inverse_frequency2_[column], 1e-12);
    frequency2_[m] = 1 / inverse;
    const double w = std::sqrt(frequency2_[m]);
    phi_.col(m).tail(joints) = w * schur_.col(column).cwiseQuotient(root_of_stiffness_);
    momenta_.col(m) = (1 / w) * schur_.col(column).cwiseProduct(root_of_stiffness_);
  }
  // Root rows: -M_rr^-1 M_rj phi_j.
  phi_.topRows(kRigid).noalias() = -coupling_ * phi_.bottomRows(joints);
  for (int m = 0; m < joints; ++m) {
    Eigen::Matrix<double, kRigid, 1> column = phi_.col(m).head<kRigid>();
    root.matrixU().solveInPlace(column);
    phi_.col(m).head<kRigid>() = column;
  }
}

// The steps of Eigen's SelfAdjointEigenSolver, which allocates between them.
void Modes::diagonalise() {
  constexpr int kMostSweeps = 30;
  Eigen::internal::tridiagonalization_inplace(schur_, reflections_);
  inverse_frequency2_ = schur_.diagonal();
  below_diagonal_ = schur_.diagonal<-1>();
  Eigen::HouseholderSequence<MatX, VecX>(schur_, reflections_)
      .setLength(schur_.rows() - 1)
      .setShift(1)
      .evalTo(schur_, workspace_);
  Eigen::internal::computeFromTridiagonal_impl(inverse_frequency2_, below_diagonal_, kMostSweeps, true,
                                               schur_);
}

void Modes::to_modes(const VecX& change, Eigen::Ref<VecX> p) const {
  p.noalias() = momenta_.transpose() * change.tail(size() - kRigid);
}

void Modes::force_to_modes(const VecX& force, Eigen::Ref<VecX> p) const {
  p.noalias() = phi_.transpose() * force;
}

void Modes::to_torques(const VecX& f, VecX& tau) const {
  tau.head<kRigid>().setZero();
  tau.tail(size() - kRigid).noalias() = momenta_ * f;
}

Modes::RigidWrench Modes::wrench(const Vec3& point) const {
  const Vec3 r = point - com_;
  Mat3 cross;
  cross << 0, -r.z(), r.y(), r.z(), 0, -r.x(), -r.y(), r.x(), 0;
  RigidWrench out;
  out.topRows<3>() = Mat3::Identity() / root_mass();
  out.bottomRows<3>() = half_inertia_.triangularView<Eigen::Lower>().solve(cross);
  return out;
}

Modes::Rigid Modes::rigid_shapes() const {
  Rigid out = Rigid::Zero();
  out.topLeftCorner<3, 3>() = Mat3::Identity() / root_mass();
  const Mat3 turns = half_inertia_.transpose().triangularView<Eigen::Upper>().solve(Mat3::Identity());
  for (int i = 0; i < 3; ++i) {
    const Vec3 turn = turns.col(i);
    out.col(3 + i).head<3>() = turn.cross(root_ - com_);
    out.col(3 + i).tail<3>() = root_rotation_.transpose() * turn;
  }
  return out;
}

}  // namespace stunt
