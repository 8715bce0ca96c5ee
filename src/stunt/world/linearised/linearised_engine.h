// The engine of modal-space control (Jain and Liu 2011, sections 3.2 and 5.4, appendix A): at every step the world is linearised
// at its pose, and contact is one linear complementarity problem. Made for long steps: 1/120 s, as published.
#pragma once

#include "stunt/world/engine.h"

namespace stunt {

// With q_0, v_0 the state at the start of a step of length h and everything evaluated there,
//
//   v_1 = v_0 + M^-1 (h b + J^T N z + h X N z),   q_1 = q_0 + h v_1                                     eq. 8, 24, 28
//
//   M    mass matrix with implicit joint dampers and springs (world/mujoco/implicit_engine.h)
//   b    gravity, velocity-dependent forces, torques, pushes: constant over the step
//   J    velocities of the contact points, N their normals and six friction directions (eq. 29, 33)
//   X    how the character's torques answer to contact forces (world/contact_answer.h); zero where nobody answers
//   z    per contact an impulse f along the normal, impulses beta along the friction directions, a sliding speed lambda (s,
//        m/s), and per joint limit an impulse: the solution of
//
//   0 <= n.v + gap/h       _|_  f >= 0                                                                    eq. 30
//   0 <= lambda + d_j.v    _|_  beta_j >= 0                                                               eq. 31
//   0 <= mu f - sum beta   _|_  lambda >= 0                                                               eq. 32
//
// Grips hold in all directions: their impulses are linear in the others, and are eliminated before the problem is solved.
//
// Differences from the print: points that come down within the step are contacts too, and what overlaps is moved apart
// slowly; the velocity-dependent forces, which the print leaves out, are part of b; joints have limits; the springs of the modes
// are the controller's, the world has only those of the character. A frictionless problem takes the place of one that cannot be
// solved.
//
// Everything that moves is in the step: more than one character, free objects, seesaws. Only its cost, which grows with the cube
// of the contacts, is made for one character on its feet. Throws InputError for what implicit_engine.h lacks, and for spring
// contacts.
std::unique_ptr<Engine> make_linearised_engine(std::shared_ptr<const CompiledScene> scene);

}  // namespace stunt
