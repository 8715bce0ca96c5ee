// A motion changed while it is followed: what is left of it is written anew (Jain and Liu 2011, sections 6 and 7.3).
// Whatever the controller is, it sees a reference like any other.
#pragma once

#include "stunt/motion/edit/edit_list.h"
#include "stunt/reference/reference.h"

namespace stunt {

// From `from` to `to` (s), sampled; its time 0 is `from`.
std::shared_ptr<const SampledReference> excerpt(const Reference& motion, double from, double to);

// The motion edited from its time 0 on. Times of the edit count from there.
//   reach   hands and head by the joints between them and the trunk (damped least squares, within the joints' limits),
//           feet by their leg, the pelvis with the feet staying
//   stride  the ground is stretched along the way that the motion goes: positions x along it become g(x), with slope 1 at
//           the start and `factor` from half a metre on; feet that stood still stand still, legs follow by inverse kinematics
//   slope   the ground rises along `direction_deg` from where the root is at the start, the angle eased in over half a metre
// Other edits are refused. Throws InputError.
std::shared_ptr<const SampledReference> edited(const SampledReference& motion, const Edit& edit);

// Faster or slower for a while, from `at` (s) on.
ReferencePtr warped(ReferencePtr inner, const WarpEdit& warp, double at);

}  // namespace stunt
