// Modal-space control: plans that look ahead (Jain and Liu 2011), as a torque controller on any engine.
//
// Every plan linearises the body at its pose (eq. 11), splits it into modes (modes.h), and looks for the way to the
// reference's state at the end of a window:
//   rigid modes   the centre of mass and the mean rotation, by the contact forces of the whole window, with the
//                 contacts that the reference has (contact_plan.h)
//   low modes     the softest ones: joint impulses that get there with least effort (mode_plan.h)
//   high modes    all others: likewise in a shorter window; where that is one frame, eq. 22
// The springs of the modes are relaxed at the present pose (k_0 = -K q_0).
//
// What goes beyond the paper, or differs:
//   momentum        the rigid modes aim at the true centre of mass and momentum of the reference, not at their linearisation
//   carry_load      effort is counted from the forces that carry the body and the planned contacts: as printed, a mode pays for
//                   holding itself up, and sags
//   hold_contacts   section 5.4 corrects forces by an LCP in a world of its own. Here the engine does contact; the
//                   planned accelerations and momentum are given to the short-horizon plan (control/mcsim/plan.h), which finds
//                   the torques that come nearest while the feet that touch stay where they are, within friction and strength.
//                   Without it the torques are the joint rows of M Phi I_0 / dt.
//   parts           contacts, anchor, foot placement and clearance, recovery steps, balanced reference: as in mcsim.h
#pragma once

#include <any>
#include <vector>

#include "stunt/control/controller.h"
#include "stunt/control/mcsim/plan.h"
#include "stunt/control/modal/contact_plan.h"
#include "stunt/control/modal/mode_plan.h"
#include "stunt/control/modal/modes.h"
#include "stunt/control/parts/footwork_settings.h"
#include "stunt/control/parts/ground_sense.h"
#include "stunt/control/parts/recovery_step.h"

namespace stunt {

struct ModalSettings : FootworkSettings {
  double plan_rate = 250;         // Hz
  double frame_time = 1.0 / 120;  // s, dt
  int window = 9;                 // frames
  int high_window = 6;            // frames, of the high modes; 1: eq. 22
  int frames_per_force = 1;       // of the window
  int low_modes = 16, first_low_mode = 0;
  bool carry_load = true;
  bool hold_contacts = true;
  // of the window
  double com_position_weight = 0.03, com_velocity_weight = 1;  // W_1, W_2 of the translations
  double turn_weight = 0.5, turn_rate_weight = 1;              // W_1, W_2 of the turns
  double force_weight = 1e-4;                                  // W_3
  double position_weight = 0.5, velocity_weight = 2;           // w_4, w_5
  double impulse_weight = 1e-3;                                // W_6
  double mass_damping = 0, stiffness_damping = 0;              // alpha (1/s), beta (s): D = alpha M + beta K
  double friction = 0.9;
  // of the torques that hold the contacts
  double joint_weight = 1;
  double root_weight = 1;
  double com_weight = 100;
  double spin_weight = 1;
  double hold_weight = 3;
  double hold_damping = 20;  // 1/s
};
void describe(Fields& fields, ModalSettings& settings);
std::unique_ptr<Controller> make_controller(const ModalSettings& settings, const ControllerTask& task);
inline ReferenceWishes reference_wishes(const ModalSettings& settings) {
  return {.balanced = settings.balance_reference};
}

class ModalController : public Controller {
 public:
  ModalController(const ModalSettings& settings, ReferencePtr reference);
  void reset(const Observation& start) override;
  void actuate(const Observation& now, Actuation& out) override;
  std::any save() const override { return memory_; }
  void restore(const std::any& memory) override { memory_ = std::any_cast<const Memory&>(memory); }
  const PlanTiming* plan_timing() const override { return &timing_; }

 private:
  // All that is carried from one step to the next.
  struct Memory {
    explicit Memory(const Actor& actor, double time = 0);
    double next_plan;  // s
    GroundSense ground;
    FootContacts foot_contacts;
    Anchor anchor;
    FootPlacement placement;
    RecoverySteps recovery;
    ContactPlan::Vec12 dual = ContactPlan::Vec12::Zero();  // where the next contact plan starts
    VecX torque;                                           // nv
  };
  void plan(const Observation& now);
  void sample_reference(const Observation& now);
  void move_anchor(const Observation& now);
  void place_feet(const Observation& now);
  void plan_contacts();
  void plan_modes();
  void hold_contacts(const Observation& now);

  ModalSettings settings_;
  ReferencePtr reference_;
  ActorPtr actor_;
  Memory memory_;

  // Made anew by every plan.
  std::vector<Foot> feet_;
  ReferenceSample present_, soon_;       // now, and when a foot counts as landing
  ReferenceSample next_, goal_, later_;  // at the ends of the short and the long window; room to work
  Observation ahead_;                    // the state now, with the time of the goal
  std::vector<std::uint8_t> touches_;    // contact points x frames: as the window expects it
  ActorDynamics dynamics_, present_dynamics_, goal_dynamics_;
  Modes modes_;
  ContactPlan contacts_;
  VecX change_, goal_change_, before_;  // nv, nv, nq
  VecX p_rate_, p_next_, p_next_rate_, p_goal_, p_goal_rate_, bias_, force_,
      acceleration_;    // per deformation mode
  MatX point_shapes_;   // edges x modes: what an impulse along an edge does to the modes
  MatX mode_impulses_;  // frames x modes: of the contacts
  std::vector<ModeResponse> responses_;
  Jacobian jacobian_, momentum_matrix_;
  std::vector<PlanContact> touching_;
  PlanTargets targets_;
  Planner planner_;
  PlanTiming timing_;
};

}  // namespace stunt
