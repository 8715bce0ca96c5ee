// One plan of McSim as printed (da Silva, Abe, Popovic 2008, eq. 7):
//
//   min 1/2 |a - a_d|^2  subject to  lambda >= 0,  |u_f| <= limit,
//   M a + h = u_f + sum_i J_i^T V_i lambda_i,  J_i a + J_i-dot v = 0
#pragma once

#include <memory>
#include <vector>

#include "stunt/control/mcsim/plan.h"
#include "stunt/solve/qp.h"

namespace stunt {

// The plan of eq. 7 as a QP over accelerations and cone coefficients, x = (a, lambda); the torques follow
// from eq. 7d, whose first six rows (nobody pushes the root) and the limits on the others are its
// constraints.
//
// A rigid foot that turns cannot have three points without acceleration: eq. 7e is then met in the least
// squares sense, on as many independent rows as there are. Forces between two feet that cancel change no
// acceleration: of these the smallest are taken, by a cost of 1e-6 on lambda. Where strength and friction
// leave no plan that holds the contacts, holding them becomes a cost and `converged` is false; where even so
// none is found the torques are not finite. Planning allocates, unlike that of the default preset.
class PaperPlanner {
 public:
  explicit PaperPlanner(const Actor& actor);
  // `dynamics` is at the state to plan from; `desired` is a_d. PlanContact: body, point and normal count.
  const PlanResult& solve(ActorDynamics& dynamics, const VecX& desired, double friction,
                          const std::vector<PlanContact>& contacts);
  QpProblem problem() const;                                // as posed last: before it was relaxed
  const QpResult& qp_result() const { return *solution_; }  // of the problem solved last

 private:
  void pose(ActorDynamics& dynamics, const VecX& desired, double friction,
            const std::vector<PlanContact>& contacts);
  void pose_no_slip(ActorDynamics& dynamics, const std::vector<PlanContact>& contacts);

  int nv_;
  VecX limits_;
  Jacobian J_;
  MatX H_, A_, C_;
  VecX g_, b_, l_, u_, lower_;
  MatX points_;  // nv x 3 contacts: all J_i^T
  VecX bias_;    // 3 contacts: -J_i-dot v
  std::unique_ptr<QpSolver> solver_;
  const QpResult* solution_ = nullptr;
  PlanResult result_;
};

}  // namespace stunt
