// When balance is lost where the motion has no step, one is made: which foot, where to.
//
// With w = sqrt(g / height), the capture point c + v / w is where the body must stand to come to rest (Pratt
// et al. 2006). Inside the support the ankles can bring it back; outside it runs away as exp(w t), and a foot
// must be put there.
//
// While one foot steps the body stands on the other alone. So what counts is how far the capture point is from that
// one's sole: who falls to the left with the feet apart and lifts the left foot, which carries him, falls twice as far.
// Of the steps of both feet, beside the other foot or past it (crossing in front of it or behind it), the one is made
// after which the capture point is nearest to the new support.
#pragma once

#include "stunt/core/geometry2d.h"

namespace stunt {

struct StandingFoot {
  Vec2 place;  // m, of its joint
  Vec2 hip;    // m, above which the foot can stand
  Vec2 edge;   // m, the point of its sole that is nearest to the capture point
  bool left;
  bool free;  // not needed for standing: it is in the air already
};

struct RecoveryPlan {
  int foot;     // which of the two steps
  Vec2 place;   // m, to where
  Vec2 around;  // m, by which its way has to bend in the middle, past the other foot
  bool past;    // it crosses the other leg
  double out;   // m, of the new support: where the capture point will be when it lands
};
// `capture`: the capture point now; `forward`: unit, of the body; `duration`: s, until the foot lands. For a step that is
// on its way, `stepping` is its foot, which goes past the other one if `past`; otherwise -1.
RecoveryPlan plan_recovery(const StandingFoot (&feet)[2], const Vec2& capture, const Vec2& forward,
                           double rate, double duration, int stepping = -1, bool past = false);

}  // namespace stunt
