#include "stunt/control/parts/recovery.h"

#include <algorithm>
#include <cmath>

namespace stunt {

RecoveryPlan plan_recovery(const StandingFoot (&feet)[2], const Vec2& capture, const Vec2& support,
                           const Vec2& forward, double rate, double duration) {
  constexpr double kBeyond = 0.03;   // m, further than the capture point: better too far than too short
  constexpr double kLongest = 0.55;  // m, from below the hip
  constexpr double kApart = 0.10;    // m, between the feet, sideways
  const Vec2 way = capture - support;
  const Vec2 direction = way.norm() > 1e-6 ? Vec2(way.normalized()) : forward;
  const Vec2 leftwards(-forward.y(), forward.x());
  int foot;
  if (feet[0].free != feet[1].free) {
    foot = feet[0].free ? 0 : 1;
  } else if (std::abs(direction.dot(leftwards)) > 0.6) {
    foot = (direction.dot(leftwards) > 0) == feet[0].left ? 0 : 1;  // the foot on that side
  } else {
    foot = feet[0].place.dot(direction) < feet[1].place.dot(direction) ? 0 : 1;  // the one behind
  }
  const StandingFoot& stepping = feet[foot];
  const StandingFoot& other = feet[1 - foot];
  Vec2 place = support + way * std::exp(rate * duration) + kBeyond * direction;
  const Vec2 reach = place - stepping.hip;
  if (reach.norm() > kLongest) place = stepping.hip + reach * (kLongest / reach.norm());
  // Feet do not cross.
  const double side = stepping.left ? 1 : -1, aside = side * (place - other.place).dot(leftwards);
  if (aside < kApart) place += side * (kApart - aside) * leftwards;
  return {foot, place};
}

}  // namespace stunt
