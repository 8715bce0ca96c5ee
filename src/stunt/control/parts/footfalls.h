// When the reference puts its feet down, known a little beforehand: a foot that was lifted higher than the actor's, or
// led elsewhere, has to be back in time. A foot that lands late keeps the other one pushing, and the body gains speed with
// every step.
#pragma once

#include <array>
#include <limits>
#include <span>

#include "stunt/control/parts/feet.h"
#include "stunt/reference/reference.h"

namespace stunt {

class Footfalls {
 public:
  static constexpr double kHorizon = 0.3;  // s, how far ahead is looked

  explicit Footfalls(double time = 0);  // s, when the motion begins

  // Reads the reference as far as it must be known at `time` (s), a little more with every call, and sets `lands_in` of
  // every foot; `sample` is room to work. Times must not decrease.
  void look_ahead(const Reference& reference, double time, std::span<Foot> feet, ReferenceSample& sample);

 private:
  struct Footfall {
    bool down = true;                                      // in the sample read last
    double at = -std::numeric_limits<double>::infinity();  // s, of the last landing seen
  };
  int next_;  // sample of the reference
  std::array<Footfall, 2> footfalls_;
};

}  // namespace stunt
