// Tracking with balance as published (Zordan and Hodgins 2002, sections 3, 5 and 6).
//
// Every joint follows the motion by a spring and damper (eq. 1: pd.h), which gives way where a blow lands
// (control/parts/reaction.h). Balance is kept by the legs that stand, in one of two ways:
//
//   virtual actuator   F = k_v (x_d - x) - b_v x'                            eq. 3
//                      tau_v = F x r_v, added to hips, knees and ankles      eq. 4
//   offsets            lambda = k (x_d - x) - b x', added to the desired angles of hips and ankles      eq. 5
//
//   x, x'   centre of mass and its velocity, on the ground plane
//   x_d     where it should be: the centre of the support (hull of the soles that stand), or at the place that the
//           motion's own centre of mass has relative to the centre of its own support
//   r_v     from the centre of mass to the joint
//
// Eq. 4 gives the torque with which the part below the joint acts on the part above, where the centre of mass is: a
// joint of a leg gets it with the other sign. Legs that stand share the force. An offset at the
// ankle leans the leg towards x_d, one at the hip turns the trunk back: equal ones shift the pelvis below an upright
// trunk. F grows with the body's mass, so the gains are per kilogram.
#pragma once

#include "stunt/control/parts/feet.h"
#include "stunt/control/pd/pd.h"
#include "stunt/core/geometry2d.h"

namespace stunt {

struct HitReactPaperSettings {
  HitReactPaperSettings();
  PdSettings tracking;
  std::string balance = "virtual_actuator";
  std::string center = "support";
  double force_gain = 30, force_damping = 6;  // k_v, b_v per kilogram: 1/s^2, 1/s
  double hip_gain = 1, hip_damping = 0.2;     // k_h, b_h: rad/m, rad s/m
  double ankle_gain = 3, ankle_damping = 0.6;
};
void describe(Fields& fields, HitReactPaperSettings& settings);
std::unique_ptr<Controller> make_controller(const HitReactPaperSettings& settings,
                                            const ControllerTask& task);

class HitReactPaperController : public Controller {
 public:
  HitReactPaperController(const HitReactPaperSettings& settings, ReferencePtr reference);
  void reset(const Observation& start) override { tracking_.reset(start); }
  void actuate(const Observation& now, Actuation& out) override;
  std::any save() const override { return tracking_.save(); }
  void restore(const std::any& memory) override { tracking_.restore(memory); }

 private:
  Vec2 wanted_center(int standing);
  void offset_angles(const Vec2& away, const Vec2& velocity);
  void add_virtual_force(const Vec3& force, int standing, VecX& torque);

  HitReactPaperSettings settings_;
  ReferencePtr reference_;
  ActorPtr actor_;
  PdController tracking_;
  // Made anew by every step.
  std::vector<Foot> feet_;
  ActorDynamics ours_, theirs_;
  ReferenceSample target_;
  VecX turn_, turned_q_;  // nv, nq: work space
  Jacobian jacobian_;     // likewise
};

}  // namespace stunt
