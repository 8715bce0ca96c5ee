// Triangles for the shapes of a MuJoCo model, for file formats that know only triangles.
#pragma once

#include <mujoco/mujoco.h>

#include <cstdint>
#include <vector>

#include <Eigen/Core>

namespace stunt {

struct TriangleMesh {
  std::vector<Eigen::Vector3f> positions;  // m, in the geom's axes
  std::vector<Eigen::Vector3f> normals;    // unit, outward
  std::vector<std::uint32_t> indices;      // three per triangle, counter-clockwise seen from outside
};

// Box, sphere, capsule, cylinder, ellipsoid, mesh, and plane (a quad of at most 100 m). Empty for other
// kinds.
TriangleMesh triangulate(const mjModel& model, int geom);

}  // namespace stunt
