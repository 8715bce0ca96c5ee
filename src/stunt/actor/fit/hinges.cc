#include "stunt/actor/fit/hinges.h"

#include <algorithm>
#include <cmath>

namespace stunt {

double unwrap(double angle, double near) { return angle - 2 * kPi * std::round((angle - near) / (2 * kPi)); }

Vec3 hinge_angles(const Quat& turn, const Mat3& axes, const Vec3& near) {
  // In the hinges' own axes this is Rx(a) Ry(b) Rz(c), whose first row and last column have the sines and
  // cosines.
  const Mat3 r = axes.transpose() * turn.toRotationMatrix() * axes;
  const double b = std::asin(std::clamp(r(0, 2), -1.0, 1.0));
  return Vec3(unwrap(std::atan2(-r(1, 2), r(2, 2)), near[0]), b,
              unwrap(std::atan2(-r(0, 1), r(0, 0)), near[2]));
}

}  // namespace stunt
