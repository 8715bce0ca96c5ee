#include "stunt/report/files/glb.h"

#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <assimp/Importer.hpp>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "stunt/report/pictures/shapes.h"
#include "tests/sample_recording.h"

namespace stunt {
namespace {

using Json = nlohmann::json;

struct Parts {
  Json doc;
  std::string binary;
};

std::uint32_t number(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data() + at, 4);
  return value;
}

Parts take_apart(const std::string& glb) {
  EXPECT_EQ(glb.substr(0, 4), "glTF");
  EXPECT_EQ(number(glb, 4), 2u);
  EXPECT_EQ(number(glb, 8), glb.size());
  const std::size_t json_size = number(glb, 12);
  EXPECT_EQ(json_size % 4, 0u);
  EXPECT_EQ(glb.substr(16, 4), "JSON");
  EXPECT_EQ(glb.substr(24 + json_size, 4), std::string("BIN\0", 4));
  EXPECT_EQ(number(glb, 20 + json_size) + 28 + json_size, glb.size());
  return {Json::parse(glb.substr(20, json_size)), glb.substr(28 + json_size)};
}

// The world transform of a node at a key of the animation, as a glTF viewer would compute it.
aiMatrix4x4 transform_at(const aiScene& scene, const std::string& name, unsigned key) {
  aiMatrix4x4 total;
  const aiNode* node = scene.mRootNode->FindNode(name.c_str());
  EXPECT_NE(node, nullptr) << name;
  for (; node; node = node->mParent) {
    aiMatrix4x4 local = node->mTransformation;
    for (unsigned c = 0; c < scene.mAnimations[0]->mNumChannels; ++c) {
      const aiNodeAnim& channel = *scene.mAnimations[0]->mChannels[c];
      if (channel.mNodeName != node->mName) continue;
      const auto at = [&](unsigned count) { return std::min(key, count - 1); };
      local = aiMatrix4x4(channel.mScalingKeys[at(channel.mNumScalingKeys)].mValue,
                          channel.mRotationKeys[at(channel.mNumRotationKeys)].mValue,
                          channel.mPositionKeys[at(channel.mNumPositionKeys)].mValue);
    }
    total = local * total;
  }
  return total;
}

int count_nodes(const aiNode& node) {
  int count = 1;
  for (unsigned i = 0; i < node.mNumChildren; ++i) count += count_nodes(*node.mChildren[i]);
  return count;
}

void expect_pose(const aiMatrix4x4& t, const mjData& data, int body, const std::string& name) {
  const double* p = &data.xpos[3 * body];
  const double* R = &data.xmat[9 * body];
  // Z up to Y up: (x, y, z) becomes (x, z, -y).
  EXPECT_NEAR(t.a4, p[0], 1e-5) << name;
  EXPECT_NEAR(t.b4, p[2], 1e-5) << name;
  EXPECT_NEAR(t.c4, -p[1], 1e-5) << name;
  EXPECT_NEAR(t.a1, R[0], 1e-5) << name;
  EXPECT_NEAR(t.b2, R[7], 1e-5) << name;
  EXPECT_NEAR(t.c3, -R[5], 1e-5) << name;
}

struct Data {
  explicit Data(const mjModel& m) : data(mj_makeData(&m)) {}
  ~Data() { mj_deleteData(data); }
  mjData* data;
};

TEST(Glb, EveryNodeMovesAsForwardKinematicsSays) {
  const Recording r =
      sample_recording(sample_scene({sample_actor(), sample_actor()}), 61, [](const VecX& q, double t) {
        VecX moved = q;
        moved[0] += 0.3 * t;
        return moved;
      });
  const std::string glb = format_glb(r);
  Assimp::Importer importer;
  const aiScene* scene =
      importer.ReadFileFromMemory(glb.data(), glb.size(), aiProcess_ValidateDataStructure, "glb");
  ASSERT_NE(scene, nullptr) << importer.GetErrorString();
  const Json doc = take_apart(glb).doc;
  EXPECT_EQ(count_nodes(*scene->mRootNode), static_cast<int>(doc["nodes"].size()));
  for (const char* name :
       {"world", "objects", "simulated", "reference", "ball", "platform", "rock", "pole"}) {
    EXPECT_NE(scene->mRootNode->FindNode(name), nullptr) << name;
  }
  EXPECT_EQ(scene->mRootNode->FindNode("simulated")->mNumChildren, 2u);
  EXPECT_EQ(scene->mRootNode->FindNode("reference")->mNumChildren, 2u);
  ASSERT_EQ(scene->mNumAnimations, 1u);
  EXPECT_NEAR(scene->mAnimations[0]->mDuration / scene->mAnimations[0]->mTicksPerSecond, 0.5, 1e-6);

  const mjModel &m = *r.scene->model, &alone = r.scene->actors[1].actor->model();
  const Data whole(m), actor(alone);
  for (const unsigned key : {0u, 7u, 30u}) {
    mju_copy(whole.data->qpos, r.q(2 * static_cast<int>(key)).data(), static_cast<int>(m.nq));
    mj_kinematics(&m, whole.data);
    for (int b = 1; b < m.nbody; ++b) {
      const std::string name = m.names + m.name_bodyadr[b];
      expect_pose(transform_at(*scene, name, key), *whole.data, b, name);
    }
    mju_copy(actor.data->qpos, r.actors[1].reference_q(2 * static_cast<int>(key)).data(),
             static_cast<int>(alone.nq));
    mj_kinematics(&alone, actor.data);
    for (int b = 1; b < alone.nbody; ++b) {
      const std::string name =
          std::string("actor1/") + (alone.names + alone.name_bodyadr[b]) + " (reference)";
      expect_pose(transform_at(*scene, name, key), *actor.data, b, name);
    }
  }
}

TEST(Glb, AccessorsAreAlignedInsideAndBounded) {
  const Parts parts = take_apart(format_glb(sample_recording(sample_scene({sample_actor()}), 61)));
  const Json& views = parts.doc["bufferViews"];
  EXPECT_EQ(parts.doc["buffers"][0]["byteLength"], parts.binary.size());
  const std::map<std::string, int> width{{"SCALAR", 1}, {"VEC3", 3}, {"VEC4", 4}};
  int bounded = 0;
  for (const Json& accessor : parts.doc["accessors"]) {
    const Json& view = views[accessor["bufferView"].get<int>()];
    const std::size_t offset = view["byteOffset"], length = view["byteLength"], count = accessor["count"];
    const int components = width.at(accessor["type"]);
    const std::size_t size = accessor["componentType"] == 5123 ? 2 : 4;
    EXPECT_EQ(offset % 4, 0u);
    EXPECT_LE(offset + length, parts.binary.size());
    EXPECT_EQ(length, count * components * size);
    if (!accessor.contains("min")) continue;
    ++bounded;
    for (int k = 0; k < components; ++k) {
      float low = 1e30f, high = -1e30f;
      for (std::size_t i = 0; i < count; ++i) {
        float value = 0;
        std::memcpy(&value, parts.binary.data() + offset + 4 * (i * components + k), 4);
        low = std::min(low, value), high = std::max(high, value);
      }
      EXPECT_EQ(accessor["min"][k].get<float>(), low);
      EXPECT_EQ(accessor["max"][k].get<float>(), high);
    }
  }
  std::size_t positions = 0;
  for (const Json& mesh : parts.doc["meshes"]) {
    for (const Json& primitive : mesh["primitives"]) {
      EXPECT_TRUE(parts.doc["accessors"][primitive["attributes"]["POSITION"].get<int>()].contains("min"));
      ++positions;
    }
  }
  EXPECT_GT(positions, 10u);
  EXPECT_GT(bounded, 5);
  // One set of times for all channels, and no channel for what rests.
  const Json& animation = parts.doc["animations"][0];
  for (const Json& sampler : animation["samplers"])
    EXPECT_EQ(sampler["input"], animation["samplers"][0]["input"]);
  EXPECT_LE(animation["channels"].size(), 2u * (10 + 1) + 2);
}

TEST(Glb, TheReferenceIsATranslucentGhost) {
  const Json doc = take_apart(format_glb(sample_recording(sample_scene({sample_actor()}), 3))).doc;
  int translucent = 0;
  for (const Json& material : doc["materials"]) {
    const double alpha = material["pbrMetallicRoughness"]["baseColorFactor"][3];
    EXPECT_EQ(alpha < 1, material["name"] == "reference");
    EXPECT_EQ(material.value("alphaMode", "OPAQUE") == "BLEND", alpha < 1);
    translucent += alpha < 1;
  }
  EXPECT_EQ(translucent, 1);
}

TEST(Glb, ABallThatWaitsIsHiddenUntilItIsThrown) {
  const auto scene = std::const_pointer_cast<CompiledScene>(sample_scene({}));
  scene->free_bodies[0].waiting = true;
  Recording r = sample_recording(scene, 21);
  const auto has_ball = [&] {
    return take_apart(format_glb(r)).doc["nodes"].dump().find("ball") != std::string::npos;
  };
  EXPECT_TRUE(has_ball());  // the sample's ball rises from the first sample on
  const mjModel& m = *scene->model;
  for (int i = 0; i < 21; ++i) std::copy(m.qpos0, m.qpos0 + m.nq, row(r.channels, "q", i));
  EXPECT_FALSE(has_ball());
}

TEST(Glb, OneSampleOrADivergedRunStillLoads) {
  Recording r = sample_recording(sample_scene({sample_actor()}), 1);
  Assimp::Importer importer;
  std::string glb = format_glb(r);
  EXPECT_NE(importer.ReadFileFromMemory(glb.data(), glb.size(), 0, "glb"), nullptr)
      << importer.GetErrorString();
  r = sample_recording(sample_scene({sample_actor()}), 31);
  row(r.channels, "q", 20)[3] = std::nan("");
  glb = format_glb(r);
  const aiScene* scene = importer.ReadFileFromMemory(glb.data(), glb.size(), 0, "glb");
  ASSERT_NE(scene, nullptr) << importer.GetErrorString();
  EXPECT_NEAR(scene->mAnimations[0]->mDuration / scene->mAnimations[0]->mTicksPerSecond, 18 / 120.0, 1e-6);
}

// Tubes are bound to bodies by a skin: what a viewer makes of it, against forward kinematics.
TEST(Glb, MusclesRunAlongTheirPaths) {
  Recording r = sample_recording(sample_scene({sample_actor()}), 61, [](const VecX& q, double t) {
    VecX moved = q;
    moved[0] += 0.3 * t;
    return moved;
  });
  EXPECT_EQ(format_glb(r).find("muscle"), std::string::npos);
  ActorTrack& track = r.actors[0];
  track.muscles.push_back({.name = "string", .max_force = 900, .fibre_length = 0.1, .tendon_slack = 0.1});
  track.muscles[0].path = {{0, Vec3(0.01, 0.02, 0.03)}, {1, Vec3(0, 0.05, -0.1)}, {3, Vec3(0.02, 0, 0)}};
  std::vector<float>& use = track.channels.add("muscle_use", "", "", 1, Channel::Type::f4).all<float>();
  for (int i = 0; i < 61; ++i) use.push_back(static_cast<float>(0.025 * i));
  const std::string glb = format_glb(r);
  Assimp::Importer importer;
  const aiScene* scene =
      importer.ReadFileFromMemory(glb.data(), glb.size(), aiProcess_ValidateDataStructure, "glb");
  ASSERT_NE(scene, nullptr) << importer.GetErrorString();
  const Parts parts = take_apart(glb);
  const auto read = [&](int accessor, std::size_t at, auto value) {
    const Json& view = parts.doc["bufferViews"][parts.doc["accessors"][accessor]["bufferView"].get<int>()];
    std::memcpy(&value, parts.binary.data() + view["byteOffset"].get<std::size_t>() + at * sizeof(value),
                sizeof(value));
    return value;
  };
  const auto node = std::find_if(parts.doc["nodes"].begin(), parts.doc["nodes"].end(),
                                 [](const Json& one) { return one["name"] == "string"; });
  ASSERT_NE(node, parts.doc["nodes"].end());
  const Json& primitive = parts.doc["meshes"][(*node)["mesh"].get<int>()]["primitives"][0];
  const Json& skin = parts.doc["skins"][(*node)["skin"].get<int>()];
  const int positions = primitive["attributes"]["POSITION"], bound = primitive["attributes"]["JOINTS_0"];
  const mjModel& m = *r.scene->model;
  const Data data(m);
  for (const unsigned key : {0u, 7u, 30u}) {
    mju_copy(data.data->qpos, r.q(2 * static_cast<int>(key)).data(), static_cast<int>(m.nq));
    mj_kinematics(&m, data.data);
    for (std::size_t point = 0; point < 3; ++point) {
      aiVector3D middle(0, 0, 0);
      for (std::size_t corner = 6 * point; corner < 6 * point + 6; ++corner) {
        const aiVector3D at(read(positions, 3 * corner, 0.0f), read(positions, 3 * corner + 1, 0.0f),
                            read(positions, 3 * corner + 2, 0.0f));
        const int joint = read(bound, 4 * corner, std::uint8_t{0});
        aiMatrix4x4 bind;  // columns first
        for (unsigned i = 0; i < 16; ++i)
          bind[i % 4][i / 4] =
              read(skin["inverseBindMatrices"], static_cast<std::size_t>(16 * joint) + i, 0.0f);
        const std::string name =
            parts.doc["nodes"][skin["joints"][static_cast<std::size_t>(joint)].get<int>()]["name"];
        middle += transform_at(*scene, name, key) * (bind * at) * (1.0f / 6);
      }
      const MusclePoint& wanted = track.muscles[0].path[point];
      const int body = r.scene->actors[0].first_body + wanted.body;
      const Vec3 world =
          vec3(&data.data->xpos[3 * body]) + quat_from_wxyz(&data.data->xquat[4 * body]) * wanted.position;
      EXPECT_NEAR(middle.x, world.x(), 1e-5);
      EXPECT_NEAR(middle.y, world.z(), 1e-5);
      EXPECT_NEAR(middle.z, -world.y(), 1e-5);
    }
  }
  // Its weight is the root of its use, all of it at full strength and beyond.
  const Json& animation = parts.doc["animations"][0];
  int weighed = 0;
  for (const Json& channel : animation["channels"]) {
    if (channel["target"]["path"] != "weights") continue;
    const int output = animation["samplers"][channel["sampler"].get<int>()]["output"];
    for (std::size_t key = 0; key < 31; ++key)
      EXPECT_NEAR(read(output, key, std::uint8_t{0}) / 255.0,
                  std::sqrt(std::min(1.0, 0.05 * static_cast<double>(key))), 0.003);
    ++weighed;
  }
  EXPECT_EQ(weighed, 1);
}

// Gauss: the volume inside a closed surface is the sum of its triangles' signed volumes with the origin.
TEST(Shapes, AreClosedAndPointOutwards) {
  std::array<char, 500> error{};
  SpecPtr spec(mj_parseXMLString(
      R"(<mujoco><asset><mesh name="tetra" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset><worldbody>
    <geom type="sphere" size="0.5"/><geom type="box" size="0.1 0.2 0.3"/><geom type="capsule" size="0.2 0.5"/>
    <geom type="cylinder" size="0.2 0.5"/><geom type="ellipsoid" size="0.1 0.2 0.3"/><geom type="mesh" mesh="tetra"/>
    <geom type="plane" size="2 3 1"/></worldbody></mujoco>)",
      nullptr, error.data(), error.size()));
  ASSERT_TRUE(spec) << error.data();
  const ModelPtr model(mj_compile(spec.get(), nullptr));
  ASSERT_TRUE(model) << mjs_getError(spec.get());
  const double pi = kPi;
  const double expected[] = {4.0 / 3 * pi * 0.125,
                             0.048,
                             pi * 0.04 * 1.0 + 4.0 / 3 * pi * 0.008,
                             pi * 0.04 * 1.0,
                             4.0 / 3 * pi * 0.006,
                             1.0 / 6,
                             0};
  for (int g = 0; g < 7; ++g) {
    const TriangleMesh mesh = triangulate(*model, g);
    double volume = 0;
    for (std::size_t i = 0; i < mesh.indices.size(); i += 3) {
      const auto &a = mesh.positions[mesh.indices[i]], &b = mesh.positions[mesh.indices[i + 1]],
                 &c = mesh.positions[mesh.indices[i + 2]];
      volume += a.dot(b.cross(c)) / 6;
      const Eigen::Vector3f face = (b - a).cross(c - a);
      if (face.norm() > 1e-6f) {
        EXPECT_GT(face.normalized().dot(mesh.normals[mesh.indices[i]]), 0.7f) << g;
      }
    }
    EXPECT_NEAR(volume, expected[g], 0.05 * expected[g] + 1e-9) << g;
    for (const auto& normal : mesh.normals) EXPECT_NEAR(normal.norm(), 1, 1e-5);
  }
}

}  // namespace
}  // namespace stunt
