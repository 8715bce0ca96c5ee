// One plan of the short-horizon tracker: the joint torques and contact forces that come nearest to the wanted
// accelerations, subject to the dynamics, friction and strength (McSim, da Silva et al. 2008, eq. 7).
//
//   min_{a, lambda}  1/2 sum_i w_i (a_i - a_d,i)^2                          tracking, eq. 7a
//                  + 1/2 w_c |J_c a + J_c-dot v - c_d|^2                    centre of mass
//                  + 1/2 w_s |A a + A-dot v - s_d|^2                        angular momentum
//                  + 1/2 sum_k w_n g_k |J_k a + J_k-dot v + d_k (J_k v - u_k)|^2
//                                                                         no slip, eq. 7e as a cost
//                  + 1/2 sum_k eps_k |lambda_k|^2                         eps_k: regularisation times reluctance
//   subject to       M a + h = S tau + R w + sum_k J_k^T V_k lambda_k       eq. 7d
//                    lambda >= 0                                            eq. 7b
//                    |tau| <= limit                                         eq. 7c
//
//   a       accelerations (nv)
//   tau     joint torques (nv - 6)
//   lambda  coefficients of the 4-sided friction cones (4 per contact point)
//   h       bias forces, less those of what the hands carry
//   w       wrench of blows on the root (6), known; R its rows. In the joints' rows they are left out: joints that
//           knew would brace against them
//   V_k     cone edges n + mu t of point k, unit normal n
//   A v     angular momentum about the centre of mass
//   g_k     how much point k is held, u_k the velocity it should have, d_k the rate at which it gets it
//
// How it is solved: the torques follow from a and lambda, so only the root's six rows of the dynamics bind,
// plus a row for each torque at its limit. With Q the Hessian in a, eliminating a leaves, in the multipliers
// y of these m rows,
//   min over lambda >= 0 of 1/2 |C lambda - d|^2 + 1/2 eps |lambda|^2,   C of size m x 4 points,
// a non-negative least-squares problem whose dual has m unknowns and a piecewise linear gradient: semismooth
// Newton on m x m systems. Most plans are within the limits, and m is 6; else rows come and go in the same dual.
#pragma once

#include <vector>

#include "stunt/actor/dynamics.h"
#include "stunt/control/parts/plan_contact.h"

namespace stunt {

// Edges of the 4-sided friction cone about a unit normal, as columns: V of eq. 7d.
using FrictionCone = Eigen::Matrix<double, 3, 4>;
FrictionCone friction_cone(const Vec3& normal, double friction);
// The same for a contact. Of a grip they are the corners of a tetrahedron, whose sums with lambda >= 0 are all forces.
FrictionCone push_directions(const PlanContact& contact, double friction);

using RootWrench = Eigen::Matrix<double, 6, 1>;

struct PlanTargets {
  VecX acceleration;                            // a_d, nv
  VecX weight;                                  // w, nv, all positive
  Vec3 com_acceleration = Vec3::Zero();         // c_d, m/s^2
  Vec3 com_weight = Vec3::Zero();               // w_c per axis
  Vec3 spin_rate = Vec3::Zero();                // s_d, Nm: of the angular momentum about the centre of mass
  double spin_weight = 0;                       // w_s
  double hold_weight = 10;                      // w_n
  double hold_damping = 20;                     // 1/s, d_k but for the contact's own factor
  double regularisation = 1e-4;                 // eps
  double friction = 1;                          // mu
  RootWrench root_wrench = RootWrench::Zero();  // w: N (world axes) and Nm (root's axes), measured
  VecX load;  // nv, generalised force of what the hands carry, known to all rows; empty: nothing
};

struct PlanResult {
  VecX torque;              // nv; zero on the root; not finite where no plan was found
  VecX acceleration;        // nv, what the model expects
  std::vector<Vec3> force;  // N, per contact
  double residual = 0;      // of the root's equations, relative to the weight
  int iterations = 0;       // Newton steps, all active sets together
  int saturated = 0;        // torques at their limit
  bool converged = false;
};

class Planner {
 public:
  explicit Planner(const Actor& actor, int most_contacts = 16);
  // `dynamics` is at the state to plan from. Nothing is allocated after the first call, nothing remembered.
  const PlanResult& solve(ActorDynamics& dynamics, const PlanTargets& targets,
                          const std::vector<PlanContact>& contacts);

 private:
  using ColMat = Eigen::MatrixXd;
  // Solves for lambda and the accelerations as if there were no limits; returns Newton steps, -1 when it fails.
  int bind_root(ActorDynamics& dynamics, int columns);
  // Goes on from there with the limits; false where it does not settle.
  bool bind_limits(ActorDynamics& dynamics, int columns);
  void enter(ActorDynamics& dynamics, int i, int columns);
  void leave(int i);
  bool newton_step(int columns, double tolerance);
  void find_torques(ActorDynamics& dynamics, int columns);

  int nv_;
  VecX limits_;
  MatX Q_;  // nv x nv
  MatX U_;  // nv x (6 + 3 points), what the hessian has beyond its diagonal
  Eigen::LLT<MatX> factor_;
  VecX g_, a0_;       // gradient; unconstrained minimum
  VecX bias_;         // nv, h less the known wrench
  VecX centrifugal_;  // nv, the bias without gravity
  ColMat B_;          // nv x 4 contacts: J^T V
  Jacobian J_;
  std::vector<int> rows_;                               // that bind: 0 to 5, then torques at their limits
  VecX signs_;                                          // nv: of the limit a torque is at, or 0
  ColMat E_, QinvM_;                                    // nv x nv: L^-1 M^T and Q^-1 M^T, as needed
  MatX A_, H_;                                          // m x m, of nv x nv; factored in place
  MatX C_;                                              // m x columns, of nv x 4 contacts
  VecX lambda_, slack_, softness_;                      // columns; softness: 1 / eps of each
  VecX d_, y_, gradient_, newton_, trial_, direction_;  // m, of nv
  VecX multiplier_;                                     // of the root's rows: how hard each pushes
  PlanResult result_;
};

}  // namespace stunt
