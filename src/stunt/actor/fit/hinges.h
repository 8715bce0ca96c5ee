// Rotations as angles of up to three hinges at right angles, one after the other.
#pragma once

#include <vector>

#include "stunt/core/rotation.h"

namespace stunt {

// The angles (rad) with R(axes.col(0), a0) R(axes.col(1), a1) R(axes.col(2), a2) = turn; axes right-handed
// and orthonormal. The middle one is within a right angle, the others within half a turn of `near`: a
// sequence stays continuous as long as the middle one is far from a right angle, and comes back after a bad
// frame.
Vec3 hinge_angles(const Quat& turn, const Mat3& axes, const Vec3& near = Vec3::Zero());

// An upper bone that may be twisted about itself, and a lower bone on a hinge: a leg or an arm.
struct HingedLimb {
  Vec3 upper;  // unit, along the upper bone, in its body's axes
  Quat rest;   // of the lower body, relative to the upper
  Vec3 axis;   // unit, of the hinge, in the lower body's axes
  Vec3 lower;  // unit, along the lower bone, in its body's axes
};
struct LimbSetting {
  double twist = 0;  // rad, of the upper body about its own bone
  double angle = 0;  // rad, of the hinge
  double miss = 0;   // distance between the lower bone's direction and the wanted one, both unit
};
// Twist and angle that point the lower bone along `wanted` (unit, in the upper body's axes before the twist):
// what a joint does beside its hinge goes into the twist above it, which changes nothing else there. Minimises
// |R(upper, twist) rest R(axis, angle) lower - wanted|^2 + 0.02 twist^2 by Gauss-Newton from twist 0 and
// `angle`: near a straight limb, where a twist moves nothing, it stays small.
LimbSetting set_limb(const HingedLimb& limb, const Vec3& wanted, double angle);

// The rotations as nearly as possible of the form offset R(axis, angle): least squares of the remaining angle,
// by turns for the axis (principal component) and the offset. `axis` is where the search starts.
struct HingeFit {
  Quat offset;
  Vec3 axis;
};
HingeFit fit_hinge(const std::vector<Quat>& turns, const Vec3& axis);
Quat mean_offset(const std::vector<Quat>& turns, const Vec3& axis);  // the same for a given axis

// `angle` plus the multiple of 2 pi that brings it nearest to `near`.
double unwrap(double angle, double near);

}  // namespace stunt
