#include "stunt/world/penalty/touch_pairs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "stunt/core/error.h"

namespace stunt {
namespace {

constexpr std::size_t kMostPairs = 100'000;

// MuJoCo's rules (documentation, "Collision detection").
bool may_touch(const mjModel& m, int geom1, int geom2) {
  const int body1 = m.geom_bodyid[geom1], body2 = m.geom_bodyid[geom2];
  const int weld1 = m.body_weldid[body1], weld2 = m.body_weldid[body2];
  if (weld1 == weld2) return false;
  const int parent1 = m.body_weldid[m.body_parentid[weld1]], parent2 = m.body_weldid[m.body_parentid[weld2]];
  if (weld1 != 0 && weld2 != 0 && (weld1 == parent2 || weld2 == parent1)) return false;
  return (m.geom_contype[geom1] & m.geom_conaffinity[geom2]) ||
         (m.geom_contype[geom2] & m.geom_conaffinity[geom1]);
}

// Of the shape with the higher priority, or the larger of two equals.
double friction_of(const mjModel& m, int geom1, int geom2) {
  const double friction1 = m.geom_friction[3 * geom1], friction2 = m.geom_friction[3 * geom2];
  if (m.geom_priority[geom1] != m.geom_priority[geom2])
    return m.geom_priority[geom1] > m.geom_priority[geom2] ? friction1 : friction2;
  return std::max(friction1, friction2);
}

// Whether a ball of this radius lies beyond one of the box's sides; `apart` is from the ball's centre to the box's.
bool outside_box(const mjModel& m, const mjData& data, int box, const double apart[3], double radius) {
  const double *axes = data.geom_xmat + 9 * box, *half = m.geom_size + 3 * box;
  for (int i = 0; i < 3; ++i) {
    const double along = axes[i] * apart[0] + axes[3 + i] * apart[1] + axes[6 + i] * apart[2];
    if (std::abs(along) > half[i] + radius) return true;
  }
  return false;
}

std::pair<int, int> bodies_of(int signature) { return {signature >> 16, signature & 0xffff}; }

}  // namespace

TouchPairs::TouchPairs(const mjModel& model, const std::string& engine) : m_(model), engine_(engine) {
  if (m_.opt.disableflags & mjDSBL_CONTACT) return;
  std::set<std::pair<int, int>> excluded, given;  // bodies; shapes
  for (int i = 0; i < m_.nexclude; ++i) excluded.insert(bodies_of(m_.exclude_signature[i]));
  for (int i = 0; i < m_.npair; ++i) {
    given.insert(std::minmax(m_.pair_geom1[i], m_.pair_geom2[i]));
    add(m_.pair_geom1[i], m_.pair_geom2[i], m_.pair_friction[5 * i]);
  }
  for (int geom1 = 0; geom1 < m_.ngeom; ++geom1) {
    for (int geom2 = geom1 + 1; geom2 < m_.ngeom; ++geom2) {
      const int body1 = m_.geom_bodyid[geom1], body2 = m_.geom_bodyid[geom2];
      if (!may_touch(m_, geom1, geom2) || given.count({geom1, geom2})) continue;
      if (excluded.count({body1, body2}) || excluded.count({body2, body1})) continue;
      add(geom1, geom2, friction_of(m_, geom1, geom2));
    }
  }
}

void TouchPairs::add(int geom1, int geom2, double friction) {
  if (m_.geom_type[geom1] > m_.geom_type[geom2]) std::swap(geom1, geom2);
  if (!mjCOLLISIONFUNC[m_.geom_type[geom1]][m_.geom_type[geom2]]) return;  // two planes
  if (pairs_.size() == kMostPairs) {
    throw InputError(
        "engine " + engine_,
        "a scene with more than " + std::to_string(kMostPairs) + " pairs of shapes that may touch",
        "fewer shapes or characters, or engine mujoco");
  }
  const bool plane = m_.geom_type[geom1] == mjGEOM_PLANE;
  const double reach = m_.geom_rbound[geom2] + (plane ? 0 : m_.geom_rbound[geom1]);
  const bool box = !plane && m_.geom_type[geom2] == mjGEOM_BOX;
  pairs_.push_back({geom1, geom2, reach, plane, box, friction});
}

void TouchPairs::find(mjData& data, std::vector<Touch>& touches, double margin) const {
  std::array<mjPreContact, mjMAXCONPAIR> found;
  for (const Pair& pair : pairs_) {
    const double *centre1 = data.geom_xpos + 3 * pair.geom1, *centre2 = data.geom_xpos + 3 * pair.geom2;
    const double apart[3] = {centre2[0] - centre1[0], centre2[1] - centre1[1], centre2[2] - centre1[2]};
    if (pair.plane) {
      const double* axes = data.geom_xmat + 9 * pair.geom1;  // the third column is the plane's normal
      if (axes[2] * apart[0] + axes[5] * apart[1] + axes[8] * apart[2] > pair.reach + margin) continue;
    } else if (apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2] >
               (pair.reach + margin) * (pair.reach + margin)) {
      continue;
    } else if (pair.box && outside_box(m_, data, pair.geom2, apart, m_.geom_rbound[pair.geom1] + margin)) {
      continue;
    }
    const int count = mjCOLLISIONFUNC[m_.geom_type[pair.geom1]][m_.geom_type[pair.geom2]](
        &m_, &data, found.data(), pair.geom1, pair.geom2, margin);
    for (int i = 0; i < count; ++i) {
      if (!(found[i].dist < margin)) continue;
      touches.push_back({m_.geom_bodyid[pair.geom1], m_.geom_bodyid[pair.geom2],
                         Eigen::Map<const Vec3>(found[i].pos), Eigen::Map<const Vec3>(found[i].normal),
                         -found[i].dist, pair.friction});
    }
  }
}

}  // namespace stunt
