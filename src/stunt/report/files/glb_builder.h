// A glTF document and its binary chunk, built piece by piece: what glb.cc and glb_muscles.cc share.
// Khronos glTF 2.0 specification: sections 3.5 (nodes), 3.6 (buffers and accessors), 3.7 (meshes, morph targets, skins), 3.11
// (animation), 4.4 (GLB).
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "stunt/report/mannequin/mannequin.h"
#include "stunt/report/pictures/shapes.h"

namespace stunt {

using Rgba = std::array<float, 4>;  // linear light

constexpr int kFloat = 5126, kUnsignedByte = 5121, kUnsignedShort = 5123,
              kUnsignedInt = 5125;                  // componentType
constexpr int kVertices = 34962, kIndices = 34963;  // bufferView.target

// How a body moves relative to its parent; one entry per key.
struct KeyedMotion {
  std::vector<Vec3> position;
  std::vector<Quat> rotation;
  std::vector<bool> visible;  // empty: always
};

class GlbBuilder {
 public:
  using Json = nlohmann::ordered_json;

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
  void animate(int node, const KeyedMotion& motion) {
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

  // A node that moves as another does, without keys of its own.
  void move_with(int node, int other) {
    for (const char* key : {"translation", "rotation"}) {
      if (doc_["nodes"][other].contains(key)) doc_["nodes"][node][key] = doc_["nodes"][other][key];
    }
    const auto moves = moved_[other];
    for (const auto& [path, sampler] : moves) add_target(node, path, sampler);
  }

  // Joints are nodes; `from_scene` takes what is given in the axes of the root node, as the first key has it, to the axes of
  // each joint.
  int add_skin(const std::vector<int>& joints, const std::vector<Eigen::Matrix4f>& from_scene) {
    const int matrices = add_accessor(from_scene[0].data(), from_scene.size(), 16, "MAT4", 0, false);
    if (!doc_.contains("skins")) doc_["skins"] = Json::array();
    return push("skins", {{"joints", joints}, {"inverseBindMatrices", matrices}});
  }
  void set_skin(int node, int skin) { doc_["nodes"][node]["skin"] = skin; }
  int add_mesh(Json mesh) { return push("meshes", std::move(mesh)); }
  // The weight of a node's only morph target at every key, 255 for all of it.
  void animate_weight(int node, const std::vector<std::uint8_t>& weights) {
    if (times_ < 0) return;
    const int output = add_bytes(weights, 1, "SCALAR", true, 0);
    Json& samplers = doc_["animations"][0]["samplers"];
    samplers.push_back({{"input", times_}, {"output", output}, {"interpolation", "LINEAR"}});
    add_target(node, "weights", static_cast<int>(samplers.size()) - 1);
  }

  // Accessors.
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
  int add_bytes(const std::vector<std::uint8_t>& bytes, int width, const char* type, bool normalized,
                int target) {
    Json accessor{{"bufferView", add_view(bytes.data(), bytes.size(), target)},
                  {"componentType", kUnsignedByte},
                  {"count", bytes.size() / static_cast<std::size_t>(width)},
                  {"type", type}};
    if (normalized) accessor["normalized"] = true;
    return push("accessors", std::move(accessor));
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
  static Json numbers(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
  static Json numbers(const Quat& q) { return {q.x(), q.y(), q.z(), q.w()}; }
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

  void add_channel(int node, const char* path, const std::vector<float>& values, int width, const char* type,
                   const char* interpolation) {
    const int output =
        add_accessor(values.data(), values.size() / static_cast<std::size_t>(width), width, type, 0, false);
    Json& animation = doc_["animations"][0];
    animation["samplers"].push_back(
        {{"input", times_}, {"output", output}, {"interpolation", interpolation}});
    add_target(node, path, static_cast<int>(animation["samplers"].size()) - 1);
  }
  void add_target(int node, const std::string& path, int sampler) {
    doc_["animations"][0]["channels"].push_back(
        {{"sampler", sampler}, {"target", {{"node", node}, {"path", path}}}});
    moved_[node].emplace_back(path, sampler);
  }

  Json doc_;
  std::string binary_;
  int times_ = -1;
  std::map<int, std::vector<std::pair<std::string, int>>> moved_;  // node: paths and samplers
  std::map<std::pair<std::string, Rgba>, int> materials_;
  std::map<ShapeKey, Json> shapes_;
  std::map<const MannequinPiece*, Json> pieces_;
  std::map<std::pair<ShapeKey, int>, int> meshes_;
};

}  // namespace stunt
