// Makes a motion possible before it is followed: the centre of mass is moved, by centimetres, so that the ground can
// push it there. While feet carry load the zero-moment point stays inside their hull, with a margin; in flight the centre
// of mass falls freely and the angular momentum about it does not change. The root carries the change and the legs follow
// by inverse kinematics, so the feet stay. Where trunk or legs lie on the floor, nothing is moved; hands and knees widen the support where the
// feet alone cannot carry.
//
// Per horizontal axis, with c the path of the centre of mass and p its zero-moment point
//   p = c - z c'' / (g + z'') - L-term,
//   min  sum (c - c_ref)^2 + 1e-4 (c'' - c_ref'')^2 + 10 (p - proj(p))^2,
// proj onto the shrunk hull of the points in contact, by repeated linear solves; the first tenths of a second stay
// nearer to c_ref, so that the motion begins near its capture. The L-term is the rate of angular
// momentum of the reference. Vertically, flight phases become parabolas. The body is turned about its centre of mass by
// small angles theta, about each axis
//   min  sum theta^2 + 1e-4 theta''^2 + 0.1 s (theta'' + I^-1 L')^2,
// with L' the rate of angular momentum, I the inertia of the body, and s 1 in flight, less where the ground pushes.
#pragma once

#include "stunt/reference/cleanup/contacts.h"
#include "stunt/reference/reference.h"

namespace stunt {

struct BalanceSettings {
  double margin = 0.04;             // m inside each edge of the support
  double most = 0.42;               // of the support's width, where that is less
  double low_pass_hz = 10;          // of the result
  int passes = 3;                   // solve, move, measure again
  std::vector<TimeSpan> held = {};  // s, while hands carry the body: nothing is moved
};

struct BalanceReport {
  double largest_shift = 0;  // m, of the centre of mass
  // How far the zero-moment point is outside of the support, less its margin: m, mean over the frames in which
  // a foot carries load, measured on the motion as it came in and as it is returned.
  double outside_before = 0, outside_after = 0;
};

// A motion of fewer than 8 frames, or in which no foot ever carries load, comes back as it is.
std::shared_ptr<const SampledReference> balance_reference(const SampledReference& reference,
                                                          const BalanceSettings& settings = {},
                                                          BalanceReport* report = nullptr);

}  // namespace stunt
