// McSim: short-horizon predictive tracking (da Silva, Abe, Popovic 2008) made to keep its balance in 3D.
//
// Every 4 ms a plan (plan.h) finds the joint torques and ground forces that come nearest to the reference's
// accelerations with feedback (McSim eq. 4); in between the torques are held, and a weak PD term answers at
// once (eq. 8 to 10). What goes beyond the paper, each a part with a name and a switch:
//   contacts    which points of the feet may push, are held, or are led down gently
//               (control/parts/foot_contacts.h), on which ground (control/parts/ground_sense.h)
//               and where hands, knees and trunk may (control/parts/body_contacts.h)
//   grips       hands that hold something fixed pull at it, those that carry something know its weight
//               (control/parts/grip_contacts.h)
//   anchor      the reference moves with the feet that carry it, so that drift over the ground is no error
//               (control/parts/anchor.h)
//   placement   the swing foot steps to where the body falls (eq. 11's idea, in both planes), and
//   clearance   is lifted a little, and by as much as the pelvis has sunk (control/parts/foot_placement.h)
//   balance     the centre of mass follows its reference like an inverted pendulum (control/parts/capture_point.h),
//               corrected by no more than friction can give
//   take-off    the body gets the spin of a flight before it leaves the ground (control/parts/take_off.h)
//   recovery    where balance is lost and the reference has no step coming, or not soon enough, one is made
//               (control/parts/recovery_step.h)
//   reactions   joints give way where a blow lands, and the plan knows how the blow pushes the body
//               (control/parts/reaction.h)
//   nudges      small offsets of the reference, as a rehearsal finds them (control/parts/nudges.h)
//   balance_reference    the reference itself is made possible beforehand (reference/cleanup/balance_reference.h)
#pragma once

#include <any>
#include <vector>

#include "stunt/control/controller.h"
#include "stunt/control/mcsim/plan.h"
#include "stunt/control/parts/footfalls.h"
#include "stunt/control/parts/footwork_settings.h"
#include "stunt/control/parts/grip_contacts.h"
#include "stunt/control/parts/ground_sense.h"
#include "stunt/control/parts/nudges.h"
#include "stunt/control/parts/reaction.h"
#include "stunt/control/parts/recovery_step.h"
#include "stunt/control/parts/take_off.h"

namespace stunt {

struct McSimSettings : FootworkSettings {
  double plan_rate = 250;         // Hz
  double stiffness = 550;         // 1/s^2, k_os of eq. 4; damping is 2 sqrt(k_os)
  double flight_stiffness = 700;  // 1/s^2, likewise where the reference flies or will soon
  double hurry = 1;               // how much stiffer a leg becomes that steps elsewhere than the reference
  double pd_scale = 0.02;         // of the plan's stiffness: the PD term between plans
  // weights of the plan
  double root_linear_weight = 1;
  double root_angular_weight = 20;
  double com_weight = 100;
  double hold_weight = 3;    // no slip
  double hold_damping = 20;  // 1/s
  double friction = 0.9;     // of the controller's model
  // balance
  double pendulum_gain = 3;  // k: c'' = c_ref'' + w^2 (k-1) e + w k e', w = sqrt(g/z)
  double height_stiffness = 200, height_damping = 28;
  double spin_weight = 0.1;            // of the angular momentum, before a take-off
  double spin_time = 0.15;             // s before it
  double flight_velocity_gain = 0.42;  // s, of the placement: forward, of steps that end a flight
  double flight_lift_rate = 40;        // 1/s, likewise: runners keep their clearance until they land
  ReactionSettings reaction;
  bool blows_known = true;  // the plan is told how blows push the body
  Nudges nudges;
};
void describe(Fields& fields, McSimSettings& settings);
std::unique_ptr<Controller> make_controller(const McSimSettings& settings, const ControllerTask& task);
inline ReferenceWishes reference_wishes(const McSimSettings& settings) {
  return {.balanced = settings.balance_reference};
}

class McSimController : public Controller {
 public:
  McSimController(const McSimSettings& settings, ReferencePtr reference);
  void reset(const Observation& start) override;
  void actuate(const Observation& now, Actuation& out) override;
  std::any save() const override { return memory_; }
  void restore(const std::any& memory) override { memory_ = std::any_cast<const Memory&>(memory); }
  const PlanTiming* plan_timing() const override { return &timing_; }
  Nudges* nudges() override { return &settings_.nudges; }
  // What the last plan was asked for.
  const PlanTargets& targets() const { return targets_; }
  const std::vector<PlanContact>& contacts() const { return contacts_; }
  const RecoverySteps& recovery() const { return memory_.recovery; }

 private:
  // All that is carried from one step to the next.
  struct Memory {
    explicit Memory(const Actor& actor, double time = 0);
    double next_plan;  // s
    GroundSense ground;
    HeldLoads loads;
    FootContacts foot_contacts;
    Anchor anchor;
    Footfalls footfalls;
    FootPlacement placement;
    RecoverySteps recovery;
    TakeOff take_off;
    ReferenceSample target;         // of the last plan, for the PD term
    VecX torque;                    // nv, the same
    VecX pd_stiffness, pd_damping;  // nv, Nm/rad, Nms/rad: the same
    Reactions reactions;
  };
  void plan(const Observation& now);
  void sample_reference(const Observation& now);
  void sense_contacts(const Observation& now);
  void move_anchor(const Observation& now);
  TrackedBody compare(const Observation& now);
  void place_feet(const TrackedBody& body);
  void choose_targets(const TrackedBody& body);
  void prepare_take_off(double time);
  void stiffen_legs();
  void solve();

  McSimSettings settings_;
  ReferencePtr reference_;
  ActorPtr actor_;
  Memory memory_;

  // Made anew by every plan.
  std::vector<Foot> feet_;
  ReferenceSample ahead_, later_;
  ActorDynamics dynamics_, reference_dynamics_;
  std::vector<PlanContact> contacts_;
  PlanTargets targets_;
  Planner planner_;
  VecX error_;
  bool flies_ = false;  // the reference, now or soon
  bool hangs_ = false;  // by its hands, and the reference has no foot on the ground
  VecX stiffness_;      // nv, 1/s^2
  VecX softness_;       // nv, what blows leave of it
  Jacobian jacobian_;   // 3 x nv, room to work
  PlanTiming timing_;
};

}  // namespace stunt
