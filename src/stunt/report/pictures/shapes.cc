#include "stunt/report/pictures/shapes.h"

#include <cmath>

#include "stunt/core/rotation.h"

namespace stunt {
namespace {

constexpr int kAround = 20;        // vertices around the axis
constexpr int kHalfRings = 6;      // rings from equator to pole
constexpr double kPlaneHalf = 50;  // m, of a plane without end

void add(TriangleMesh& mesh, const Vec3& position, const Vec3& normal) {
  mesh.positions.push_back(position.cast<float>());
  mesh.normals.push_back(normal.normalized().cast<float>());
}

// Two triangles per cell between rings of kAround + 1 vertices, the first ring being the lowest.
void connect_rings(TriangleMesh& mesh, std::uint32_t first, int rings) {
  constexpr std::uint32_t row = kAround + 1;
  for (int r = 0; r + 1 < rings; ++r) {
    for (std::uint32_t k = 0; k < kAround; ++k) {
      const std::uint32_t low = first + static_cast<std::uint32_t>(r) * row + k, high = low + row;
      mesh.indices.insert(mesh.indices.end(), {low, low + 1, high + 1, low, high + 1, high});
    }
  }
}

Vec3 around(int k) { return Vec3(std::cos(2 * kPi * k / kAround), std::sin(2 * kPi * k / kAround), 0); }

// A sphere of this radii, cut at the equator and drawn apart by `half` along z: an ellipsoid or a capsule.
TriangleMesh rounded(const Vec3& radii, double half) {
  TriangleMesh mesh;
  for (const int side : {-1, 1}) {
    for (int ring = 0; ring <= kHalfRings; ++ring) {
      const double latitude = kPi / 2 * (side < 0 ? ring - kHalfRings : ring) / kHalfRings;
      for (int k = 0; k <= kAround; ++k) {
        const Vec3 unit = std::cos(latitude) * around(k) + Vec3(0, 0, std::sin(latitude));
        add(mesh, unit.cwiseProduct(radii) + Vec3(0, 0, side * half), unit.cwiseQuotient(radii));
      }
    }
  }
  connect_rings(mesh, 0, 2 * kHalfRings + 2);
  return mesh;
}

TriangleMesh cylinder(double radius, double half) {
  TriangleMesh mesh;
  for (const int side : {-1, 1}) {
    for (int k = 0; k <= kAround; ++k) add(mesh, radius * around(k) + Vec3(0, 0, side * half), around(k));
  }
  connect_rings(mesh, 0, 2);
  for (const int side : {-1, 1}) {
    const auto centre = static_cast<std::uint32_t>(mesh.positions.size());
    add(mesh, Vec3(0, 0, side * half), Vec3(0, 0, side));
    for (int k = 0; k <= kAround; ++k)
      add(mesh, radius * around(k) + Vec3(0, 0, side * half), Vec3(0, 0, side));
    for (std::uint32_t k = 1; k <= kAround; ++k) {
      const std::uint32_t a = centre + k, b = centre + k + 1;
      mesh.indices.insert(mesh.indices.end(), {centre, side > 0 ? a : b, side > 0 ? b : a});
    }
  }
  return mesh;
}

void add_quad(TriangleMesh& mesh, const Vec3& centre, const Vec3& u, const Vec3& v) {
  const auto first = static_cast<std::uint32_t>(mesh.positions.size());
  const Vec3 normal = u.cross(v);
  for (const Vec3& corner : {Vec3(-u - v), Vec3(u - v), Vec3(u + v), Vec3(v - u)})
    add(mesh, centre + corner, normal);
  mesh.indices.insert(mesh.indices.end(), {first, first + 1, first + 2, first, first + 2, first + 3});
}

TriangleMesh box(const Vec3& half) {
  TriangleMesh mesh;
  for (int axis = 0; axis < 3; ++axis) {
    const int next = (axis + 1) % 3, last = (axis + 2) % 3;
    for (const double side : {-1.0, 1.0}) {
      const Vec3 out = side * half[axis] * Vec3::Unit(axis);
      add_quad(mesh, out, side * half[next] * Vec3::Unit(next), half[last] * Vec3::Unit(last));
    }
  }
  return mesh;
}

// Corners are not shared: each triangle has its own normal.
TriangleMesh faceted(const mjModel& m, int id) {
  TriangleMesh mesh;
  if (id < 0) return mesh;
  const float* vertices = m.mesh_vert + 3 * static_cast<std::ptrdiff_t>(m.mesh_vertadr[id]);
  for (int f = m.mesh_faceadr[id]; f < m.mesh_faceadr[id] + m.mesh_facenum[id]; ++f) {
    Vec3 corner[3];
    for (int k = 0; k < 3; ++k) {
      const float* p = vertices + 3 * static_cast<std::ptrdiff_t>(m.mesh_face[3 * f + k]);
      corner[k] = Vec3(p[0], p[1], p[2]);
    }
    const Vec3 normal = (corner[1] - corner[0]).cross(corner[2] - corner[0]);
    if (normal.norm() < 1e-14) continue;
    for (const Vec3& c : corner) {
      mesh.indices.push_back(static_cast<std::uint32_t>(mesh.positions.size()));
      add(mesh, c, normal);
    }
  }
  return mesh;
}

}  // namespace

TriangleMesh triangulate(const mjModel& m, int geom) {
  const double* s = &m.geom_size[3 * geom];
  switch (m.geom_type[geom]) {
    case mjGEOM_SPHERE:
      return rounded(Vec3::Constant(s[0]), 0);
    case mjGEOM_CAPSULE:
      return rounded(Vec3::Constant(s[0]), s[1]);
    case mjGEOM_ELLIPSOID:
      return rounded(Vec3(s[0], s[1], s[2]), 0);
    case mjGEOM_CYLINDER:
      return cylinder(s[0], s[1]);
    case mjGEOM_BOX:
      return box(Vec3(s[0], s[1], s[2]));
    case mjGEOM_MESH:
      return faceted(m, m.geom_dataid[geom]);
    case mjGEOM_PLANE: {
      TriangleMesh mesh;
      const auto half = [](double size) { return size > 0 && size < kPlaneHalf ? size : kPlaneHalf; };
      add_quad(mesh, Vec3::Zero(), half(s[0]) * Vec3::UnitX(), half(s[1]) * Vec3::UnitY());
      return mesh;
    }
    default:
      return {};
  }
}

}  // namespace stunt
