// The hit of a segment, as a scene says it.
#pragma once

#include <string>

#include "stunt/core/rotation.h"
#include "stunt/core/settings.h"

namespace stunt {

struct StrikeSpec {
  std::string with;           // the striking body: role or name; empty: it does not hit
  Vec3 point = Vec3::Zero();  // m, in that body's axes, from its centre of mass
  Vec3 face = Vec3::Zero();   // in that body's axes: the normal of what it hits with; zero: it has none
  double at = 0;              // s into the segment; 0: when the body is fastest
  double speed = 0;           // m/s, wanted at the hit; 0: as it comes
  double reach = 0.3;         // m, how far the hit may be moved
  double window = 0.3;        // s before and after the hit, over which it is moved and sped up
  // What practice found (optimize/practice.h): where the simulated body was at the hit, less where it was aimed: along
  // the hit, to its left, up; and its speed there with the clock 0.7, 1 and 1.3 times as fast.
  Vec3 miss = Vec3::Zero();    // m
  Vec3 speeds = Vec3::Zero();  // m/s; zero: not known, the motion's own are used
};
void describe(Fields& fields, StrikeSpec& strike);

}  // namespace stunt
