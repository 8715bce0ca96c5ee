// McSim: short-horizon predictive tracking (da Silva, Abe, Popovic 2008) made to keep its balance in 3D.
//
// Every 4 ms a plan (plan.h) finds the joint torques and ground forces that come nearest to the reference's
// accelerations with feedback (McSim eq. 4); in between the torques are held, and a weak PD term answers at
// once (eq. 8 to 10). What goes beyond the paper, each a part with a name and a switch:
//   anchor      the reference moves with the feet that carry it, so that drift over the ground is no error
//   placement   the swing foot steps to where the body falls (eq. 11's idea, in both planes)
//   clearance   the swing foot is lifted a little, and by as much as the pelvis has sunk
//   balance     the centre of mass follows its reference like an inverted pendulum
//   recovery    where balance is lost and the reference has no step coming, or not soon enough, one is made
//               (recovery.h)
//   balance_reference    the reference itself is made possible beforehand (reference/cleanup/balance_reference.h)
#pragma once

#include <optional>
#include <string>

#include "stunt/control/controller.h"
#include "stunt/control/mcsim/plan.h"
#include "stunt/control/parts/recovery.h"
#include "stunt/reference/legs/leg_ik.h"

namespace stunt {

struct McSimSettings {
  double plan_rate = 250;   // Hz
  double stiffness = 1000;  // 1/s^2, k_os of eq. 4; damping is 2 sqrt(k_os)
  double pd_scale = 0.02;   // of the plan's stiffness: the PD term between plans
  // weights of the plan
  double root_linear_weight = 1;
  double root_angular_weight = 10;
  double com_weight = 100;
  double hold_weight = 10;   // no slip
  double hold_damping = 20;  // 1/s
  double friction = 0.9;     // of the controller's model
  // balance
  double pendulum_gain = 3;  // k: c'' = c_ref'' + w^2 (k-1) e + w k e', w = sqrt(g/z)
  double height_stiffness = 200, height_damping = 28;
  // parts
  bool anchor = true;
  bool placement = true;
  bool clearance = true;
  bool balance_reference = true;
  bool recovery = true;
  double anchor_time = 0.1;        // s
  double anchor_speed = 0.5;       // m/s at most
  double contact_distance = 0.02;  // m: a foot the reference has on the ground may push from this height on
  double contact_rise = 0.02;      // s: how gradually a new contact is trusted with load and held
  double leaving_reluctance =
      300;                   // how much dearer it is to push with a foot that the reference has in the air
  double look_ahead = 0.08;  // s: a foot that lands within this time counts as landing
  double forward_velocity_gain = 0.35, forward_position_gain = 0.30;  // s, 1: of the placement
  double sideways_velocity_gain = 0.45, sideways_position_gain = 0.50;
  double largest_placement = 0.3;  // m
  double clearance_height = 0.03;  // m
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
  const PlanTiming* plan_timing() const override { return &timing_; }
  // What the last plan was asked for.
  const PlanTargets& targets() const { return targets_; }
  const std::vector<PlanContact>& contacts() const { return contacts_; }

 private:
  struct Foot {
    Leg leg;
    Vec3 shift = Vec3::Zero();  // m, of the swing foot, filtered
    double lift = 0;            // m
    bool stance = true;         // the reference has it on the ground
    bool lands_soon = false;
    // follow: as in the reference; step: on its way to catch a fall; planted: where it caught one, until the
    // reference makes a step with it
    enum class Mode { follow, step, planted } mode = Mode::follow;
    bool has_stood = false;                       // planted, and the reference has had it on the ground since
    double since = 0;                             // s, when the step began
    Vec3 from = Vec3::Zero(), to = Vec3::Zero();  // m, of the foot's joint
    double yaw = 0;                               // rad, of the sole
    double ankle_height = 0;                      // m, of the foot's joint over its sole
    VecX last_q;                                  // the target of the last plan of a step
  };
  void plan(const Observation& now);
  void read_contacts(const Observation& now);
  void move_anchor(const Observation& now);
  void place_swing_feet(const Observation& now);
  void expect_contacts(const Observation& now);
  void recover(const Observation& now);
  void add_sole(const Foot& foot, ActorDynamics& body);  // to support_
  void put_foot(const Observation& now, Foot& foot);
  bool stands(const Foot& foot, const ReferenceSample& sample) const;
  bool keeps_standing(double time);
  void choose_targets(const Observation& now);
  double height_over_ground(const Vec3& point) const;

  McSimSettings settings_;
  ReferencePtr reference_;
  ActorPtr actor_;
  ActorDynamics dynamics_, reference_dynamics_;
  Planner planner_;
  PlanTargets targets_;
  std::vector<PlanContact> contacts_;
  std::vector<double> trust_, grip_;  // per contact point, 0 to 1: may push; is held
  std::vector<Foot> feet_;
  ReferenceSample target_;
  VecX error_, torque_;
  Jacobian com_jacobian_;
  ReferenceSample ahead_;
  ReferenceSample later_;
  std::vector<Vec2> support_;   // m, the soles that should stand
  double calm_until_ = 0;       // s, no recovery step before
  Vec3 offset_ = Vec3::Zero();  // m, the anchor: added to the reference's root
  Vec3 ground_normal_ = Vec3::UnitZ(),
       ground_point_ = Vec3::Zero();     // the plane under the feet, as felt so far
  Vec3 ground_velocity_ = Vec3::Zero();  // m/s, horizontal, of what the feet stand on, smoothed
  Vec3 reference_com_, reference_com_velocity_, reference_com_acceleration_;
  Vec3 com_error_ = Vec3::Zero(), com_rate_ = Vec3::Zero();
  double next_plan_ = 0;
  VecX pd_inertia_;
  PlanTiming timing_;
};

}  // namespace stunt
