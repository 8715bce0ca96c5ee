#include "stunt/control/modal/mode.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stunt {
namespace {

// The same by fourth-order Runge-Kutta in small steps.
ModeState integrated(const Mode& mode, ModeState state, double b, double t) {
  const int steps = 20000;
  const double h = t / steps;
  const auto rate = [&](const ModeState& s) {
    return ModeState{s.v, b - mode.damping * s.v - mode.stiffness * s.p};
  };
  const auto plus = [](const ModeState& s, double time, const ModeState& r) {
    return ModeState{s.p + time * r.p, s.v + time * r.v};
  };
  for (int i = 0; i < steps; ++i) {
    const ModeState k1 = rate(state), k2 = rate(plus(state, h / 2, k1)), k3 = rate(plus(state, h / 2, k2)),
                    k4 = rate(plus(state, h, k3));
    state.p += h / 6 * (k1.p + 2 * k2.p + 2 * k3.p + k4.p);
    state.v += h / 6 * (k1.v + 2 * k2.v + 2 * k3.v + k4.v);
  }
  return state;
}

const Mode kModes[] = {{0, 0},    {0, 3},     {1e-7, 0},  {50, 0},     {400, 4},           {400, 40},
                       {400, 90}, {1e-4, 50}, {9, 6.001}, {9, 5.9999}, {3000, 2 * 54.7723}};

TEST(Mode, MovesAsTheDifferentialEquationSays) {
  for (const Mode& mode : kModes) {
    for (const double t : {0.001, 1.0 / 120, 0.1, 0.7}) {
      SCOPED_TRACE(testing::Message() << "k " << mode.stiffness << " d " << mode.damping << " t " << t);
      const ModeState start{0.3, -1.2};
      const ModeState exact = advance(mode, mode.response(t), start, 2.5);
      const ModeState fine = integrated(mode, start, 2.5, t);
      EXPECT_NEAR(exact.p, fine.p, 1e-9);
      EXPECT_NEAR(exact.v, fine.v, 1e-9);
    }
  }
}

TEST(Mode, AnImpulseIsAJumpOfTheVelocity) {
  for (const Mode& mode : kModes) {
    const ModeState jumped = integrated(mode, {0, 1}, 0, 0.2);
    EXPECT_NEAR(mode.response(0.2).a, jumped.p, 1e-10);
    EXPECT_NEAR(mode.response(0.2).a_dot, jumped.v, 1e-9);
  }
}

TEST(Mode, FramesAddUp) {
  for (const Mode& mode : kModes) {
    const ModeResponse step = mode.response(1.0 / 120);
    ModeResponse at = mode.response(0.5 / 120);
    for (int i = 0; i < 36; ++i) at = mode.after(at, step);
    const ModeResponse direct = mode.response(36.5 / 120);
    EXPECT_NEAR(at.a, direct.a, 1e-12);
    EXPECT_NEAR(at.a_dot, direct.a_dot, 1e-11);
    EXPECT_NEAR(at.e, direct.e, 1e-10);
  }
}

// Without damping the energy of a free mode is kept.
TEST(Mode, KeepsItsEnergy) {
  const Mode mode{130, 0};
  for (double t = 0; t < 3; t += 0.1) {
    const ModeState at = advance(mode, mode.response(t), {0.2, 1.5}, 0);
    EXPECT_NEAR(at.v * at.v + 130 * at.p * at.p, 1.5 * 1.5 + 130 * 0.04, 1e-10);
  }
}

}  // namespace
}  // namespace stunt
