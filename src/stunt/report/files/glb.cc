#include "stunt/report/files/glb.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "stunt/assess/realism/muscle_use.h"
#include "stunt/report/files/glb_builder.h"
#include "stunt/report/files/glb_muscles.h"
#include "stunt/report/mannequin/mannequin.h"
#include "stunt/report/pictures/palette.h"
#include "stunt/report/pictures/shapes.h"

namespace stunt {
namespace {

constexpr int kHiddenGroup = 3;  // MuJoCo's viewers do not show geoms of this group and above
constexpr float kGhostOpacity = 0.35f;

// glTF wants linear light, the palette is as screens show it.
Rgba rgba(const Color& c, float opacity = 1) {
  return {std::pow(c[0], 2.2f), std::pow(c[1], 2.2f), std::pow(c[2], 2.2f), opacity};
}

// The motion of every body of a model relative to its parent, at keys whose q is given.
std::vector<KeyedMotion> motions(const mjModel& m, int keys, const std::function<const double*(int)>& q) {
  const DataPtr data(mj_makeData(&m));
  std::vector<KeyedMotion> out(static_cast<std::size_t>(m.nbody));
  for (int i = 0; i < keys; ++i) {
    mju_copy(data->qpos, q(i), static_cast<int>(m.nq));
    mj_kinematics(&m, data.get());
    for (int b = 1; b < m.nbody; ++b) {
      const int parent = m.body_parentid[b];
      const Quat unturn = quat_from_wxyz(&data->xquat[4 * parent]).conjugate();
      const Vec3 arm =
          Eigen::Map<const Vec3>(&data->xpos[3 * b]) - Eigen::Map<const Vec3>(&data->xpos[3 * parent]);
      const Quat rotation = unturn * quat_from_wxyz(&data->xquat[4 * b]);
      out[b].position.push_back(unturn * arm);
      // Neighbouring keys on the same side, or viewers turn the long way round.
      out[b].rotation.push_back(i == 0 ? rotation : same_hemisphere(rotation, out[b].rotation.back()));
    }
  }
  return out;
}

std::string body_name(const mjModel& m, int body) {
  const std::string name = m.names + m.name_bodyadr[body];
  return name.empty() ? fmt::format("body {}", body) : name;
}

// A ball that waits far away is not drawn until it is thrown. Returns false when it never is.
bool hide_while_parked(const mjModel& m, const FreeBodySlot& slot, KeyedMotion& motion) {
  const Vec3 parked = Eigen::Map<const Vec3>(m.qpos0 + slot.first_q);
  const auto waits = [&](const Vec3& p) { return (p - parked).norm() < 1e-3; };
  const auto thrown = std::find_if_not(motion.position.begin(), motion.position.end(), waits);
  if (thrown == motion.position.end()) return false;
  const Vec3 start = *thrown;
  for (Vec3& p : motion.position) {
    motion.visible.push_back(!waits(p));
    if (!motion.visible.back()) p = start;
  }
  return true;
}

using Material = std::function<int(int geom)>;

void add_shapes(GlbBuilder& glb, const mjModel& m, int body, int node, const Material& material) {
  for (int g = 0; g < m.ngeom; ++g) {
    if (m.geom_bodyid[g] != body || m.geom_group[g] >= kHiddenGroup || m.geom_rgba[4 * g + 3] == 0) continue;
    const int mesh = glb.mesh(m, g, material(g));
    if (mesh < 0) continue;
    const std::string name = m.names + m.name_geomadr[g];
    const int shape = glb.add_node(name.empty() ? fmt::format("shape {}", g) : name, node);
    glb.place(shape, Eigen::Map<const Vec3>(&m.geom_pos[3 * g]), quat_from_wxyz(&m.geom_quat[4 * g]));
    glb.set_mesh(shape, mesh);
  }
}

// A body's part of a mannequin, one child node per surface.
void add_pieces(GlbBuilder& glb, const std::vector<MannequinPiece>& pieces, int body, const std::string& name,
                int node, const std::function<int(Surface)>& material) {
  for (const MannequinPiece& piece : pieces) {
    if (piece.body != body) continue;
    const int shape =
        glb.add_node(fmt::format("{} {}", name, kSurfaceNames[static_cast<int>(piece.surface)]), node);
    glb.set_mesh(shape, glb.mesh(&piece, material(piece.surface)));
  }
}

}  // namespace

std::string format_glb(const Recording& recording, double rate) {
  const CompiledScene& scene = *recording.scene;
  const mjModel& m = *scene.model;
  const int stride = std::max(1, static_cast<int>(std::lround(recording.rate / rate)));
  std::vector<int> samples;
  for (int i = 0; i < recording.samples(); i += stride) {
    const auto q = recording.q(i);
    if (!q.allFinite()) break;
    samples.push_back(i);
  }
  const int keys = static_cast<int>(samples.size());
  std::vector<float> times;
  for (const int i : samples) times.push_back(static_cast<float>(recording.time[i]));

  GlbBuilder glb;
  const int root = glb.add_node(recording.name.empty() ? "scene" : recording.name, -1);
  glb.place(root, Vec3::Zero(), axis_angle(Vec3::UnitX(), -kPi / 2));
  glb.set_times(times);
  const int world = glb.add_node("world", root), objects = glb.add_node("objects", root);
  const int simulated = glb.add_node("simulated", root), reference = glb.add_node("reference", root);

  // The whole scene as simulated.
  std::vector<KeyedMotion> moves = motions(
      m, std::max(keys, 1), [&](int i) { return keys == 0 ? m.qpos0 : recording.q(samples[i]).data(); });
  const Palette palette = make_palette("light");
  add_shapes(glb, m, 0, world, [&](int) { return glb.material("ground", rgba(palette.ground)); });
  std::vector<std::vector<MannequinPiece>> mannequins;
  for (const ActorSlot& slot : scene.actors) mannequins.push_back(make_mannequin(*slot.actor));
  std::vector<int> nodes(static_cast<std::size_t>(m.nbody), -1);
  nodes[0] = objects;
  for (int b = 1; b < m.nbody; ++b) {
    const auto free = std::find_if(scene.free_bodies.begin(), scene.free_bodies.end(),
                                   [&](const FreeBodySlot& slot) { return slot.body == b; });
    if (free != scene.free_bodies.end() && free->waiting && !hide_while_parked(m, *free, moves[b])) continue;
    const int actor = scene.actor_of(b);
    const int parent = nodes[m.body_parentid[b]];
    if (parent < 0) continue;
    nodes[b] = glb.add_node(body_name(m, b), actor >= 0 && m.body_parentid[b] == 0 ? simulated : parent);
    glb.animate(nodes[b], moves[b]);
    if (actor >= 0) {
      const ActorSlot& slot = scene.actors[actor];
      const Side side = body_side(*slot.actor, b - slot.first_body);
      const float opacity =
          moved_by_muscles(recording.actors[static_cast<std::size_t>(actor)]) ? kGhostOpacity : 1;
      add_pieces(glb, mannequins[actor], b - slot.first_body, body_name(m, b), nodes[b],
                 [&](Surface surface) {
                   const char* sides[] = {"", "left ", "right "};
                   const std::string name = fmt::format("{} {}{}", slot.name, sides[static_cast<int>(side)],
                                                        kSurfaceNames[static_cast<int>(surface)]);
                   return glb.material(name, rgba(surface_color(actor, side, surface, false), opacity));
                 });
      continue;
    }
    add_shapes(glb, m, b, nodes[b], [&](int) {
      if (free != scene.free_bodies.end()) return glb.material("object", rgba(kBallColor));
      return glb.material("support", rgba(palette.support));
    });
  }

  for (std::size_t i = 0; i < scene.actors.size(); ++i) add_muscles(glb, recording, i, samples, nodes, root);

  // Each character that had a motion once more, where it should be.
  for (std::size_t i = 0; i < scene.actors.size(); ++i) {
    if (!recording.actors[i].has_reference()) continue;
    const ActorSlot& slot = scene.actors[i];
    const mjModel& alone = slot.actor->model();
    moves = motions(alone, keys, [&](int k) { return recording.actors[i].reference_q(samples[k]).data(); });
    std::vector<int> own(static_cast<std::size_t>(alone.nbody), reference);
    for (int b = 1; b < alone.nbody; ++b) {
      own[b] =
          glb.add_node(body_name(m, slot.first_body + b - 1) + " (reference)", own[alone.body_parentid[b]]);
      glb.animate(own[b], moves[b]);
      add_pieces(glb, mannequins[i], b - 1, body_name(m, slot.first_body + b - 1) + " (reference)", own[b],
                 [&](Surface) { return glb.material("reference", rgba(palette.ghost, kGhostOpacity)); });
    }
  }
  return glb.finish();
}

}  // namespace stunt
