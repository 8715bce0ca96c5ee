// Rotations as angles of up to three hinges at right angles, one after the other.
#pragma once

#include "stunt/core/rotation.h"

namespace stunt {

// The angles (rad) with R(axes.col(0), a0) R(axes.col(1), a1) R(axes.col(2), a2) = turn; axes right-handed
// and orthonormal. The middle one is within a right angle, the others within half a turn of `near`: a
// sequence stays continuous as long as the middle one is far from a right angle, and comes back after a bad
// frame.
Vec3 hinge_angles(const Quat& turn, const Mat3& axes, const Vec3& near = Vec3::Zero());

// `angle` plus the multiple of 2 pi that brings it nearest to `near`.
double unwrap(double angle, double near);

}  // namespace stunt
