// The curves of a Hill muscle (Geyer and Herr 2010, Geyer, Seyfarth and Blickhan 2003), which the thesis of Geijtenbeek
// (2013, eq. 7.1 to 7.6) names without printing them. Without units: forces in F_max, fibre lengths in their best length,
// fibre speeds in the largest speed (lengthening is positive), tendon strain as part of its slack length.
#pragma once

#include <algorithm>
#include <cmath>

namespace stunt::muscle_curves {

constexpr double kWidth = 0.56;  // of the force-length curve: at 1 +- 0.56 it has fallen to 5 %
constexpr double kFallOff = -2.995732273553991;  // ln 0.05
constexpr double kReference = 0.04;              // tendon strain at F_max
constexpr double kCurvature = 5;                 // K of the force-velocity curve
constexpr double kEccentric = 1.5;               // N: force while lengthening at full speed
constexpr double kDamping = 0.005;  // F_max at full speed: keeps the balance solvable where nothing else does
constexpr double kShortest = 1 - kWidth;  // below it fibres resist being shortened

// f_L: exp(c |(l - 1) / w|^3), c = ln 0.05.
inline double force_length(double length) {
  const double x = std::abs(length - 1) / kWidth;
  return std::exp(kFallOff * x * x * x);
}

// f_V: 0 at full shortening speed, 1 at rest, N at full lengthening speed; never negative.
inline double force_velocity(double speed) {
  const double shortening = std::max(std::min(speed, 0.0), -1.0), lengthening = std::max(speed, 0.0);
  return (1 + shortening) / (1 - kCurvature * shortening) +
         (kEccentric - 1) * (lengthening - 1) / (7.56 * kCurvature * lengthening + 1) + (kEccentric - 1);
}
inline double force_velocity_slope(double speed) {
  const double shortening = std::max(std::min(speed, 0.0), -1.0), lengthening = std::max(speed, 0.0);
  const double s = 1 - kCurvature * shortening, l = 7.56 * kCurvature * lengthening + 1;
  const double falling = (1 + kCurvature) / (s * s);
  const double rising = (kEccentric - 1) * (1 + 7.56 * kCurvature) / (l * l);
  return speed < 0 ? falling : rising;
}

// f_PEE: the fibres' sheath, ((l - 1) / w)^2 where it is stretched.
inline double parallel(double length) {
  const double x = std::max(length - 1, 0.0) / kWidth;
  return x * x;
}
// What keeps fibres from shrinking to nothing: ((l_min - l) / (w / 2))^2 below l_min.
inline double buffer(double length) {
  const double x = std::max(kShortest - length, 0.0) / (0.5 * kWidth);
  return x * x;
}
// f_SEE: (strain / strain_ref)^2 where it is stretched.
inline double tendon(double strain) {
  const double x = std::max(strain, 0.0) / kReference;
  return x * x;
}

}  // namespace stunt::muscle_curves
