#include "stunt/world/nearest.h"

#include <algorithm>
#include <cmath>

namespace stunt {
namespace {

// `to` the point from the nearest place of a core (a centre, an axis) around which the surface lies at `radius`.
Nearest around(const Vec3& to, double radius, const Vec3& fallback) {
  const double length = to.norm();
  return {length - radius, length > 1e-12 ? Vec3(to / length) : fallback};
}

Nearest of_capsule(const Vec3& p, const Vec3& axis, double radius, double half) {
  const Vec3 side = axis.unitOrthogonal();
  return around(p - std::clamp(p.dot(axis), -half, half) * axis, radius, side);
}

Nearest of_box(const Vec3& p, const Vec3& half) {
  const Vec3 outside = p - p.cwiseMax(-half).cwiseMin(half);
  if (outside.squaredNorm() > 0) return around(outside, 0, Vec3::UnitZ());
  int face = 0;
  (half - p.cwiseAbs()).minCoeff(&face);
  const double sign = p[face] < 0 ? -1 : 1;
  return {std::abs(p[face]) - half[face], sign * Vec3::Unit(face)};
}

Nearest of_cylinder(const Vec3& p, double radius, double half) {
  const double across = std::hypot(p.x(), p.y());
  const Vec3 out = across > 1e-12 ? Vec3(p.x() / across, p.y() / across, 0) : Vec3(Vec3::UnitX());
  const double over = std::abs(p.z()) - half, aside = across - radius;
  const Vec3 up(0, 0, p.z() < 0 ? -1 : 1);
  if (over > 0 && aside > 0) return around(aside * out + over * up, 0, up);  // beyond the rim
  return over > aside ? Nearest{over, up} : Nearest{aside, out};
}

}  // namespace

Nearest nearest_on(const mjModel& m, int g, const Vec3& position, const Quat& rotation, const Vec3& point) {
  const double* size = m.geom_size + 3 * g;
  const Vec3 p = rotation.conjugate() * (point - position);
  Nearest found{};
  switch (m.geom_type[g]) {
    case mjGEOM_PLANE:
      found = {p.z(), Vec3::UnitZ()};
      break;
    case mjGEOM_SPHERE:
      found = around(p, size[0], Vec3::UnitZ());
      break;
    case mjGEOM_CAPSULE:
      found = of_capsule(p, Vec3::UnitZ(), size[0], size[1]);
      break;
    case mjGEOM_BOX:
      found = of_box(p, Vec3(size[0], size[1], size[2]));
      break;
    case mjGEOM_CYLINDER:
      found = of_cylinder(p, size[0], size[1]);
      break;
    case mjGEOM_ELLIPSOID: {
      const int longest = static_cast<int>(std::max_element(size, size + 3) - size);
      const double across = std::sqrt(size[(longest + 1) % 3] * size[(longest + 2) % 3]);
      found = of_capsule(p, Vec3::Unit(longest), across, size[longest] - across);
      break;
    }
    default: {
      const double* box = m.geom_aabb + 6 * g;  // centre, half edges
      found = of_box(p - Vec3(box[0], box[1], box[2]), Vec3(box[3], box[4], box[5]));
      break;
    }
  }
  found.normal = rotation * found.normal;
  return found;
}

}  // namespace stunt
