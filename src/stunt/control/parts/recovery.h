// When balance is lost where the motion has no step, one is made: which foot, where to.
//
// With w = sqrt(g / height), the capture point c + v / w is where the body must stand to come to rest (Pratt
// et al. 2006). Inside the support the ankles can bring it back; outside it runs away as exp(w t), and a foot
// must be put there.
#pragma once

#include "stunt/core/geometry2d.h"

namespace stunt {

struct StandingFoot {
  Vec2 place;  // m, middle of the sole
  Vec2 hip;    // m, above which the foot can stand
  bool left;
  bool free;  // not needed for standing: it is in the air already
};

struct RecoveryPlan {
  int foot;    // which of the two steps
  Vec2 place;  // m, to where
};
// `capture`: the capture point now; `support`: the point of the support nearest to it; `forward`: unit, of
// the body.
RecoveryPlan plan_recovery(const StandingFoot (&feet)[2], const Vec2& capture, const Vec2& support,
                           const Vec2& forward, double rate, double duration);

}  // namespace stunt
