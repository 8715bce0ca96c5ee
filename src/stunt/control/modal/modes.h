// The modes of a body at a pose: the generalised eigenproblem K phi = w^2 M phi (Jain and Liu 2011, section 3).
//
//   K     diagonal; the stiffness of a joint is the mass that hangs on it (section 7), 0 on the root
//   Phi   columns are modes, M-orthonormal: Phi^T M Phi = 1, so p = Phi^T M dq and dq = Phi p
//
// The six rigid modes span the root's coordinates and are built by hand: three translations of the whole
// body, then three turns about its centre of mass. All others have M phi = K phi / w^2, whose root rows are zero: forces in
// them are joint torques alone, and p depends on the joints alone. With the root eliminated,
//
//   (K^-1/2 S K^-1/2) x = x / w^2,   S = M_jj - M_jr M_rr^-1 M_rj,   phi_j = w K^-1/2 x
//
// a symmetric eigenproblem of the joints' size, best conditioned where the body is softest.
#pragma once

#include "stunt/actor/dynamics.h"

namespace stunt {

// N m/rad per kg carried: the mass of the bodies that each dof moves (kg), 0 on the root. Size nv.
VecX paper_joint_stiffness(const Actor& actor);

class Modes {
 public:
  static constexpr int kRigid = 6;
  using Rigid = Eigen::Matrix<double, 6, 6>;
  using RigidWrench = Eigen::Matrix<double, 6, 3>;

  // stiffness: the diagonal of K, nv, above 0 on the joints. The actor's root must be free.
  Modes(const Actor& actor, const VecX& stiffness);

  // At the state of `dynamics`. Allocates nothing.
  void compute(ActorDynamics& dynamics);

  int size() const { return static_cast<int>(stiffness_.size()); }  // nv; modes 0 to 5 are rigid
  // w^2, 1/s^2, of deformation mode m (0 to size() - 7), rising.
  double squared_frequency(int m) const { return frequency2_[m]; }

  // p of the deformation modes (nv - 6) from a change of pose or a velocity, and Phi^T f of a force f (both nv).
  void to_modes(const VecX& change, Eigen::Ref<VecX> p) const;
  void force_to_modes(const VecX& force, Eigen::Ref<VecX> p) const;
  // The joint torques (nv, zero on the root) that act as Phi^T tau = f on the deformation modes.
  void to_torques(const VecX& f, VecX& tau) const;
  // Phi of the deformation modes, nv x (nv - 6).
  const MatX& shapes() const { return phi_; }

  // Rigid modes: the first three are sqrt(m) times the centre of mass; the others turn, p = L^-1 (I theta) with
  // I = L L^T the inertia about the centre of mass. World axes.
  double root_mass() const { return std::sqrt(mass_); }  // sqrt(kg)
  Vec3 turn(const Vec3& angular) const { return half_inertia_.triangularView<Eigen::Lower>().solve(angular); }
  Vec3 angular(const Vec3& turn) const { return half_inertia_ * turn; }  // and back: L p
  const Vec3& com() const { return com_; }                               // m
  const Mat3& inertia() const { return inertia_; }                       // kg m^2
  // Phi_r^T J^T: what a unit force at a point (m, world) does to the rigid modes.
  RigidWrench wrench(const Vec3& point) const;
  // Phi_r as columns in the root's coordinates (the joints' rows are zero).
  Rigid rigid_shapes() const;

 private:
  void diagonalise();

  VecX stiffness_, root_of_stiffness_;
  double mass_;
  Vec3 com_ = Vec3::Zero();
  Vec3 root_ = Vec3::Zero();
  Mat3 root_rotation_ = Mat3::Identity();
  Mat3 inertia_ = Mat3::Identity(), half_inertia_ = Mat3::Identity();
  MatX coupling_;  // 6 x joints: L^-1 M_rj
  MatX schur_;     // joints x joints: K^-1/2 S K^-1/2, then its eigenvectors
  VecX inverse_frequency2_, below_diagonal_, reflections_, workspace_;
  MatX phi_;      // nv x (nv - 6)
  MatX momenta_;  // joints x (nv - 6): joint rows of M phi
  VecX frequency2_;
};

}  // namespace stunt
