#include "stunt/motion/readers/euler.h"

#include <cassert>
#include <cmath>

namespace stunt {
namespace {

int axis_of(char letter) { return letter - 'X'; }

// `angle` plus the whole turns that bring it nearest to `near`.
double unwrap(double angle, double near) {
  return angle + 2.0 * kPi * std::round((near - angle) / (2.0 * kPi));
}

Mat3 rotation_about(int axis, double angle) { return axis_angle(Vec3::Unit(axis), angle).toRotationMatrix(); }

}  // namespace

Quat from_euler(std::string_view order, const double* angles) {
  Quat q = Quat::Identity();
  for (std::size_t n = 0; n < order.size(); ++n) {
    // q * (c + s e_i), written out: this is most of the time of reading a clip.
    const double c = std::cos(0.5 * angles[n]), s = std::sin(0.5 * angles[n]);
    const double w = q.w(), x = q.x(), y = q.y(), z = q.z();
    switch (order[n]) {
      case 'X':
        q = Quat(w * c - x * s, x * c + w * s, y * c + z * s, z * c - y * s);
        break;
      case 'Y':
        q = Quat(w * c - y * s, x * c - z * s, y * c + w * s, z * c + x * s);
        break;
      default:
        q = Quat(w * c - z * s, x * c + y * s, y * c - x * s, z * c + w * s);
        break;
    }
  }
  return q;
}

std::array<double, 3> to_euler(const Quat& q, std::string_view order, const std::array<double, 3>& near) {
  assert(order.size() <= 3);
  if (order.empty()) return {};
  const int i = axis_of(order[0]);
  if (order.size() == 1) return {unwrap(twist_angle(q, Vec3::Unit(i)), near[0]), 0.0, 0.0};

  // R = R_i(a) R_j(b) R_k(c) with i, j, k all different; s is +1 when they are in cyclic order. Then
  //   R(i,k) = s sin b,  R(j,k) = -s sin a cos b,  R(k,k) = cos a cos b,
  // and with M = R_i(a)^T R = R_j(b) R_k(c):  M(i,k) = s sin b, M(k,k) = cos b, M(j,i) = s sin c, M(j,j) =
  // cos c.
  const int j = axis_of(order[1]), k = 3 - i - j;
  const double s = (j - i + 3) % 3 == 1 ? 1.0 : -1.0;
  const Mat3 r = q.toRotationMatrix();
  double a;
  if (order.size() == 2) {
    a = std::atan2(s * r(k, j), r(j, j));  // the column that R_j(b) leaves alone
  } else if (std::hypot(r(j, k), r(k, k)) < 1e-8) {
    a = near[0];  // gimbal lock: a and c turn about one line, so a may stay where it was
  } else {
    a = std::atan2(-s * r(j, k), r(k, k));
  }
  std::array<double, 3> best{};
  double best_distance = INFINITY;
  for (const double candidate : {a, a + kPi}) {
    const Mat3 m = rotation_about(i, candidate).transpose() * r;
    std::array<double, 3> angles = {candidate, std::atan2(s * m(i, k), m(k, k)),
                                    std::atan2(s * m(j, i), m(j, j))};
    double distance = 0.0;
    for (int n = 0; n < 3; ++n) {
      angles[n] = unwrap(angles[n], near[n]);
      distance += std::abs(angles[n] - near[n]);
    }
    if (order.size() == 2) {
      if (candidate != a) break;  // with two axes there is one branch only
      angles[2] = 0.0;
    }
    if (distance < best_distance) {
      best_distance = distance;
      best = angles;
    }
  }
  return best;
}

}  // namespace stunt
