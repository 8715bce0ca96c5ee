// One mode: a mass-normalised oscillator, and its exact motion (Jain and Liu 2011, eq. 3 to 9).
//
//   p'' + d p' + k p = b + sum_j I_j delta(t - t_j)
//
//   p   modal coordinate, sqrt(kg) m or sqrt(kg m^2)
//   k   squared natural frequency, 1/s^2; 0: a rigid mode
//   d   damping, 1/s, of any size: under-, critically and overdamped modes are the same formula
//   b   constant force;  I_j impulse at t_j
//
// With a(t) the answer to a unit impulse at 0 and e(t) that to a unit force from 0 on,
//
//   p(t)  = (1 - k e) p_0 + a p_0' + e b,   p'(t) = -k a p_0 + a' p_0' + a b
//
// which is eq. 4 with the initial condition that its print omits (b / k), and eq. 6 where k is 0.
#pragma once

namespace stunt {

struct ModeState {
  double p = 0, v = 0;
};

struct ModeResponse {
  double a = 0, a_dot = 1;  // s, 1: to a unit impulse (eq. 5, 7), and its rate
  double e = 0;             // s^2: to a unit force
};

struct Mode {
  double stiffness = 0;  // k, 1/s^2, not negative
  double damping = 0;    // d, 1/s, not negative

  ModeResponse response(double t) const;  // t in s, not negative
  // The response at t + `step`'s time, from those at both (the modes form a semigroup): no sine to compute.
  ModeResponse after(const ModeResponse& at, const ModeResponse& step) const;
};

// Where a mode is after the time of `response`, from `start`, under the force b.
inline ModeState advance(const Mode& mode, const ModeResponse& response, const ModeState& start, double b) {
  return {(1 - mode.stiffness * response.e) * start.p + response.a * start.v + response.e * b,
          -mode.stiffness * response.a * start.p + response.a_dot * start.v + response.a * b};
}

}  // namespace stunt
