// Edits of a reference as references wrapped around it: somewhere else, again and again, faster.
#pragma once

#include "stunt/reference/reference.h"

namespace stunt {

// A rigid displacement over the ground: a turn about the vertical through the origin, then a shift.
struct GroundTransform {
  double yaw = 0;             // rad
  Vec3 shift = Vec3::Zero();  // m

  Vec3 apply(const Vec3& point) const { return yaw_rotation(yaw) * point + shift; }
  GroundTransform then(const GroundTransform& next) const;
  GroundTransform inverse() const;
};

// Moves the root of a sample (position, orientation, velocity, acceleration).
void move_root(const GroundTransform& transform, ReferenceSample& sample);

// The horizontal displacement and turn of the root between two samples: move(a) lands on b.
GroundTransform ground_transform(const VecX& q_from, const VecX& q_to);

// The whole motion turned by `heading` about where it starts, and shifted by `position`.
ReferencePtr placed(ReferencePtr inner, const Eigen::Vector2d& position, double heading);
// The part of `period` seconds from `from` on, repeated for ever; each cycle starts where the last one ended,
// the first where the part before it began.
ReferencePtr looped(ReferencePtr inner, double from, double period);
// From `start` seconds on, `speed` times as fast.
ReferencePtr timed(ReferencePtr inner, double start, double speed);

// The root raised by the height of a sloping ground under it: z = height + gradient . (x, y).
ReferencePtr on_slope(ReferencePtr inner, double height, const Eigen::Vector2d& gradient);

// `first` until `at` (s), then `next` from its start, moved over the ground to where `first` is then; the poses are
// blended with ease over `blend` seconds. Both are on actors with the same joints.
ReferencePtr continued(ReferencePtr first, ReferencePtr next, double at, double blend);

}  // namespace stunt
