// Where a blow lands, joints give way for a while (Zordan and Hodgins 2002, section 5).
//
// A contact on a region of the body lowers the stiffness k_t of that region's joints at once, holds it, and
// brings it back with a sinusoidal ramp. As a factor on k_t, t seconds after the contact:
//
//   softness(t) = 1 - s (1 - r)               t <= t_e
//                 1 - s (1 - r) (1 - g)       t <= t_e + t_f,   g = (1 - cos(pi (t - t_e) / t_f)) / 2
//                 1                           after that
//
//   r     k_r / k_t of the joint
//   s     strength of the blow, from 0 at the least force to 1 at the full one
//   t_e   delay, t_f ramp (s)
//
// Contacts on trunk or head soften neck, back and waist; those on an arm or a leg that limb alone. A contact that
// lasts is a new blow in every step, so what is jammed stays soft. Damping should follow the square root, which keeps
// its ratio. A push that no body exerts softens nothing. What the body stands on, and whatever its feet touch, is no
// blow, nor is a touch of its own body.
//
// The same contacts push the body as a whole: the wrench they exert on the root is what a planner must know of them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "stunt/control/controller.h"

namespace stunt {

struct ReactionSettings {
  bool on = true;
  double least_force = 20;  // N, on a region: less is no blow
  double full_force = 60;   // N: from here on it gives way fully
  double neck = 0.1;        // r, after a blow to trunk or head
  double trunk = 0.5;       // r, of back and waist after the same
  double arm = 0.1;
  double leg = 0.5;
  double delay = 0.1;  // s, t_e
  double ramp = 0.4;   // s, t_f
};
void describe(Fields& fields, ReactionSettings& settings);

enum class BodyRegion { trunk, left_arm, right_arm, left_leg, right_leg };
constexpr int kBodyRegions = 5;

// The region of each body of the actor. What hangs on no arm and no leg is trunk, the root too.
std::vector<BodyRegion> body_regions(const Actor& actor);

class Reactions {
 public:
  explicit Reactions(const Actor& actor);

  // To be called before every engine step, with its time (s, not decreasing).
  void feel(const Actor& actor, const Observation& now, const ReactionSettings& settings);

  // How much a region gives way, 0 to 1.
  double yielding(BodyRegion region, double time, const ReactionSettings& settings) const;
  // The softness of every degree of freedom; 1 on a free root.
  void softness(const Actor& actor, double time, const ReactionSettings& settings, VecX& out) const;

  // The wrench of the contacts on a free root, in its layout (force in world axes, N; torque about the root in its own
  // axes, Nm): the mean over the steps since it was taken last.
  Eigen::Matrix<double, 6, 1> take_root_wrench();

 private:
  struct Blow {
    double time = -1e9;   // s
    double strength = 0;  // 0 to 1
  };
  std::vector<BodyRegion> regions_;    // per body
  std::vector<std::uint8_t> is_neck_;  // per body: moved by the neck
  std::array<Blow, kBodyRegions> blows_;
  Eigen::Matrix<double, 6, 1> impulse_ = Eigen::Matrix<double, 6, 1>::Zero();  // summed over steps
  int steps_ = 0;
};

}  // namespace stunt
