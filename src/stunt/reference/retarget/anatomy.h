// The axes that every human-like character has, found in its rest pose: what "the same pose" means on another
// body.
#pragma once

#include <optional>

#include "stunt/actor/dynamics.h"

namespace stunt {

// How a body part lies in its body's axes: `along` the segment (towards the hand, the toes, the head), and
// `side`, at a right angle to it: the axis about which the knee or elbow of that limb bends. For the trunk,
// the collar bones and the head `along` is up and `side` is left; for feet and toes both lie in the sole.
struct SegmentAxes {
  Role role;
  int body;
  Vec3 along, side;    // unit, in the body's axes
  Quat frame() const;  // the axes (along, side, along x side) to the body's
};

struct Anatomy {
  explicit Anatomy(const ActorPtr& actor);   // throws InputError where there are no two legs
  const SegmentAxes* find(Role role) const;  // null where the actor has no such part

  std::vector<SegmentAxes> segments;  // in the order of the bodies
  double leg_length;                  // m, hip to ankle along thigh and shank, mean of both legs
  double ankle_height;                // m, above the sole, mean of both legs
};

// The world position of the joint that moves a body, and the middle between the hip joints.
Vec3 joint_position(ActorDynamics& dynamics, int body);
Vec3 hip_centre(ActorDynamics& dynamics);

// The hinge at a knee or elbow, where there is exactly one: its axis in the body's axes, signed so that the
// joint bends in the positive sense.
std::optional<Vec3> bending_axis(const Actor& actor, int body);

}  // namespace stunt
