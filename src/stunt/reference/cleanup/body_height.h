// How high a body is whose feet have been given other places. The ground's push is what the height's acceleration
// makes of it, so a body that is lowered in time for a leg that is too short, and raised again after it, is thrown up
// and down by forces that the actor never felt. Therefore the centre of mass keeps its captured vertical motion but for
// the smoothest departure from it with which the legs reach their feet.
#pragma once

#include <vector>

#include "stunt/actor/actor.h"

namespace stunt {

// Of the centre of mass (m), per pose.
std::vector<double> com_heights(const ActorPtr& actor, const std::vector<VecX>& q);

// By how much (m) a hip is above the highest place from which a leg of this length, almost stretched, reaches the foot;
// negative: it may go up as far. Legs that are far too short ask for `kMostExcess` at most, and do not reach.
constexpr double kMostExcess = 0.12;  // m
double hip_excess(const Vec3& hip, const Vec3& foot, double length);
// The foot itself, or the place on the way to it to which such a leg reaches: a foot that swings gives way.
Vec3 within_reach(const Vec3& hip, const Vec3& foot, double length);

// The path nearest to zero and to no acceleration that is nowhere above `most` (m, per frame):
//   min_d  sum d_i^2 + T^4 d''_i^2   with d_i <= most_i,
// by a penalty whose frames are found by Newton's method. T is 0.15 s: longer, and legs stay bent for many steps
// because of one.
std::vector<double> smooth_below(const std::vector<double>& most, double rate_hz);

}  // namespace stunt
