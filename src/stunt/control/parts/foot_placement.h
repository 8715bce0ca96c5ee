// The swing foot goes to where the body will need it (in the spirit of McSim eq. 11, for both planes), and is
// lifted a little on the way.
//
//   shift = (c_v e_v + c_r e_r) in the heading of the reference, forward and sideways with gains of their own
//     e_v   velocity of the centre of mass, ours minus the reference's
//     e_r   centre of mass relative to the standing foot, ours minus the reference's; in flight as at take-off
//   lift  = clearance + by how much our pelvis is lower than the reference's
//
// Both follow smoothly, critically damped, and so have a speed; the joints that they add to the reference get
// most of theirs (without it the leg would lag and land late). A foot that stands gives its shift up gradually
// and is not lifted; before it lands (footfalls.h) the lift is given up, so that it touches when the actor's does. Where feet
// are to stay `apart`, the shift ends there, or where the reference itself has them nearer: who crosses his legs stands too
// narrow for the next step.
#pragma once

#include <array>
#include <span>

#include "stunt/control/parts/feet.h"
#include "stunt/control/parts/tracked_body.h"

namespace stunt {

struct FootPlacementSettings {
  bool shift, lift;                                     // which of the two
  double forward_velocity_gain, forward_position_gain;  // s, 1
  double sideways_velocity_gain, sideways_position_gain;
  double largest;      // m, of the shift
  double clearance;    // m
  double settling;     // s, before a foot lands: from then on the lift is given up; 0: not before it lands
  double shift_rate;   // 1/s, how fast the shift follows
  double lift_rate;    // 1/s, likewise the lift
  double joint_speed;  // 0 to 1: how much of the speed that shift and lift give the joints is foreseen
  double return_time;  // s, time constant of giving up the shift on the ground
  double apart;        // m, sideways: nearer to the foot that stands it is not led; 0: it may cross over
};

class FootPlacement {
 public:
  explicit FootPlacement(const Actor& actor);

  // All feet, two at most, for one target.
  void update(const TrackedBody& body, std::span<const Foot> feet, const FootPlacementSettings& settings);
  // Puts foot i, moved, into the target by inverse kinematics from the reference's pelvis.
  void put_foot(std::size_t i, const Leg& leg, const TrackedBody& body,
                const FootPlacementSettings& settings);
  // Foot i is led by somebody else this time.
  void leave_foot(std::size_t i) { moves_[i].put = false; }
  // The foot is somewhere else already: its horizontal shift goes on from there.
  void start_from(std::size_t i, const Vec3& shift) {
    moves_[i].shift = {shift.x(), shift.y(), 0};
    moves_[i].shift_speed.setZero();
  }

  const Vec3& shift(std::size_t i) const { return moves_[i].shift; }  // m, world axes
  double lift(std::size_t i) const { return moves_[i].lift; }         // m
  // 0 to 1: how far from the reference's place the foot is led; 1 from 0.2 m on.
  double detour(std::size_t i) const;

 private:
  struct Move {
    Vec3 shift = Vec3::Zero(), shift_speed = Vec3::Zero();  // m, m/s
    double lift = 0, lift_speed = 0;                        // m, m/s
    bool put = false;                                       // into the last target
  };
  std::array<Move, 2> moves_;
  Vec3 away_ = Vec3::Zero();       // m, e_r; in flight as it was at take-off
  VecX joint_move_, joint_speed_;  // nv, rad and rad/s: what was added to the legs last
  VecX unmoved_q_, change_;        // nq, nv: work space
};

}  // namespace stunt
