#include "stunt/control/modal/mode_plan.h"

namespace stunt {

ModePlan plan_mode(std::span<const ModeResponse> responses, const ModeState& gap,
                   const ModePlanWeights& weights) {
  // (diag(w_6 / w_4, w_6 / w_5) + sum_k (a_k, a_k') (a_k, a_k')^T) (u, u') = gap
  double aa = weights.impulse / weights.position, ar = 0, rr = weights.impulse / weights.velocity;
  for (const ModeResponse& r : responses) {
    aa += r.a * r.a;
    ar += r.a * r.a_dot;
    rr += r.a_dot * r.a_dot;
  }
  const double determinant = aa * rr - ar * ar;
  return {(rr * gap.p - ar * gap.v) / determinant, (aa * gap.v - ar * gap.p) / determinant};
}

}  // namespace stunt
