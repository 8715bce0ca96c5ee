#include "stunt/reference/bodies_apart.h"

#include <algorithm>
#include <cmath>

namespace stunt {
namespace {

constexpr double kApart = 0.01;    // m
constexpr double kLooksPerS = 30;  // Hz

// The shapes of a body that meet others: see compile.cc.
std::vector<int> colliding_shapes(const mjModel& m, int body) {
  std::vector<int> shapes;
  for (int g = m.body_geomadr[body]; g < m.body_geomadr[body] + m.body_geomnum[body]; ++g) {
    if ((m.geom_contype[g] & 2) || m.geom_conaffinity[g]) shapes.push_back(g);
  }
  return shapes;
}

}  // namespace

std::vector<std::pair<int, int>> bodies_apart(const SampledReference& motion) {
  const Actor& actor = *motion.actor();
  const mjModel& m = actor.model();
  const int bodies = static_cast<int>(actor.bodies().size());
  std::vector<std::vector<int>> shapes;
  for (int b = 0; b < bodies; ++b) shapes.push_back(colliding_shapes(m, b + 1));
  const auto parent = [&](int b) { return actor.bodies()[static_cast<std::size_t>(b)].parent; };

  std::vector<std::pair<int, int>> pairs;
  for (int a = 0; a < bodies; ++a) {
    for (int b = a + 1; b < bodies; ++b) {
      if (actor.bodies()[static_cast<std::size_t>(a)].attached ||
          actor.bodies()[static_cast<std::size_t>(b)].attached)
        continue;  // what is held passes through its holder
      const bool neighbours = parent(b) == a || parent(a) == b ||
                              (parent(a) >= 0 && parent(a) == parent(b)) ||
                              (parent(b) >= 0 && parent(parent(b)) == a);
      if (!neighbours && !shapes[static_cast<std::size_t>(a)].empty() &&
          !shapes[static_cast<std::size_t>(b)].empty())
        pairs.emplace_back(a, b);
    }
  }

  const DataPtr data(mj_makeData(&m));
  const int step = std::max(1, static_cast<int>(std::lround(motion.rate() / kLooksPerS)));
  for (int i = 0; i < motion.size(); i += step) {
    std::copy_n(motion.q(i).data(), m.nq, data->qpos);
    mj_kinematics(&m, data.get());
    std::erase_if(pairs, [&](const std::pair<int, int>& pair) {
      for (const int one : shapes[static_cast<std::size_t>(pair.first)]) {
        for (const int other : shapes[static_cast<std::size_t>(pair.second)]) {
          const double reach = m.geom_rbound[one] + m.geom_rbound[other] + kApart;
          if (mju_dist3(data->geom_xpos + 3 * one, data->geom_xpos + 3 * other) > reach) continue;
          if (mj_geomDistance(&m, data.get(), one, other, kApart, nullptr) < kApart) return true;
        }
      }
      return false;
    });
  }
  return pairs;
}

}  // namespace stunt
