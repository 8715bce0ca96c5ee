// Proportional-derivative tracking of every joint, with gains scaled by the inertia the joint moves.
//
//   tau = I (k d(q_r, q) + 2 zeta sqrt(k) (v_r - v)) [+ gravity]
//
//   I    rotational inertia of the bodies the joint moves, about the joint: those below it or, for the leg that carries
//        the body, all the others (Zordan and Hodgins 2002, eq. 1 and section 3; McSim eq. 8 to 10)
//   d    angle difference; for ball joints the rotation vector from q to q_r (McSim section 4.2)
//   k    stiffness per unit of inertia, 1/s^2; one number for the whole body, lowered for a while where a blow
//        lands (control/parts/reaction.h)
//
// The stable variant (Tan et al. 2011, thesis section 3.1.1) evaluates the same law at the end of the coming step,
// with the acceleration that follows from M a + h = tau, which allows large steps and gains.
#pragma once

#include "stunt/actor/dynamics.h"
#include "stunt/control/controller.h"
#include "stunt/control/parts/reaction.h"

namespace stunt {

struct PdSettings {
  double stiffness = 1200;   // 1/s^2; larger follows more closely and reacts more stiffly
  double damping_ratio = 1;  // 1 is critical
  bool stable = true;        // the implicit variant
  bool gravity_compensation =
      true;                // adds the torques that hold the pose against gravity, feet carrying the weight
  bool feet_carry = true;  // a foot that touches carries the body: its leg moves the rest (not on a pedestal)
  bool reference_velocity = true;  // false: damp towards rest, as eq. 1 of Zordan and Hodgins prints it
  ReactionSettings reaction = {};
};
void describe(Fields& fields, PdSettings& settings);
std::unique_ptr<Controller> make_controller(const PdSettings& settings, const ControllerTask& task);

class PdController : public Controller {
 public:
  PdController(const PdSettings& settings, ReferencePtr reference);
  void reset(const Observation& start) override;
  void actuate(const Observation& now, Actuation& out) override;
  std::any save() const override { return reactions_; }
  void restore(const std::any& memory) override { reactions_ = std::any_cast<const Reactions&>(memory); }

  // The reference at the time that torques for `now` aim at, and those torques towards a pose near it.
  void sample(const Observation& now, ReferenceSample& target) const;
  void follow(const Observation& now, const ReferenceSample& target, Actuation& out);

 private:
  // Inertia that joint j moves, expressed in the moved body's axes.
  Mat3 moved_inertia(int j, const Observation& now);

  PdSettings settings_;
  ReferencePtr reference_;
  ActorDynamics dynamics_;
  Reactions reactions_;  // all that is carried from one step to the next
  ReferenceSample target_;
  std::vector<double> moved_mass_;     // kg, per joint: what a slide moves
  std::vector<std::uint8_t> carries_;  // per joint: below it is a foot that stands on something
  VecX error_, rate_, rhs_, softness_;
  RowMatX stiffness_, damping_;  // nv x nv, block diagonal
  Eigen::LLT<MatX> factor_;
  MatX implicit_mass_;
};

}  // namespace stunt
