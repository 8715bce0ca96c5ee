#include "stunt/assess/injury/pulse.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "stunt/core/rotation.h"

namespace stunt {
namespace {

// Means over steps of a pulse of height 1 and length 1, in the middle of quiet.
void feed(const std::function<double(double)>& shape, double length, double height, double timestep,
          const std::function<void(double)>& push) {
  const int steps = static_cast<int>(std::lround(length / timestep));
  for (int i = -50; i < steps + 50; ++i) {
    const double s = (i + 0.5) / steps;
    push(i >= 0 && i < steps ? height * shape(s) : 0);
  }
}

const std::function<double(double)> kSquare = [](double) { return 1.0; };
const std::function<double(double)> kHalfSine = [](double s) { return std::sin(kPi * s); };
const std::function<double(double)> kTriangle = [](double s) { return 1 - std::abs(2 * s - 1); };
const std::function<double(double)> kHaversine = [](double s) { return std::pow(std::sin(kPi * s), 2); };

// HIC / (A^2.5 T) of pulses shorter than the longest window, and the share of the pulse that the worst window takes: known
// in closed form.
TEST(Pulse, HicOfKnownPulses) {
  const struct {
    const char* name;
    std::function<double(double)> shape;
    double hic, share;
  } cases[] = {{"square", kSquare, 1, 1},
               {"half-sine", kHalfSine, 0.41465, 0.6702},
               {"triangle", kTriangle, 0.24640, 4.0 / 7},
               {"haversine", kHaversine, 0.30294, 0.5076}};
  constexpr double kLength = 0.010, kHeight = 100;
  for (const auto& pulse : cases) {
    const double timestep = kLength / 2000;
    HeadInjury hic(0.015, false, timestep);
    feed(pulse.shape, kLength, kHeight, timestep, [&](double a) { hic.push(a); });
    EXPECT_NEAR(hic.largest() / (std::pow(kHeight, 2.5) * kLength), pulse.hic, 1e-5) << pulse.name;
    EXPECT_NEAR(hic.window() / kLength, pulse.share, 2e-3) << pulse.name;
  }
}

TEST(Pulse, HicOfAFixedWindow) {
  constexpr double kStep = 1e-5;
  HeadInjury hic(0.015, true, kStep);
  feed(kHalfSine, 0.010, 100, kStep, [&](double a) { hic.push(a); });
  // The whole pulse in 15 ms: 0.015 (2/pi 100 10/15)^2.5.
  EXPECT_NEAR(hic.largest(), 0.015 * std::pow(2 / kPi * 100 * 10 / 15, 2.5), 1e-3);
  EXPECT_NEAR(hic.largest(), 176, 1);
}

// Longer than the window: a square pulse is cut to it.
TEST(Pulse, HicStopsAtTheLongestWindow) {
  HeadInjury hic(0.015, false, 1e-4);
  feed(kSquare, 0.050, 80, 1e-4, [&](double a) { hic.push(a); });
  EXPECT_NEAR(hic.largest(), 0.015 * std::pow(80, 2.5), 1e-6);
}

// The step does not matter, even where the window is no whole number of steps. A bell of 60 g: windows about its middle,
// whose integrals are error functions.
TEST(Pulse, StepsOfAnyLengthGiveTheSame) {
  constexpr double kPeak = 60, kWidth = 0.006, kMiddle = 0.03;
  const auto integral = [](double window) {
    return kPeak * kWidth * std::sqrt(kPi) * std::erf(0.5 * window / kWidth);
  };
  double exact = 0;
  for (double window = 1e-5; window <= 0.015; window += 1e-5)
    exact = std::max(exact, window * std::pow(integral(window) / window, 2.5));
  for (const double step : {1e-4, 3e-4, 7e-4}) {
    HeadInjury hic(0.015, false, step);
    WindowMean mean(0.003, step);
    for (int i = 0; i < static_cast<int>(2 * kMiddle / step); ++i) {
      const double t = (i + 0.5) * step, a = kPeak * std::exp(-std::pow((t - kMiddle) / kWidth, 2));
      hic.push(a);
      mean.push(a);
    }
    EXPECT_NEAR(hic.largest(), exact, 0.002 * exact) << step;
    EXPECT_NEAR(mean.largest(), integral(0.003) / 0.003, 0.1) << step;
  }
}

TEST(Pulse, AMeanAndALevelOfATriangle) {
  constexpr double kStep = 1e-5;
  WindowMean mean(0.003, kStep);
  SustainedLevel level(0.003, kStep);
  feed(kTriangle, 0.010, 100, kStep, [&](double a) {
    mean.push(a);
    level.push(a);
  });
  EXPECT_NEAR(mean.largest(), 85, 0.05);   // mean between 70 and 100
  EXPECT_NEAR(level.largest(), 70, 0.15);  // width of 3 ms
}

}  // namespace
}  // namespace stunt
