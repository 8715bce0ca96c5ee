// State and dynamics of all muscles of a body, in flat arrays.
//
//   a' = c_a (u - a)                                                       activation, Geijtenbeek 2013 eq. 7.7
//   F_SEE(L - l) = (a f_L(l) + f_PEE(l)) f_V(l') + d l' - f_BE(l)          balance of forces, eq. 7.4
//
// (Geyer and Herr 2010 have the parallel element inside f_V, and the buffer f_BE.) The step is implicit in the fibres'
// velocity: l = l_0 + h l' in tendon and buffer, f_L and f_PEE at l_0. Both sides are monotone in l', so that a few Newton
// steps inside a bracket solve it; it is stable at any step, and of first order.
#pragma once

#include <span>
#include <vector>

#include "stunt/actor/muscle/muscle.h"

namespace stunt {

struct MuscleState {
  VecX activation;  // 0 to 1
  VecX fibre;       // length, in best lengths
  VecX speed;       // of the fibres, lengthening positive, in largest speeds
  VecX force;       // N, along the path
};

class MuscleFibres {
 public:
  explicit MuscleFibres(std::span<const Muscle> muscles, double activation_rate = 100);  // c_a, 1/s

  int size() const { return static_cast<int>(max_force_.size()); }
  // All at this activation, fibres at rest in balance with their tendons at these path lengths (m).
  MuscleState at_rest(const VecX& length, double activation = 0.02) const;
  // `excitation` (0 to 1; beyond is cut off) and path lengths (m) act for `timestep` (s).
  void step(const VecX& excitation, const VecX& length, double timestep, MuscleState& state) const;

  const VecX& max_force() const { return max_force_; }        // N
  const VecX& fibre_length() const { return fibre_length_; }  // m
  const VecX& max_speed() const { return max_speed_; }        // best lengths a second
  const VecX& mass() const { return mass_; }                  // kg

  static constexpr double kLeastActivation =
      0.01;  // a muscle is never quite off, and eq. 7.6 is singular at 0

 private:
  double activation_rate_;
  VecX max_force_, fibre_length_, max_speed_, slack_, mass_;
};

}  // namespace stunt
