// The equations of motion of an actor at a state: M(q) a + h(q, v) = tau + sum_i J_i^T f_i.
// Computed once per state, by need; nothing is allocated after construction.
#pragma once

#include "stunt/actor/actor.h"

namespace stunt {

// Row-major, as MuJoCo stores Jacobians and matrices.
using RowMatX = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Jacobian = Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>;  // 3 x nv

class ActorDynamics {
 public:
  explicit ActorDynamics(ActorPtr actor);
  ActorDynamics(const ActorDynamics&) = delete;
  ActorDynamics& operator=(const ActorDynamics&) = delete;

  const Actor& actor() const { return *actor_; }

  // All that follows is at this state.
  void set_state(const VecX& q, const VecX& v);

  // --- kinematics ---------------------------------------------------------------------------------
  Vec3 body_position(int body);  // m, the body's origin in the world
  Quat body_rotation(int body);
  Vec3 body_angular_velocity(int body);              // rad/s, world axes
  Vec3 point(int body, const Vec3& local);           // m, world
  Vec3 point_velocity(int body, const Vec3& world);  // m/s, of the body at a point given in the world
  void point_jacobian(int body, const Vec3& world, Jacobian& J);  // d(point velocity)/dv
  void rotation_jacobian(int body, Jacobian& J);                  // d(angular velocity, world axes)/dv
  Vec3 point_bias_acceleration(int body, const Vec3& world);      // J-dot v of point_jacobian
  Vec3 rotation_bias_acceleration(int body);                      // J-dot v of rotation_jacobian

  // --- whole body ---------------------------------------------------------------------------------
  Vec3 com();           // m
  Vec3 com_velocity();  // m/s
  void com_jacobian(Jacobian& J);
  Vec3 com_bias_acceleration();               // J-dot v of com_jacobian
  Vec3 linear_momentum();                     // kg m/s
  Vec3 angular_momentum();                    // kg m^2/s, about the centre of mass, world axes
  void angular_momentum_matrix(Jacobian& A);  // angular_momentum = A v
  double kinetic_energy();                    // J

  // --- dynamics -----------------------------------------------------------------------------------
  const RowMatX& mass_matrix();  // nv x nv, armature included
  const VecX& bias();            // h: Coriolis, centrifugal, gravity; no passive joint forces
  const VecX& gravity_bias();    // h at v = 0
  void inverse_dynamics(const VecX& a,
                        VecX& tau);  // tau = M a + h by recursion (Newton-Euler), armature included
  // Rotational inertia of all bodies a joint moves, about the joint's anchor, world axes (hit-and-react section 3,
  // McSim eq. 9 with the parallel-axis terms).
  Mat3 composite_inertia(int joint);

  mjData& data() { return *data_; }  // for what this class does not wrap

 private:
  void need_positions();
  void need_velocities();
  void need_crb();
  void need_bias_accelerations();

  ActorPtr actor_;
  const mjModel& model_;
  DataPtr data_;
  bool positions_ = false, velocities_ = false, crb_ = false, mass_ = false, bias_done_ = false,
       gravity_done_ = false, bias_accelerations_ = false;
  RowMatX mass_matrix_;
  VecX bias_, gravity_bias_;
  Eigen::Matrix<double, 6, Eigen::Dynamic> cacc_;  // spatial acceleration of each body at a = 0, about com
};

}  // namespace stunt
