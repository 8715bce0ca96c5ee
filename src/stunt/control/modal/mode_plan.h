// The impulses with which a mode that has its own actuation reaches a state (Jain and Liu 2011, sections 5.2 and 5.3).
//
//   min over I of  w_4 (p_n - target)^2 + w_5 (p_n' - target')^2 + w_6 sum_k I_k^2                   eq. 21
//   p_n = c_n + sum_k a(t_n - t_k) I_k,   p_n' = c_n' + sum_k a'(t_n - t_k) I_k                          eq. 19, 20
//
// In closed form: with (u, u') the solution of two linear equations, I_k = (a_k u + a_k' u') / w_6.
#pragma once

#include <span>

#include "stunt/control/modal/mode.h"

namespace stunt {

struct ModePlanWeights {
  double position = 0.5;  // w_4
  double velocity = 2;    // w_5
  double impulse = 5e-3;  // w_6
};

// `responses`: of the mode after 1, 2, ... n frames. `gap`: target minus c_n, and the same of the rates.
struct ModePlan {
  double u, u_rate;  // over w_6
  double impulse(const ModeResponse& left) const { return left.a * u + left.a_dot * u_rate; }
};
ModePlan plan_mode(std::span<const ModeResponse> responses, const ModeState& gap,
                   const ModePlanWeights& weights);

}  // namespace stunt
