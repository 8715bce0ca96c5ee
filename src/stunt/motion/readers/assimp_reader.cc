#include "stunt/motion/readers/assimp_reader.h"

#include <assimp/config.h>
#include <assimp/scene.h>
#include <fmt/format.h>

#include <algorithm>
#include <assimp/Importer.hpp>
#include <cmath>
#include <map>
#include <set>

#include "stunt/core/error.h"
#include "stunt/motion/readers/scanner.h"

namespace stunt {
namespace {

constexpr std::size_t kMostNodes = 20'000;

Eigen::Affine3d to_eigen(const aiMatrix4x4& m) {
  Eigen::Affine3d out = Eigen::Affine3d::Identity();
  out.matrix().topRows<3>() << m.a1, m.a2, m.a3, m.a4, m.b1, m.b2, m.b3, m.b4, m.c1, m.c2, m.c3, m.c4;
  return out;
}

// The rotation in a transform that may scale: x kept, y made upright to it.
Quat rotation_of(const Eigen::Affine3d& transform, const std::string& place) {
  const Vec3 x = transform.linear().col(0).normalized();
  const Vec3 y = transform.linear().col(1) - x * x.dot(transform.linear().col(1));
  Mat3 axes;
  axes << x, y.normalized(), x.cross(y.normalized());
  if (!axes.allFinite() || !(std::abs(axes.determinant() - 1.0) < 0.01)) {
    throw InputError(place, "a node scaled to nothing", "axes");
  }
  return Quat(axes).normalized();
}

struct Node {
  const aiNode* node;
  int parent;                           // index, smaller than the own
  const aiNodeAnim* channel = nullptr;  // what moves it
  bool marked = false;                  // moved by the animation, or a bone of a mesh
  int marked_below = 0;                 // with itself
};

// Depth first, without recursion: files can nest as deep as they like.
std::vector<Node> list_nodes(const aiScene& scene, const std::string& place) {
  std::vector<Node> nodes;
  std::vector<std::pair<const aiNode*, int>> to_do = {{scene.mRootNode, -1}};
  while (!to_do.empty()) {
    const auto [node, parent] = to_do.back();
    to_do.pop_back();
    nodes.push_back({node, parent});
    if (nodes.size() > kMostNodes)
      throw InputError(place, "more nodes", fmt::format("at most {}", kMostNodes));
    for (unsigned i = node->mNumChildren; i-- > 0;) {
      to_do.push_back({node->mChildren[i], static_cast<int>(nodes.size()) - 1});
    }
  }
  return nodes;
}

const aiAnimation& animation_with_most_channels(const aiScene& scene, Clip& clip, const std::string& place) {
  const aiAnimation* best = nullptr;
  for (unsigned i = 0; i < scene.mNumAnimations; ++i) {
    if (!best || scene.mAnimations[i]->mNumChannels > best->mNumChannels) best = scene.mAnimations[i];
  }
  if (!best || best->mNumChannels == 0) throw InputError(place, "no animation", "a skeleton that moves");
  if (scene.mNumAnimations > 1) {
    clip.notes.push_back(
        fmt::format("Of {} animations in the file, {} is read, the one that moves most nodes.",
                    scene.mNumAnimations, quote(best->mName.C_Str())));
  }
  return *best;
}

void mark_joints(std::vector<Node>& nodes, const aiScene& scene, const aiAnimation& animation) {
  std::map<std::string, const aiNodeAnim*> channels;
  for (unsigned i = 0; i < animation.mNumChannels; ++i) {
    channels[animation.mChannels[i]->mNodeName.C_Str()] = animation.mChannels[i];
  }
  std::set<std::string> bones;
  for (unsigned m = 0; m < scene.mNumMeshes; ++m) {
    for (unsigned b = 0; b < scene.mMeshes[m]->mNumBones; ++b)
      bones.insert(scene.mMeshes[m]->mBones[b]->mName.C_Str());
  }
  for (Node& node : nodes) {
    const std::string name = node.node->mName.C_Str();
    const auto channel = channels.find(name);
    if (channel != channels.end()) node.channel = channel->second;
    // Rigs carry targets for inverse kinematics that are no part of the body.
    node.marked = (node.channel || bones.contains(name)) && !name.starts_with("ik_");
  }
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    node->marked_below += node->marked ? 1 : 0;
    if (node->parent >= 0) nodes[node->parent].marked_below += node->marked_below;
  }
}

// Where the body branches: down from the scene's root, past whatever only carries it.
int find_skeleton_root(const std::vector<Node>& nodes) {
  int root = 0;
  while (true) {
    int largest = -1, second = 0;
    for (int i = root + 1; i < static_cast<int>(nodes.size()); ++i) {
      if (nodes[i].parent != root) continue;
      if (largest < 0 || nodes[i].marked_below > nodes[largest].marked_below) {
        second = largest < 0 ? 0 : nodes[largest].marked_below;
        largest = i;
      } else {
        second = std::max(second, nodes[i].marked_below);
      }
    }
    constexpr int kJointsOfALeg = 3;
    if (largest < 0 || nodes[largest].marked_below == 0 || second >= kJointsOfALeg) return root;
    root = largest;
  }
}

// The keys around a time; `value` blends two keys' values.
template <class Key, class Blend>
auto sample_keys(const Key* keys, unsigned count, double time, Blend blend) {
  const Key* after =
      std::upper_bound(keys, keys + count, time, [](double t, const Key& key) { return t < key.mTime; });
  if (after == keys) return blend(keys[0], keys[0], 0.0);
  if (after == keys + count) return blend(keys[count - 1], keys[count - 1], 0.0);
  const Key& before = *(after - 1);
  const double step = after->mTime - before.mTime;
  return blend(before, *after, step > 0.0 ? (time - before.mTime) / step : 0.0);
}

Eigen::Affine3d local_transform(const Node& node, double time) {
  if (!node.channel) return to_eigen(node.node->mTransformation);
  const auto vector = [](const aiVectorKey& a, const aiVectorKey& b, double u) {
    return Vec3((1 - u) * Vec3(a.mValue.x, a.mValue.y, a.mValue.z) +
                u * Vec3(b.mValue.x, b.mValue.y, b.mValue.z));
  };
  const auto rotation = [](const aiQuatKey& a, const aiQuatKey& b, double u) {
    const auto quat = [](const aiQuaternion& q) { return Quat(q.w, q.x, q.y, q.z).normalized(); };
    return quat(a.mValue).slerp(u, quat(b.mValue));
  };
  const aiNodeAnim& c = *node.channel;
  // What the channel leaves out stays as the node has it.
  aiVector3D scale, position;
  aiQuaternion turn;
  node.node->mTransformation.Decompose(scale, turn, position);
  const Vec3 at = c.mNumPositionKeys ? sample_keys(c.mPositionKeys, c.mNumPositionKeys, time, vector)
                                     : Vec3(position.x, position.y, position.z);
  const Quat by = c.mNumRotationKeys ? sample_keys(c.mRotationKeys, c.mNumRotationKeys, time, rotation)
                                     : Quat(turn.w, turn.x, turn.y, turn.z).normalized();
  const Vec3 size = c.mNumScalingKeys ? sample_keys(c.mScalingKeys, c.mNumScalingKeys, time, vector)
                                      : Vec3(scale.x, scale.y, scale.z);
  return Eigen::Translation3d(at) * by * Eigen::Scaling(size);
}

// First and last key time and the usual step between keys, in ticks.
struct KeyTimes {
  double first = INFINITY, last = -INFINITY, step = 0.0;
};
KeyTimes key_times(const std::vector<Node>& nodes, const std::string& place) {
  KeyTimes times;
  std::vector<double> steps;
  const auto look = [&](const auto* keys, unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      if (!(std::abs(keys[i].mTime) < 1e12) || (i > 0 && keys[i].mTime < keys[i - 1].mTime)) {
        throw InputError(place, "key times that do not rise", "an animation");
      }
      if (i > 0 && keys[i].mTime > keys[i - 1].mTime) steps.push_back(keys[i].mTime - keys[i - 1].mTime);
    }
    if (count == 0) return;
    times.first = std::min(times.first, keys[0].mTime);
    times.last = std::max(times.last, keys[count - 1].mTime);
  };
  for (const Node& node : nodes) {
    if (!node.channel) continue;
    look(node.channel->mRotationKeys, node.channel->mNumRotationKeys);
    look(node.channel->mPositionKeys, node.channel->mNumPositionKeys);
  }
  if (steps.empty()) throw InputError(place, "an animation of a single pose", "a motion");
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  times.step = *middle;
  return times;
}

Clip convert(const aiScene& scene, const std::string& format, const std::string& place) {
  Clip clip;
  clip.source.format = format;
  if (!scene.mRootNode) throw InputError(place, "an empty scene", "a skeleton that moves");
  std::vector<Node> nodes = list_nodes(scene, place);
  const aiAnimation& animation = animation_with_most_channels(scene, clip, place);
  mark_joints(nodes, scene, animation);
  const int root = find_skeleton_root(nodes);

  const KeyTimes times = key_times(nodes, place);
  const double ticks = animation.mTicksPerSecond > 0.0 ? animation.mTicksPerSecond : 25.0;
  // Few keys mean a hand-made animation: sample that at 30 frames per second.
  double rate = std::max(30.0, ticks / times.step);
  if (std::abs(rate - std::round(rate)) < 0.005 * rate) rate = std::round(rate);
  if (rate > 1000.0) throw InputError(place, fmt::format("{:.6g} keys per second", rate), "at most 1000");
  clip.fps = rate;

  // Joints are the marked nodes at and below the root; each hangs on the nearest joint above it.
  std::vector<int> joint_of(nodes.size(), -1), node_of;
  for (int i = root; i < static_cast<int>(nodes.size()); ++i) {
    if (i != root && (nodes[i].parent < root || joint_of[nodes[i].parent] < 0))
      continue;  // outside of the body
    if (i == root || nodes[i].marked) {
      joint_of[i] = static_cast<int>(node_of.size());
      const int parent = i == root ? -1 : joint_of[nodes[i].parent];
      clip.skeleton.joints.push_back({nodes[i].node->mName.C_Str(), parent, Vec3::Zero(), Quat::Identity()});
      node_of.push_back(i);
    } else {
      joint_of[i] = joint_of[nodes[i].parent];
    }
  }
  const int joint_count = clip.skeleton.size();
  if (joint_count > kMostJoints)
    throw InputError(place, fmt::format("{} joints", joint_count), "at most 1000");
  const double frame_count = std::floor((times.last - times.first) / ticks * rate + 0.01) + 1;
  if (frame_count > kMostFrames || frame_count * joint_count > kMostRotations) {
    throw InputError(place, fmt::format("{:.0f} frames", frame_count), "at most a million");
  }

  std::vector<Eigen::Affine3d> world(nodes.size());
  const auto update_world = [&](auto&& local) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      world[i] = nodes[i].parent < 0 ? local(nodes[i]) : world[nodes[i].parent] * local(nodes[i]);
    }
  };
  // With rest rotations W0 taken out, joint axes are parallel to the world's at rest: B = W W0^-1.
  update_world([](const Node& node) { return to_eigen(node.node->mTransformation); });
  std::vector<Quat> rest(joint_count);
  for (int j = 0; j < joint_count; ++j) rest[j] = rotation_of(world[node_of[j]], place);
  for (std::size_t i = root + 1; i < nodes.size(); ++i) {
    // A node below the last joint of a limb that is no joint itself marks the limb's end.
    const int parent = nodes[i].parent < root ? -1 : joint_of[nodes[i].parent];
    if (parent < 0 || nodes[i].marked || nodes[i].marked_below > 0 || nodes[i].node->mNumMeshes > 0) continue;
    if (node_of[parent] != nodes[i].parent || nodes[nodes[i].parent].marked_below > 1) continue;
    clip.skeleton.ends.push_back({parent, world[i].translation() - world[nodes[i].parent].translation()});
  }

  std::vector<Vec3> sum(joint_count, Vec3::Zero());
  std::vector<double> sum_squares(joint_count, 0.0);
  std::vector<Quat> turned(joint_count);
  clip.frames.resize(static_cast<std::size_t>(frame_count));
  for (std::size_t f = 0; f < clip.frames.size(); ++f) {
    const double time = times.first + static_cast<double>(f) / rate * ticks;
    update_world([&](const Node& node) { return local_transform(node, time); });
    Pose& pose = clip.frames[f];
    pose.rotations.resize(joint_count);
    pose.root_position = world[node_of[0]].translation();
    for (int j = 0; j < joint_count; ++j) {
      const Eigen::Affine3d& transform = world[node_of[j]];
      if (!transform.matrix().allFinite() || transform.translation().norm() > kLargestNumber) {
        throw InputError(place,
                         fmt::format("numbers without meaning at {}", quote(clip.skeleton.joints[j].name)),
                         "finite ones");
      }
      turned[j] = rotation_of(transform, place) * rest[j].conjugate();
      const int parent = clip.skeleton.joints[j].parent;
      pose.rotations[j] = parent < 0 ? turned[j] : turned[parent].conjugate() * turned[j];
      if (parent < 0) continue;
      const Vec3 offset =
          turned[parent].conjugate() * (transform.translation() - world[node_of[parent]].translation());
      sum[j] += offset;
      sum_squares[j] += offset.squaredNorm();
    }
  }
  double size = 0.0;
  for (int j = 1; j < joint_count; ++j) {
    clip.skeleton.joints[j].offset = sum[j] / frame_count;
    size += 0.25 * clip.skeleton.joints[j].offset.norm();
  }
  for (int j = 1; j < joint_count; ++j) {
    const double variance = sum_squares[j] / frame_count - clip.skeleton.joints[j].offset.squaredNorm();
    if (variance > std::pow(0.003 * size, 2)) {
      clip.warnings.push_back(
          fmt::format("joint {} moves against its parent; bones are rigid here, so its mean place is used",
                      quote(clip.skeleton.joints[j].name)));
    }
  }
  return clip;
}

void configure(Assimp::Importer& importer) {
  importer.SetPropertyBool(AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, false);
  importer.SetPropertyBool(AI_CONFIG_IMPORT_FBX_READ_ALL_MATERIALS, false);
  importer.SetPropertyBool(AI_CONFIG_IMPORT_FBX_READ_TEXTURES, false);
  importer.SetPropertyBool(AI_CONFIG_IMPORT_FBX_READ_CAMERAS, false);
  importer.SetPropertyBool(AI_CONFIG_IMPORT_FBX_READ_LIGHTS, false);
}

std::string format_of(const std::string& ending) {
  return equals_ignoring_case(ending, "fbx") ? "fbx" : "gltf";
}

Clip convert_or_fail(const Assimp::Importer& importer, const aiScene* scene, const std::string& ending,
                     const std::string& place) {
  if (!scene)
    throw InputError(place, fmt::format("cannot be read as {}: {}", ending, importer.GetErrorString()));
  return convert(*scene, format_of(ending), place);
}

}  // namespace

Clip read_with_assimp(std::string_view bytes, const std::string& hint, const std::string& place) {
  Assimp::Importer importer;
  configure(importer);
  return convert_or_fail(importer, importer.ReadFileFromMemory(bytes.data(), bytes.size(), 0, hint.c_str()),
                         hint, place);
}

Clip read_with_assimp_file(const std::filesystem::path& path) {
  Assimp::Importer importer;
  configure(importer);
  const std::string ending = path.extension().string().substr(path.has_extension() ? 1 : 0);
  return convert_or_fail(importer, importer.ReadFile(path.string(), 0), ending, path.string());
}

}  // namespace stunt
