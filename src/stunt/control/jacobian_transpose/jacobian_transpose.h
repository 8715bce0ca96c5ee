// Springs in the joints for the pose, virtual forces for the balance (Geijtenbeek 2013, chapter 6): a controller that
// never inverts the equations of motion, and whose numbers an optimiser finds (optimize/).
//
//   tau_pd = k_p (q_A - q_C) + k_d (v_A - v_C)                                              eq. 6.1
//   F      = w_cp (c_A - c_C) + w_cv (c'_A - c'_C)      at the centre of mass                eq. 6.8
//   T      = w_to log(o_A o_C^-1) + w_am (L_A - L_C)    on the pelvis                        eq. 6.9, 6.11
//   tau    = tau_pd + J_p' F + J_e' T                   in the joints of the standing legs   eq. 6.12
//
//   A, C   the motion and the character
//   c      centre of mass relative to the base of support: the ankles that stand in the motion, of either body
//   o      orientation of the chest;  L   angular momentum about the centre of mass
//   J      of a point (eq. 3.5) or turn (eq. 3.7) of the pelvis with the standing foot held: as the foot is held by the
//          ground, J' F is the torque with which it pushes the ground by -F
// The weights w have two sets: one foot on the ground, and two. Between two feet F and T are shared by how near each
// ankle is to the centre of mass, along the line between them.
//
// Preset `paper` is that alone, limited to 200 Nm (eq. 6.13; noise is the actuators': plant.motor_noise). Preset `default`
// adds, each with a switch:
//   gravity     the standing legs carry the weight, the other joints their own: the springs can be soft
//   foresight   likewise what the motion's own accelerations take (inverse dynamics of the motion on our body)
//   sole        the ground is asked for what the soles can pass on: where they stand, within friction, hardly any twist
//   stance      the feet that stand in the motion carry it, those that touch only where there are none; a foot that
//               touched within `contact_memory` touches
//   trunk_damping   T also has w_to trunk_damping (w_A - w_C), w the chest's angular velocity
//   centred     who goes on standing has the centre of mass between heels and toes, and both feet loaded
//   placement   the swing foot steps to where the body falls (control/parts/foot_placement.h), and is led down when it is late
//   recovery    a step is made where balance is lost and the motion keeps standing (control/parts/recovery_step.h)
//   implicit    the springs are evaluated at the end of the step (Tan et al. 2011), which allows long ones
#pragma once

#include <any>
#include <array>
#include <vector>

#include "stunt/control/controller.h"
#include "stunt/control/jacobian_transpose/joint_gains.h"
#include "stunt/control/jacobian_transpose/stance.h"
#include "stunt/control/parts/anchor.h"
#include "stunt/control/parts/foot_placement.h"
#include "stunt/control/parts/footfalls.h"
#include "stunt/control/parts/ground_sense.h"
#include "stunt/control/parts/recovery_step.h"

namespace stunt {

// eq. 6.15, 6.16.
struct BalanceWeights {
  double com_position = 450;  // w_cp, N/m
  double com_velocity = 450;  // w_cv, N s/m
  double trunk = 150;         // w_to, Nm/rad
  double momentum = 0;        // w_am, 1/s
};

struct JacobianTransposeSettings {
  JacobianTransposeSettings();
  JointGains stiffness{350};    // k_p, Nm/rad
  JointGains damping{35};       // k_d, Nm s/rad
  BalanceWeights single, dual;  // one foot on the ground, two
  double torque_limit = 200;    // Nm, of every joint; the body's own strength counts too
  bool gravity = true;
  bool foresight = true;
  bool sole = true;
  bool reference_stance = true;
  double contact_memory = 0.03;  // s
  double trunk_damping = 0.1;    // s
  double centred = 1;            // 0 to 1
  bool placement = true;
  bool recovery = true;
  double hurry = 1;  // how much stiffer a leg becomes that makes such a step
  bool implicit = true;
  bool balance_reference = true;  // the reference is made possible before it is followed
  bool reference_balance = true;  // false: the centre of mass goes over the base, without angular momentum
};
void describe(Fields& fields, JacobianTransposeSettings& settings);
std::unique_ptr<Controller> make_controller(const JacobianTransposeSettings& settings,
                                            const ControllerTask& task);
ReferenceWishes reference_wishes(const JacobianTransposeSettings& settings);

// As printed.
struct JacobianTransposePaperSettings : JacobianTransposeSettings {
  JacobianTransposePaperSettings();
};
inline ReferenceWishes reference_wishes(const JacobianTransposePaperSettings& settings) {
  return reference_wishes(static_cast<const JacobianTransposeSettings&>(settings));
}

class JacobianTransposeController : public Controller {
 public:
  JacobianTransposeController(const JacobianTransposeSettings& settings, ReferencePtr reference);
  void reset(const Observation& start) override;
  void actuate(const Observation& now, Actuation& out) override;
  std::any save() const override { return memory_; }
  void restore(const std::any& memory) override { memory_ = std::any_cast<const Memory&>(memory); }

 private:
  struct Memory {
    Memory(const Actor& actor, double time) : footfalls(time), placement(actor), recovery(actor, time) {}
    std::array<double, 2> touched = {-1e9, -1e9};  // s, when each foot touched last
    std::array<double, 2> reach = {0, 0};          // m, by which a foot that hovers is led down
    GroundSense ground;
    Anchor anchor;
    Footfalls footfalls;
    FootPlacement placement;
    RecoverySteps recovery;
    Vec3 over_soles = Vec3::Zero();  // m, by which the centre of mass is moved
    double look_at = -1e9;           // s, when the motion is asked again
    bool keeps_standing = true;      // what it said
  };
  // A sole in the foot's own directions, m from the ankle.
  struct Sole {
    double back = 0, front = 0, right = 0, left = 0;
  };

  // From the ground, about the centre of mass.
  struct Wrench {
    Vec3 force, moment;  // N, Nm
  };

  void move_reference(const Observation& now);
  bool keeps_standing(double time);
  Stance feel_ground(const Observation& now);
  void place_feet(const Observation& now);
  void reach_down(const Observation& now);
  void move_over_soles(const Observation& now);

  void foresee();
  void add_springs(const Observation& now, VecX& torque);
  void add_ground(const Stance& carries, VecX& torque);
  Wrench balance(const Stance& carries);
  Vec2 pressure(const Wrench& wrench, double ground);
  std::array<double, 2> shares(const Stance& carries, const Wrench& wrench);
  Vec3 apart();
  void stay_on_soles(const Stance& carries, Wrench& wrench);
  void push_ground(std::size_t foot, const Wrench& wrench, VecX& torque);
  void keep_sole_flat(std::size_t foot, VecX& torque);
  void twist_gently(std::size_t foot, VecX& springs);
  bool on_ground(const std::vector<int>& points) const;
  double grip(std::size_t foot) const;

  Vec3 joint_axis(const ActorJoint& joint, int dof);
  Vec3 turning(int body, const VecX& torque);
  void turn(int body, const Vec3& change, VecX& torque);

  JacobianTransposeSettings settings_;
  ReferencePtr reference_;
  ActorPtr actor_;
  std::vector<Foot> feet_, led_;  // as the motion has them; as they are placed
  std::vector<Sole> soles_;
  VecX stiffness_, damping_;  // nv
  int trunk_;                 // body
  Memory memory_;

  ActorDynamics ours_, theirs_;
  ReferenceSample target_, later_;
  Stance expected_;
  std::array<double, 2> shares_ = {0, 0};
  VecX error_, rate_, ahead_;
  VecX foreseen_;  // nv, Nm
  Support support_;
  VecX firmness_, spring_, damper_;  // nv: factor on the stiffness, gains of this moment
  MatX implicit_mass_;
  Eigen::LLT<MatX> factor_;
};

}  // namespace stunt
