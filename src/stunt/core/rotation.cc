#include "stunt/core/rotation.h"

#include <cmath>

namespace stunt {

Quat exp_map(const Vec3& w) {
  const double angle = w.norm();
  // sin(a/2)/a, by its series near zero.
  const double scale = angle < 1e-6 ? 0.5 - angle * angle / 48.0 : std::sin(0.5 * angle) / angle;
  return Quat(std::cos(0.5 * angle), scale * w.x(), scale * w.y(), scale * w.z());
}

Vec3 log_map(const Quat& q) {
  const double sign = q.w() < 0 ? -1.0 : 1.0;
  const double sine = q.vec().norm();
  const double scale = sine < 1e-9 ? 2.0 : 2.0 * std::atan2(sine, sign * q.w()) / sine;
  return sign * scale * q.vec();
}

double angle_between(const Quat& a, const Quat& b) { return log_map(a.conjugate() * b).norm(); }

double heading(const Quat& q) {
  const Vec3 x = q * Vec3::UnitX();
  if (std::hypot(x.x(), x.y()) > 1e-3) return std::atan2(x.y(), x.x());
  const Vec3 z = (x.z() > 0 ? -1.0 : 1.0) * (q * Vec3::UnitZ());
  return std::atan2(z.y(), z.x());
}

Quat yaw_rotation(double angle) { return Quat(std::cos(0.5 * angle), 0, 0, std::sin(0.5 * angle)); }

Quat rotation_between(const Vec3& a, const Vec3& b) { return Quat::FromTwoVectors(a, b); }

Quat same_hemisphere(const Quat& q, const Quat& near) {
  return q.coeffs().dot(near.coeffs()) < 0 ? Quat(-q.w(), -q.x(), -q.y(), -q.z()) : q;
}

double twist_angle(const Quat& q, const Vec3& axis) {
  double angle = 2.0 * std::atan2(q.vec().dot(axis), q.w());
  if (angle > kPi) angle -= 2.0 * kPi;
  if (angle <= -kPi) angle += 2.0 * kPi;
  return angle;
}

}  // namespace stunt
