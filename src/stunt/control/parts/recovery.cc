#include "stunt/control/parts/recovery.h"

#include <algorithm>
#include <cmath>

namespace stunt {
namespace {

constexpr double kBeyond = 0.03;   // m, further than the capture point: better too far than too short
constexpr double kLongest = 0.55;  // m, from below the hip
constexpr double kApart = 0.10;    // m, between the feet, sideways
constexpr double kPast = 0.22;     // m, likewise forward, where legs cross
constexpr double kWide = 0.25;     // m, between the feet, any way
constexpr double kSole = 0.05;     // m, how far a sole reaches about the foot's joint

RecoveryPlan step_of(int foot, bool past, const StandingFoot (&feet)[2], const Vec2& capture,
                     const Vec2& forward, double rate, double duration) {
  const StandingFoot &stepping = feet[foot], &other = feet[1 - foot];
  const Vec2 leftwards(-forward.y(), forward.x());
  const Vec2 way = capture - other.edge;
  const Vec2 direction = way.norm() > 1e-6 ? Vec2(way.normalized()) : forward;
  const Vec2 landing = other.edge + way * std::exp(rate * duration);
  Vec2 place = landing + kBeyond * direction;
  const Vec2 reach = place - stepping.hip;
  if (reach.norm() > kLongest) place = stepping.hip + reach * (kLongest / reach.norm());
  RecoveryPlan plan{foot, place, Vec2::Zero(), past, 0};
  const double side = stepping.left ? 1 : -1, aside = side * (place - other.place).dot(leftwards);
  if (!past) {
    if (aside < kApart) plan.place += side * (kApart - aside) * leftwards;
  } else {
    // In front of the other foot or behind it, where it is already.
    const double ahead = (stepping.place - other.place).dot(forward) >= 0 ? 1 : -1;
    const auto clear = [&](const Vec2& at) {
      return Vec2(std::max(0.0, kPast - ahead * (at - other.place).dot(forward)) * ahead * forward);
    };
    plan.place += clear(plan.place);
    plan.around = clear(0.5 * (stepping.place + plan.place));
  }
  // Feet close together carry nobody: further in the same direction, but not over the other foot.
  const Vec2 between = plan.place - other.place;
  if (between.norm() < kWide) {
    const double along = between.dot(direction);
    const Vec2 wider =
        plan.place + (std::sqrt(along * along + kWide * kWide - between.squaredNorm()) - along) * direction;
    if (past || side * (wider - other.place).dot(leftwards) >= kApart) plan.place = wider;
  }
  const Vec2 support[] = {other.edge, plan.place};
  plan.out = std::max(0.0, (landing - nearest_in_hull(support, landing)).norm() - kSole);
  return plan;
}

}  // namespace

RecoveryPlan plan_recovery(const StandingFoot (&feet)[2], const Vec2& capture, const Vec2& forward,
                           double rate, double duration, int stepping, bool past) {
  constexpr double kFar = 0.1;        // m of being out that a metre of way is worth
  constexpr double kCrossing = 0.05;  // m, likewise legs that cross
  if (stepping >= 0) return step_of(stepping, past, feet, capture, forward, rate, duration);
  RecoveryPlan best{0, Vec2::Zero(), Vec2::Zero(), false, 0};
  double least = 1e9;
  for (const int foot : {0, 1}) {
    if (feet[1 - foot].free && !feet[foot].free) continue;
    for (const bool crossing : {false, true}) {
      const RecoveryPlan plan = step_of(foot, crossing, feet, capture, forward, rate, duration);
      const double cost =
          plan.out + kFar * (plan.place - feet[foot].place).norm() + (crossing ? kCrossing : 0);
      if (cost >= least) continue;
      least = cost;
      best = plan;
    }
  }
  return best;
}

}  // namespace stunt
