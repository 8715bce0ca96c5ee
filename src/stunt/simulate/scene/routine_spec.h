// A routine (routine/routine.h) as a scene says it: a library of segments of motions, and rules.
//
//   routine:
//     opponent: blue
//     segments:
//       - {name: guard, motion: jab, end: 0.6}
//       - {name: jab, motion: {source: jab, start: 0.6, speed: 2}, end: 1.4, strike: left_hand}
//     rules:
//       - {when: in_reach, do: jab, pause: 1}
#pragma once

#include <string>
#include <vector>

#include "stunt/routine/rules.h"
#include "stunt/routine/strike_spec.h"
#include "stunt/simulate/scene/motion_spec.h"

namespace stunt {

struct SegmentSpec {
  std::string place;  // in the scene's file, for errors
  std::string name;
  MotionSpec motion;
  double end = 0;  // s, into the motion; 0: its end
  double ease = 0.2;
  StrikeSpec strike;
};

// More segments, between those that there are (routine/blend.h).
struct BlendSpec {
  std::string place;
  std::string name;  // of all of them together
  std::string of;    // two or four segments: names with spaces between them
  int steps = 4;     // to a side
};

struct RoutineSpec {
  std::vector<SegmentSpec> segments;  // none: no routine, the character follows its motion
  std::vector<BlendSpec> blends;
  RoutineRules rules;

  bool any() const { return !segments.empty(); }
};
void describe(Fields& fields, RoutineSpec& routine);
void describe(Fields& fields, PlayOrder& order);

}  // namespace stunt
