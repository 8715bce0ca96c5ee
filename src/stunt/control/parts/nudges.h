// Small offsets of the reference over time, as a rehearsal finds them (optimize/rehearsal.h): knots, smooth in between.
// A controller that takes them asks for the pose that they make of its target; what the run is judged by stays the motion.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "stunt/actor/dynamics.h"
#include "stunt/control/parts/feet.h"
#include "stunt/core/settings.h"
#include "stunt/reference/reference.h"

namespace stunt {

// Axes are those of the reference's heading: forward, to the left, up.
struct Offsets {
  static constexpr int kSize = 12;
  enum Index { pelvis = 0, tilt = 3, left_foot = 6, right_foot = 8, left_toes = 10, right_toes = 11 };
  // pelvis (3): m, its place while the feet stay; tilt (3): rad, its roll, pitch and yaw; left_foot, right_foot (2 each):
  // m, where it steps while the reference has it in the air; left_toes, right_toes (1 each): rad, how far down
  std::array<double, kSize> values = {};

  bool none() const { return *this == Offsets{}; }
  bool operator==(const Offsets&) const = default;
};

struct Nudge {
  double at = 0;  // s, on the character's own clock
  Offsets offsets;
};
void describe(Fields& fields, Nudge& nudge);

class Nudges {
 public:
  // Times must increase.
  std::vector<Nudge> knots;

  // At time t (s): from knot to knot along 3 x^2 - 2 x^3, before the first and after the last as there.
  Offsets at(double t) const;
  // Without the knots that lie between others with no offsets: makes the same offsets.
  Nudges without_idle_knots() const;
  struct Span {
    double from, to;  // s
  };
  // Where there are offsets.
  std::vector<Span> spans() const;
};
// The list of knots under a key.
void describe_nudges(Fields& fields, const std::string& name, Nudges& nudges);

// Moves and turns the pelvis of `target`; inverse kinematics keeps the feet where they were, but for their toes. Where
// feet in the air are to step goes to Foot::nudge. `dynamics` is room to work; nothing is allocated.
void nudge(const Offsets& offsets, std::span<Foot> feet, ActorDynamics& dynamics, ReferenceSample& target);

}  // namespace stunt
