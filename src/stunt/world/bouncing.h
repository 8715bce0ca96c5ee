// Balls that bounce, the same on every engine: an impulse by event instead of a contact that lasts.
//
// Before each step, for every ball and whatever it may meet: n the normal towards the ball, d the gap, u the velocity of
// the ball's surface relative to the other's, both at the nearest place. Where d + u.n h <= 0 they would meet within the
// step, so they do now (Newton's restitution, Coulomb's friction):
//
//   u+ = u + A p,   A = sum over both bodies of J M^-1 J^T    (3 x 3, m/s per N s)
//   u+.n = -e u.n,  u+ at right angles to n zero, if |p_t| <= mu p_n; else |p_t| = mu p_n against the sliding.
//
// e is the restitution of what is met, mu the product of both frictions. The other's M is that of its whole free
// kinematic tree: a racket moves with the arm that holds it. p acts on both as a force during the step, so whoever holds
// the racket feels the ball. Below 0.05 m/s a ball does not bounce but rests. Air drag is F = -1/2 rho C A |v| v.
#pragma once

#include <memory>

#include "stunt/world/engine.h"

namespace stunt {

constexpr double kAirDensity = 1.2;  // kg/m^3

// The engine, with its scene's balls bouncing; itself where the scene has none.
std::unique_ptr<Engine> with_bouncing_balls(std::unique_ptr<Engine> engine);

}  // namespace stunt
