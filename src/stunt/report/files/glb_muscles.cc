#include "stunt/report/files/glb_muscles.h"

#include <algorithm>
#include <cmath>

namespace stunt {
namespace {

using Json = GlbBuilder::Json;

constexpr int kCorners = 6;           // of a ring about the path
constexpr double kResting = 0.003;    // m, radius at rest
constexpr double kPerRoot = 0.00045;  // m, more radius per square root of its force (N)
constexpr float kRest[] = {0.22f, 0.10f, 0.09f}, kRed[] = {0.90f, 0.01f, 0.01f};

// What all tubes of as many rings have in common.
struct TubeParts {
  int indices, colours, redder, weights;
};

TubeParts add_parts(GlbBuilder& glb, int rings) {
  const auto corners = static_cast<std::size_t>(rings * kCorners);
  std::vector<std::uint32_t> indices;
  for (int r = 0; r + 1 < rings; ++r) {
    for (int c = 0; c < kCorners; ++c) {
      const int a = r * kCorners + c, b = r * kCorners + (c + 1) % kCorners;
      for (const int i : {a, b, a + kCorners, b, b + kCorners, a + kCorners})
        indices.push_back(static_cast<std::uint32_t>(i));
    }
  }
  const Eigen::Vector3f rest(kRest[0], kRest[1], kRest[2]), red(kRed[0], kRed[1], kRed[2]);
  std::vector<std::uint8_t> whole;
  for (std::size_t i = 0; i < corners; ++i) whole.insert(whole.end(), {255, 0, 0, 0});
  return {glb.add_indices(indices, corners),
          glb.add_vectors(std::vector<Eigen::Vector3f>(corners, rest), kVertices, false),
          glb.add_vectors(std::vector<Eigen::Vector3f>(corners, red - rest), kVertices, false),
          glb.add_bytes(whole, 4, "VEC4", true, kVertices)};
}

// Where a body is at the first key, in the axes of the root node.
struct BodyPose {
  Mat3 rotation;
  Vec3 position;
};

std::vector<BodyPose> first_poses(const Recording& recording, std::span<const int> samples) {
  const mjModel& m = *recording.scene->model;
  const DataPtr data(mj_makeData(&m));
  mju_copy(data->qpos, recording.q(samples[0]).data(), static_cast<int>(m.nq));
  mj_kinematics(&m, data.get());
  std::vector<BodyPose> out;
  for (int b = 0; b < m.nbody; ++b)
    out.push_back({quat_from_wxyz(&data->xquat[4 * b]).toRotationMatrix(), vec3(&data->xpos[3 * b])});
  return out;
}

Eigen::Matrix4f inverse_of(const BodyPose& pose) {
  Eigen::Matrix4f out = Eigen::Matrix4f::Identity();
  out.topLeftCorner<3, 3>() = pose.rotation.transpose().cast<float>();
  out.topRightCorner<3, 1>() = (-(pose.rotation.transpose() * pose.position)).cast<float>();
  return out;
}

// Rings about the points of a path, at right angles to it, and how far each corner goes outwards at full strength.
void make_rings(const std::vector<Vec3>& path, double thicker, std::vector<Eigen::Vector3f>& corners,
                std::vector<Eigen::Vector3f>& outwards) {
  for (std::size_t k = 0; k < path.size(); ++k) {
    const Vec3 way = path[std::min(k + 1, path.size() - 1)] - path[k == 0 ? 0 : k - 1];
    const Vec3 along = way.norm() > 1e-9 ? Vec3(way.normalized()) : Vec3(Vec3::UnitZ());
    const Vec3 side = along.unitOrthogonal(), other = along.cross(side);
    const bool end = k == 0 || k + 1 == path.size();  // tendons are thin
    for (int c = 0; c < kCorners; ++c) {
      const double angle = 2 * kPi * c / kCorners;
      const Vec3 out = std::cos(angle) * side + std::sin(angle) * other;
      corners.push_back((path[k] + (end ? 0.6 : 1) * kResting * out).cast<float>());
      outwards.push_back(((end ? 0.3 : 1) * thicker * out).cast<float>());
    }
  }
}

}  // namespace

void add_muscles(GlbBuilder& glb, const Recording& recording, std::size_t actor, std::span<const int> samples,
                 std::span<const int> nodes, int parent) {
  const ActorTrack& track = recording.actors[actor];
  const Channel* use = track.channels.find("muscle_use");
  const ActorSlot& slot = track.slot;
  const mjModel& m = *recording.scene->model;
  const int bodies = static_cast<int>(slot.actor->bodies().size());
  if (!use || track.muscles.empty() || samples.empty() || bodies > 255) return;
  const int group = glb.add_node(track.name + " muscles", parent);
  const std::vector<BodyPose> poses = first_poses(recording, samples);
  std::vector<int> joints;
  std::vector<Eigen::Matrix4f> from_scene;
  for (int b = 0; b < bodies; ++b) {
    const int above = slot.actor->bodies()[static_cast<std::size_t>(b)].parent;
    const int body = slot.first_body + b;
    joints.push_back(glb.add_node(std::string(m.names + m.name_bodyadr[body]) + " (muscles)",
                                  above < 0 ? group : joints[static_cast<std::size_t>(above)]));
    glb.move_with(joints.back(), nodes[static_cast<std::size_t>(body)]);
    from_scene.push_back(inverse_of(poses[static_cast<std::size_t>(body)]));
  }
  const int skin = glb.add_skin(joints, from_scene);
  const int material = glb.material("muscle", {1, 1, 1, 1});
  std::map<int, TubeParts> parts;
  for (std::size_t i = 0; i < track.muscles.size(); ++i) {
    const Muscle& muscle = track.muscles[i];
    std::vector<Vec3> path;
    std::vector<std::uint8_t> bound;
    for (const MusclePoint& point : muscle.path) {
      const BodyPose& pose = poses[static_cast<std::size_t>(slot.first_body + point.body)];
      path.push_back(pose.position + pose.rotation * point.position);
      for (int c = 0; c < kCorners; ++c)
        bound.insert(bound.end(), {static_cast<std::uint8_t>(point.body), 0, 0, 0});
    }
    std::vector<Eigen::Vector3f> corners, outwards;
    make_rings(path, kPerRoot * std::sqrt(muscle.max_force), corners, outwards);
    const int rings = static_cast<int>(path.size());
    if (!parts.contains(rings)) parts.emplace(rings, add_parts(glb, rings));
    const TubeParts& shared = parts.at(rings);
    const Json primitive = {
        {"attributes",
         {{"POSITION", glb.add_vectors(corners, kVertices, true)},
          {"COLOR_0", shared.colours},
          {"JOINTS_0", glb.add_bytes(bound, 4, "VEC4", false, kVertices)},
          {"WEIGHTS_0", shared.weights}}},
        {"indices", shared.indices},
        {"material", material},
        {"targets",
         {{{"POSITION", glb.add_vectors(outwards, kVertices, true)}, {"COLOR_0", shared.redder}}}}};
    const int node = glb.add_node(muscle.name, group);
    glb.set_mesh(node,
                 glb.add_mesh({{"primitives", Json::array({primitive})}, {"weights", Json::array({0.0})}}));
    glb.set_skin(node, skin);
    std::vector<std::uint8_t> weights;
    for (const int sample : samples) {
      const float now = use->row<float>(sample)[i];
      weights.push_back(static_cast<std::uint8_t>(std::lround(255 * std::sqrt(std::clamp(now, 0.0f, 1.0f)))));
    }
    glb.animate_weight(node, weights);
  }
}

}  // namespace stunt
