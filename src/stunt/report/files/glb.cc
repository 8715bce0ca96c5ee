// Khronos glTF 2.0 specification: sections 3.5 (nodes), 3.6 (buffers and accessors), 3.11 (animation), 4.4
// (GLB).
#include "stunt/report/files/glb.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "stunt/report/mannequin/mannequin.h"
#include "stunt/report/pictures/palette.h"
#include "stunt/report/pictures/shapes.h"

namespace stunt {
namespace {

using Json = nlohmann::ordered_json;
using Rgba = std::array<float, 4>;

constexpr int kFloat = 5126, kUnsignedShort = 5123, kUnsignedInt = 5125;  // accessor.componentType
constexpr int kVertices = 34962, kIndices = 34963;                        // bufferView.target
constexpr int kHiddenGroup = 3;  // MuJoCo's viewers do not show geoms of this group and above

constexpr float kGhostOpacity = 0.35f;

// glTF wants linear light, the palette is as screens show it.
Rgba rgba(const Color& c, float opacity = 1) {
  return {std::pow(c[0], 2.2f), std::pow(c[1], 2.2f), std::pow(c[2], 2.2f), opacity};
}

Json numbers(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
Json numbers(const Quat& q) { return {q.x(), q.y(), q.z(), q.w()}; }

// How a body moves relative to its parent; one entry per key.
struct Motion {
  std::vector<Vec3> position;
  std::vector<Quat> rotation;
  std::vector<bool> visible;  // empty: always
};

// The document and its binary chunk, built piece by piece.
class GlbBuilder {
 public:
  GlbBuilder() {
    doc_["asset"] = {{"version", "2.0"}, {"generator", "Stunt " STUNT_VERSION}};
    doc_["scene"] = 0;
    doc_["scenes"] = Json::array({{{"nodes", {0}}}});
    for (const char* key : {"nodes", "meshes", "materials", "accessors", "bufferViews"})
      doc_[key] = Json::array();
  }

  int add_node(const std::string& name, int parent) {
    const int node = push("nodes", {{"name", name}});
    if (parent >= 0) doc_["nodes"][parent]["children"].push_back(node);
    return node;
  }
  void place(int node, const Vec3& position, const Quat& rotation) {
    if (!position.isZero(0)) doc_["nodes"][node]["translation"] = numbers(position);
    if (rotation.vec().norm() > 0) doc_["nodes"][node]["rotation"] = numbers(rotation.normalized());
  }
  void set_mesh(int node, int mesh) { doc_["nodes"][node]["mesh"] = mesh; }

  int material(const std::string& name, const Rgba& colour) {
    const auto [found, is_new] = materials_.try_emplace({name, colour}, 0);
    if (!is_new) return found->second;
    Json json{{"name", name},
              {"pbrMetallicRoughness",
               {{"baseColorFactor", colour}, {"metallicFactor", 0.0}, {"roughnessFactor", 0.8}}}};
    if (colour[3] < 1) json["alphaMode"] = "BLEND";
    return found->second = push("materials", std::move(json));
  }

  // The mesh of a shape in a material, or -1 for shapes without triangles. Equal shapes share their
  // triangles.
  int mesh(const mjModel& m, int geom, int material) {
    const double* s = &m.geom_size[3 * geom];
    const bool by_file = m.geom_type[geom] == mjGEOM_MESH;
    const ShapeKey key{
        m.geom_type[geom], by_file ? m.geom_dataid[geom] : -1, by_file ? &m : nullptr, s[0], s[1], s[2]};
    auto shape = shapes_.find(key);
    if (shape == shapes_.end()) {
      const TriangleMesh triangles = triangulate(m, geom);
      shape = shapes_.emplace(key, triangles.indices.empty() ? Json() : add_triangles(triangles)).first;
    }
    if (shape->second.is_null()) return -1;
    const auto [found, is_new] = meshes_.try_emplace({key, material}, 0);
    if (!is_new) return found->second;
    Json primitive = shape->second;
    primitive["material"] = material;
    return found->second = push("meshes", {{"primitives", Json::array({primitive})}});
  }

  // The mesh of a mannequin's piece in a material; `key` names its triangles.
  int mesh(const MannequinPiece* key, int material) {
    auto shape = pieces_.find(key);
    if (shape == pieces_.end()) shape = pieces_.emplace(key, add_triangles(key->mesh)).first;
    Json primitive = shape->second;
    primitive["material"] = material;
    return push("meshes", {{"primitives", Json::array({primitive})}});
  }

  void set_times(const std::vector<float>& times) {
    if (times.empty()) return;
    times_ = add_accessor(times.data(), times.size(), 1, "SCALAR", 0, true);
    doc_["animations"] =
        Json::array({{{"name", "motion"}, {"channels", Json::array()}, {"samplers", Json::array()}}});
  }

  // A node's rest transform is its first key; channels are written only for what changes.
  void animate(int node, const Motion& motion) {
    if (motion.position.empty()) return;
    place(node, motion.position[0], motion.rotation[0]);
    if (times_ < 0) return;
    double moved = 0, turned = 0;
    for (std::size_t i = 1; i < motion.position.size(); ++i) {
      moved = std::max(moved, (motion.position[i] - motion.position[0]).norm());
      turned = std::max(turned, (motion.rotation[i].coeffs() - motion.rotation[0].coeffs()).norm());
    }
    if (moved > 1e-7) {
      std::vector<float> values;
      for (const Vec3& p : motion.position) {
        for (const double x : p) values.push_back(static_cast<float>(x));
      }
      add_channel(node, "translation", values, 3, "VEC3", "LINEAR");
    }
    if (turned > 1e-7) {
      std::vector<float> values;
      for (const Quat& q : motion.rotation) {
        for (const double x : q.coeffs()) values.push_back(static_cast<float>(x));
      }
      add_channel(node, "rotation", values, 4, "VEC4", "LINEAR");
    }
    if (!motion.visible.empty()) {
      std::vector<float> values;
      for (const bool visible : motion.visible) values.insert(values.end(), 3, visible ? 1.0f : 0.0f);
      add_channel(node, "scale", values, 3, "VEC3", "STEP");
    }
  }

  std::string finish() {
    if (doc_.contains("animations") && doc_["animations"][0]["channels"].empty()) doc_.erase("animations");
    for (const char* key : {"meshes", "materials", "accessors", "bufferViews"}) {
      if (doc_[key].empty()) doc_.erase(key);  // the schema forbids empty arrays
    }
    if (!binary_.empty()) doc_["buffers"] = Json::array({{{"byteLength", binary_.size()}}});
    std::string json = doc_.dump();
    json.append((4 - json.size() % 4) % 4, ' ');

    std::string out = "glTF";
    const auto put = [&](std::size_t value) {
      const auto number = static_cast<std::uint32_t>(value);
      out.append(reinterpret_cast<const char*>(&number), 4);
    };
    put(2);
    put(12 + 8 + json.size() + (binary_.empty() ? 0 : 8 + binary_.size()));
    put(json.size());
    out += "JSON";
    out += json;
    if (!binary_.empty()) {
      put(binary_.size());
      out += std::string("BIN\0", 4);
      out += binary_;
    }
    return out;
  }

 private:
  struct ShapeKey {
    int type, mesh;
    const mjModel* model;
    double x, y, z;
    auto operator<=>(const ShapeKey&) const = default;
  };

  int push(const char* array, Json value) {
    doc_[array].push_back(std::move(value));
    return static_cast<int>(doc_[array].size()) - 1;
  }

  Json add_triangles(const TriangleMesh& triangles) {
    return {{"attributes",
             {{"POSITION", add_vectors(triangles.positions, kVertices, true)},
              {"NORMAL", add_vectors(triangles.normals, kVertices, false)}}},
            {"indices", add_indices(triangles.indices, triangles.positions.size())}};
  }

  int add_view(const void* data, std::size_t bytes, int target) {
    Json view{{"buffer", 0}, {"byteOffset", binary_.size()}, {"byteLength", bytes}};
    if (target) view["target"] = target;
    binary_.append(static_cast<const char*>(data), bytes);
    binary_.append((4 - bytes % 4) % 4, '\0');  // every view starts at a multiple of 4
    return push("bufferViews", std::move(view));
  }

  int add_accessor(const float* data, std::size_t count, int width, const char* type, int target,
                   bool bounds) {
    const std::size_t w = static_cast<std::size_t>(width);
    Json accessor{{"bufferView", add_view(data, count * w * 4, target)},
                  {"componentType", kFloat},
                  {"count", count},
                  {"type", type}};
    if (bounds) {
      Json low = Json::array(), high = Json::array();
      for (std::size_t k = 0; k < w; ++k) {
        float least = data[k], most = data[k];
        for (std::size_t i = 0; i < count; ++i) {
          least = std::min(least, data[i * w + k]);
          most = std::max(most, data[i * w + k]);
        }
        low.push_back(least);
        high.push_back(most);
      }
      accessor["min"] = low;
      accessor["max"] = high;
    }
    return push("accessors", std::move(accessor));
  }

  int add_vectors(const std::vector<Eigen::Vector3f>& vectors, int target, bool bounds) {
    return add_accessor(vectors[0].data(), vectors.size(), 3, "VEC3", target, bounds);
  }

  int add_indices(const std::vector<std::uint32_t>& indices, std::size_t vertices) {
    const bool small = vertices < 65535;
    const std::vector<std::uint16_t> narrow(indices.begin(), indices.end());
    const int view = small ? add_view(narrow.data(), 2 * narrow.size(), kIndices)
                           : add_view(indices.data(), 4 * indices.size(), kIndices);
    return push("accessors", {{"bufferView", view},
                              {"componentType", small ? kUnsignedShort : kUnsignedInt},
                              {"count", indices.size()},
                              {"type", "SCALAR"}});
  }

  void add_channel(int node, const char* path, const std::vector<float>& values, int width, const char* type,
                   const char* interpolation) {
    const int output =
        add_accessor(values.data(), values.size() / static_cast<std::size_t>(width), width, type, 0, false);
    Json& animation = doc_["animations"][0];
    animation["samplers"].push_back(
        {{"input", times_}, {"output", output}, {"interpolation", interpolation}});
    animation["channels"].push_back(
        {{"sampler", animation["samplers"].size() - 1}, {"target", {{"node", node}, {"path", path}}}});
  }

  Json doc_;
  std::string binary_;
  int times_ = -1;
  std::map<std::pair<std::string, Rgba>, int> materials_;
  std::map<ShapeKey, Json> shapes_;
  std::map<const MannequinPiece*, Json> pieces_;
  std::map<std::pair<ShapeKey, int>, int> meshes_;
};

// The motion of every body of a model relative to its parent, at keys whose q is given.
std::vector<Motion> motions(const mjModel& m, int keys, const std::function<const double*(int)>& q) {
  const DataPtr data(mj_makeData(&m));
  std::vector<Motion> out(static_cast<std::size_t>(m.nbody));
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
bool hide_while_parked(const mjModel& m, const FreeBodySlot& slot, Motion& motion) {
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
  std::vector<Motion> moves = motions(
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
      add_pieces(glb, mannequins[actor], b - slot.first_body, body_name(m, b), nodes[b],
                 [&](Surface surface) {
                   const char* sides[] = {"", "left ", "right "};
                   const std::string name = fmt::format("{} {}{}", slot.name, sides[static_cast<int>(side)],
                                                        kSurfaceNames[static_cast<int>(surface)]);
                   return glb.material(name, rgba(surface_color(actor, side, surface, false)));
                 });
      continue;
    }
    add_shapes(glb, m, b, nodes[b], [&](int) {
      if (free != scene.free_bodies.end()) return glb.material("object", rgba(kBallColor));
      return glb.material("support", rgba(palette.support));
    });
  }

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
