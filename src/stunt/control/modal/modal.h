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
//   grips           hands that hold fast are contacts that push and pull, over the whole window; what they carry is a load
//                   that stays as it is felt now
//   parts           contacts, anchor, foot placement and clearance, recovery steps, balanced reference: as in mcsim.h
#pragma once

#include <any>
#include <vector>

#include "stunt/control/controller.h"
#include "stunt/control/mcsim/plan.h"
#include "stunt/control/modal/contact_plan.h"
#include "stunt/control/modal/modal_settings.h"
#include "stunt/control/modal/mode_plan.h"
#include "stunt/control/modal/modes.h"
#include "stunt/control/parts/footfalls.h"
#include "stunt/control/parts/grip_contacts.h"
#include "stunt/control/parts/ground_sense.h"
#include "stunt/control/parts/recovery_step.h"
#include "stunt/control/parts/take_off.h"
#include "stunt/world/contact_answer.h"

namespace stunt {

class ModalController : public Controller, public ContactAnswer {
 public:
  ModalController(const ModalSettings& settings, ReferencePtr reference);
  void reset(const Observation& start) override;
  void actuate(const Observation& now, Actuation& out) override;
  std::any save() const override { return memory_; }
  void restore(const std::any& memory) override { memory_ = std::any_cast<const Memory&>(memory); }
  const PlanTiming* plan_timing() const override { return &timing_; }
  // Section 5.4, for engine linearised.
  bool answers() const override { return settings_.answer_contacts; }
  void answer(std::span<const AnsweredPoint> points, Eigen::Ref<MatX> X, Eigen::Ref<VecX> constant) override;
  int window() const { return window_; }  // frames, of the last plan
  const ContactPlan& planned_contacts() const { return contacts_; }
  const RecoverySteps& recovery() const { return memory_.recovery; }

 private:
  // All that is carried from one step to the next.
  struct Memory {
    explicit Memory(const Actor& actor, double time = 0);
    double next_plan;  // s
    GroundSense ground;
    FootContacts foot_contacts;
    Anchor anchor;
    Footfalls footfalls;
    FootPlacement placement;
    RecoverySteps recovery;
    TakeOff take_off;
    HeldLoads loads;
    ContactPlan::Vec12 dual = ContactPlan::Vec12::Zero();  // where the next contact plan starts
    VecX torque;                                           // nv
    double pushed_at = -1e9, numb_until = -1e9;            // s: last felt a push; when that counts
  };
  void plan(const Observation& now);
  void sample_reference(const Observation& now);
  void move_anchor(const Observation& now);
  void place_feet(const Observation& now);
  void choose_window();
  void find_touches(const Observation& now);
  void feel_pushes(const Observation& now);
  void feel_grips(const Observation& now);
  void plan_contacts();
  void expect_contact(int body, const Vec3& point, const ContactPlan::Edges& edges,
                      std::span<const std::uint8_t> touches);
  void plan_modes(const Observation& now);
  void hold_contacts(const Observation& now);
  bool looks_ahead(int mode) const;

  ModalSettings settings_;
  ReferencePtr reference_;
  ActorPtr actor_;
  Memory memory_;

  // Made anew by every plan.
  std::vector<Foot> feet_;
  ReferenceSample present_, soon_;       // now, and when a foot counts as landing
  ReferenceSample next_, goal_, later_;  // at the ends of the short and the long window; room to work
  Observation ahead_;                    // the state that plans begin from, with the time of the goal
  int window_ = 1, high_window_ = 1;     // frames
  bool numb_ = false;                    // does not know yet that it was pushed
  std::vector<std::uint8_t> scattered_;  // per deformation mode: looks ahead, where that is drawn
  std::vector<std::uint8_t> touches_;    // contact points x frames: as the window expects it
  ActorDynamics dynamics_, present_dynamics_, goal_dynamics_;
  ActorDynamics
      arrived_dynamics_;  // our pose where the body will be at the end of the window, at `arrived_q_`
  Modes modes_;
  ContactPlan contacts_;
  VecX change_, goal_change_;  // nv
  VecX before_, arrived_q_;    // nq
  VecX p_rate_, p_next_, p_next_rate_, p_goal_, p_goal_rate_, bias_, force_,
      acceleration_;    // per deformation mode
  MatX point_shapes_;   // edges x modes: what an impulse along an edge does to the modes
  MatX mode_impulses_;  // frames x modes: of the contacts
  std::vector<ModeResponse> responses_;
  Jacobian jacobian_, momentum_matrix_;
  VecX rate_now_;                        // per deformation mode, of the true state
  VecX give_;                            // per deformation mode: x of dI = x Z df
  VecX expected_;                        // per deformation mode, N-like: what the forces do that were planned
  MatX yield_;                           // joints x 3, room to work
  std::vector<PlanContact> grips_;       // that carry the body
  bool hangs_ = false;                   // by them alone
  ContactPlan::Vec6 carried_;            // what is carried pulls at the rigid modes
  std::vector<std::uint8_t> all_along_;  // frames: a grip holds in all of them
  std::vector<PlanContact> touching_;
  PlanTargets targets_;
  Planner planner_;
  PlanTiming timing_;
};

}  // namespace stunt
