// One leg of an actor: which joints and contact points belong to it. leg_ik.h puts its foot somewhere.
#pragma once

#include <optional>
#include <vector>

#include "stunt/actor/dynamics.h"

namespace stunt {

struct Leg {
  bool left;
  int thigh, shank, foot, toes;      // bodies; toes -1 where the character has none
  std::vector<int> dofs;             // v indices from the hip to the ankle
  int toe_joint = -1;                // a hinge or a ball, where there is one
  Vec3 toe_axis = Vec3::UnitY();     // unit, about which the toes bend, in their axes
  std::vector<int> heel, ball, tip;  // contact points: rear and front of the foot, front of the toes
  Vec3 forward;                      // unit, heel to ball, in the foot's axes
  Vec3 sole_normal;                  // unit, out of the foot upwards, in the foot's axes
  double length;                     // m, hip to ankle, stretched
};

// Empty where the actor has no such leg.
std::optional<Leg> find_leg(const Actor& actor, bool left);

// Where a foot's body is in the world.
struct FootPose {
  Vec3 position;  // m, its origin: the ankle
  Quat rotation;
};
FootPose foot_pose(ActorDynamics& dynamics, const Leg& leg);  // at the state of `dynamics`

// The orientation of a foot with both sides equally high, whose toes point to `yaw` and up by `pitch` (rad).
Quat level_foot(const Leg& leg, double yaw, double pitch = 0);
// How high the foot's joint is when the sole is on the ground (m).
double ankle_height(const Actor& actor, const Leg& leg);

// Bends the toes from the rest pose by an angle (rad) about toe_axis. Does nothing where there is no toe
// joint.
void bend_toes(const Actor& actor, const Leg& leg, double angle, VecX& q);

// How far the hip must go down so that a leg of this length reaches the foot, almost stretched (m).
double hip_drop(const Vec3& hip, const Vec3& foot, double length);

// From the drop each frame needs to one that is smooth: wider around each need, then low-passed.
void smooth_drop(std::vector<double>& drop, double rate_hz);

}  // namespace stunt
