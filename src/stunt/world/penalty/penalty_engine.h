// The engine without a constraint solver: contacts and joint limits are stiff springs with dampers, solved implicitly.
#pragma once

#include "stunt/world/engine.h"

namespace stunt {

// One step solves, with v the velocity at its start and dv the change,
//
//   (M + h D + h^2 K) dv = h (f - bias - k x - (d + h k) v)
//
// as in world/mujoco/implicit_engine.h, where D and K have the dampers d and springs k of joint limits and contacts too.
// A contact has `contact.stiffness` and `contact.damping` along its normal and never pulls. Friction is a damper along the
// surface, weakened where it would exceed friction times the normal force: c = friction * force / speed. A point that
// sticks therefore creeps, by 0.01 mm/s for each newton on it. Which contacts push and which slide is settled by solving
// again, at most kSolves times.
//
// A contact with ground, fixed objects or platforms fits the sparsity of M, so the step is one sparse factorisation
// (tree_matrix.h). Contacts between two moving bodies are added to that as a correction of low rank (Woodbury).
//
// Throws InputError for what it does not have: tendons, equality constraints, dry friction in joints, springs and dampers
// that are not linear, forces of a fluid.
std::unique_ptr<Engine> make_penalty_engine(std::shared_ptr<const CompiledScene> scene);

}  // namespace stunt
