#include <algorithm>

#include "stunt/report/mannequin/sculpt.h"

namespace stunt {
namespace {

// A bar along the z axis of `turn` with half widths x and y, squarer with more power, rounded at its ends.
TriangleMesh bar(const Vec3& centre, const Quat& turn, double x, double y, double half, double power,
                 double round) {
  const Vec3 along = turn * Vec3::UnitZ();
  std::vector<Ring> rings;
  constexpr int kSteps = 8;
  for (int i = 0; i <= kSteps; ++i) {
    rings.push_back({centre + half * (2.0 * i / kSteps - 1) * along, turn * Vec3::UnitX(),
                     turn * Vec3::UnitY(), x, y, y, power, power});
  }
  return loft(rounded_ends(rings, round, round), kAroundLimb);
}

TriangleMesh soft_shape(const mjModel& m, int geom) {
  const double* s = m.geom_size + 3 * geom;
  const Vec3 centre = vec3(m.geom_pos + 3 * geom);
  const Quat turn = quat_from_wxyz(m.geom_quat + 4 * geom);
  switch (m.geom_type[geom]) {
    case mjGEOM_SPHERE:
      return ball(centre, s[0]);
    case mjGEOM_CAPSULE:
      return bar(centre, turn, s[0], s[0], s[1] + s[0], 2, s[0]);
    case mjGEOM_CYLINDER:
      return bar(centre, turn, s[0], s[0], s[1], 2, std::min(0.4 * s[0], s[1]));
    case mjGEOM_ELLIPSOID:
      return ellipsoid(centre, turn * Vec3::UnitX(), turn * Vec3::UnitY(), Vec3(s[0], s[1], s[2]),
                       kAroundLimb);
    case mjGEOM_BOX: {
      // Along its longest edge.
      const int z = s[0] > s[1] ? (s[0] > s[2] ? 0 : 2) : (s[1] > s[2] ? 1 : 2), x = (z + 1) % 3,
                y = (z + 2) % 3;
      Mat3 axes;
      axes << Vec3::Unit(x), Vec3::Unit(y), Vec3::Unit(z);
      return bar(centre, turn * Quat(axes), s[x], s[y], s[z], 5, 0.4 * std::min({s[0], s[1], s[2]}));
    }
    default: {
      TriangleMesh mesh = triangulate(m, geom);
      for (Eigen::Vector3f& p : mesh.positions) p = (centre + turn * p.cast<double>()).cast<float>();
      for (Eigen::Vector3f& n : mesh.normals) n = (turn * n.cast<double>()).cast<float>();
      return mesh;
    }
  }
}

}  // namespace

void soften_shapes(const Anatomy& anatomy, int body, Pieces& pieces) {
  const mjModel& m = anatomy.actor().model();
  const bool held = anatomy.actor().bodies()[static_cast<std::size_t>(body)].attached;
  for (const int geom : anatomy.geoms(body)) {
    TriangleMesh mesh = soft_shape(m, geom);
    if (!mesh.indices.empty())
      pieces.push_back({body, held ? Surface::shoe : Surface::skin, std::move(mesh)});
  }
  const ActorBody& part = anatomy.actor().bodies()[static_cast<std::size_t>(body)];
  if (part.parent < 0 || part.joint_count == 0) return;
  const double own = anatomy.radius(body), above = anatomy.radius(part.parent);
  const double radius = own > 0 && above > 0 ? std::min(own, above) : std::max(own, above);
  if (radius > 0)
    pieces.push_back(
        {body, Surface::joint,
         ball(anatomy.actor().joints()[static_cast<std::size_t>(part.first_joint)].anchor, 1.04 * radius)});
}

}  // namespace stunt
