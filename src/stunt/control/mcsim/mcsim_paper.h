// McSim as printed (da Silva, Abe, Popovic 2008, eq. 1 to 11): the preset `paper` of the controller mcsim,
// there to reproduce the paper and to be compared with. What keeps the default preset up (mcsim.h) is not in
// it.
//
//   u    = u_f + u_b                                                     eq. 1: plan and feedback
//   a_d  = a_r + k_os d(q_r, q) + 2 sqrt(k_os) (v_r - v)                 eq. 4; no position term on the root's
//                                                                        translation
//   u_f:   min 1/2 |a - a_d|^2  subject to  lambda >= 0,  |u_f| <= limit,
//          M a + h = u_f + sum_i J_i^T V_i lambda_i,  J_i a + J_i-dot v = 0
//                                                                        eq. 7a to 7e, with W = M^-1 in eq. 6
//   u_b  = k_s (q_r - q) + 2 sqrt(k_s) (v_r - v)                         eq. 8, pins; printed without v_r
//   u_b  = k_s I_c d(q_r, q) + 2 sqrt(k_s I_c) (v_r - v)                 eq. 9, 10, ball joints
//   theta_d = theta_d0 + c_d d + c_v v                                   eq. 11, the swing hip's angle
//
// The plan is made at 40 to 100 Hz and held in between; the feedback comes every step.
#pragma once

#include <any>
#include <vector>

#include "stunt/control/controller.h"
#include "stunt/control/mcsim/paper_plan.h"
#include "stunt/reference/legs/leg.h"

namespace stunt {

struct McSimPaperSettings {
  double plan_rate = 100;          // Hz, 40 to 100
  double stiffness = 1000;         // 1/s^2, k_os; table 1: 300 to 1000
  double pd_scale = 0.02;          // k, of the joints' own stiffness (tables 2 and 3); table 1: 0.005 to 0.2
  double friction = 1;             // of the planned contacts
  bool reference_velocity = true;  // false: pins are damped towards rest, as eq. 8 is printed
  // c_d (rad/m) and c_v (rad s/m): how the swing hip answers the root's distance from the support foot, and
  // its velocity
  double hip_distance_gain = 0;
  double hip_velocity_gain = 0;
};
void describe(Fields& fields, McSimPaperSettings& settings);
std::unique_ptr<Controller> make_controller(const McSimPaperSettings& settings, const ControllerTask& task);

// k_s of tables 2 (characters of pins only) and 3, Nm/rad, per index of v; zero on the root. Links that the
// tables do not have are like the nearest one towards the root.
VecX paper_stiffness(const Actor& actor);

class McSimPaperController : public Controller {
 public:
  McSimPaperController(const McSimPaperSettings& settings, ReferencePtr reference);
  void reset(const Observation& start) override;
  void actuate(const Observation& now, Actuation& out) override;
  std::any save() const override { return memory_; }
  void restore(const std::any& memory) override { memory_ = std::any_cast<const Memory&>(memory); }
  const PlanTiming* plan_timing() const override { return &timing_; }

  // What the last plan was asked for, and made of.
  const VecX& desired() const { return desired_; }
  const std::vector<PlanContact>& contacts() const { return contacts_; }
  const PaperPlanner& planner() const { return planner_; }
  const ReferenceSample& target() const { return target_; }

 private:
  // All that is carried from one step to the next: the plan that is held.
  struct Memory {
    double next_plan = 0;  // s
    VecX torque;           // nv
  };
  void turn_swing_hip(const Observation& now);
  void plan(const Observation& now);
  void add_feedback(const Observation& now, VecX& torque);

  McSimPaperSettings settings_;
  ReferencePtr reference_;
  ActorPtr actor_;
  Memory memory_;
  ActorDynamics dynamics_;
  PaperPlanner planner_;
  VecX stiffness_;  // k k_s
  std::vector<Leg> legs_;
  ReferenceSample target_;
  VecX error_, desired_;
  std::vector<PlanContact> contacts_;
  PlanTiming timing_;
};

}  // namespace stunt
