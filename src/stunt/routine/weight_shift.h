// How the root of a step has to be moved where the feet are elsewhere than the motion has them.
//
// A body that steps is a pendulum over the foot that stands, c'' = w^2 (c - p) with p under it. A motion that does this for
// its own feet does it for others when its centre of mass is moved by the solution for the difference d of p alone that does
// not run away. With d piecewise linear, and its slope changed by m_k at t_k,
//
//   c(t) = d(t) + sum_k m_k / (2 w) exp(-w |t - t_k|)
#pragma once

#include <array>

#include "stunt/core/geometry2d.h"

namespace stunt {

struct WeightShift {
  static constexpr int kKnots = 6;
  std::array<double, kKnots> at{};  // s, increasing
  std::array<Vec2, kKnots> by{};    // m: d at these times; before and after as at the ends
  double rate = 3;                  // 1/s, w

  Vec2 operator()(double t) const;
};

}  // namespace stunt
