#include "stunt/motion/readers/assimp_reader.h"

#include <assimp/config.h>
#include <assimp/scene.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <assimp/Importer.hpp>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "stunt/core/error.h"
#include "stunt/motion/readers/scanner.h"
#include "stunt/motion/readers/text.h"

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

double duration_of(const aiAnimation& animation) {
  return animation.mDuration / (animation.mTicksPerSecond > 0.0 ? animation.mTicksPerSecond : 25.0);
}

// The animation that was asked for by name or number; or else the longest of those that move a body, not only a
// part of it.
const aiAnimation& choose_animation(const aiScene& scene, const std::optional<std::string>& asked, Clip& clip,
                                    const std::string& place) {
  unsigned most = 0;
  for (unsigned i = 0; i < scene.mNumAnimations; ++i)
    most = std::max(most, scene.mAnimations[i]->mNumChannels);
  if (most == 0) throw InputError(place, "no animation", "a skeleton that moves");
  const aiAnimation* best = nullptr;
  for (unsigned i = 0; i < scene.mNumAnimations; ++i) {
    const aiAnimation& one = *scene.mAnimations[i];
    if (i < 1000) {
      const std::string name = readable_name(one.mName.C_Str(), place);
      clip.animations.push_back(fmt::format(
          "{} ({:.2f} s)", name.empty() ? fmt::format("number {}", i + 1) : name, duration_of(one)));
    }
    if (2 * one.mNumChannels < most || asked) continue;
    if (!best || duration_of(one) > duration_of(*best)) best = &one;
  }
  if (asked) {
    for (unsigned i = 0; i < scene.mNumAnimations && !best; ++i) {
      const std::string name = readable_name(scene.mAnimations[i]->mName.C_Str(), place);
      if (name == *asked || std::to_string(i + 1) == *asked) best = scene.mAnimations[i];
    }
    if (!best || best->mNumChannels == 0) {
      throw InputError(fmt::format("{}: --animation {}", place, quote(*asked)),
                       "no such animation that moves a body",
                       fmt::format("a number from 1 to {} or one of: {}", scene.mNumAnimations,
                                   fmt::join(clip.animations, ", ")));
    }
  } else if (scene.mNumAnimations > 1) {
    clip.notes.push_back(
        fmt::format("Of the {} animations in the file, {} is read, the longest that moves the body "
                    "(--animation chooses another).",
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
    if (2 * nodes[largest].marked_below < nodes[root].marked_below) return root;  // many short limbs
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

// Frames per second at which an animation is sampled: that of its keys.
double sampling_rate(const KeyTimes& times, double ticks_per_second, const std::string& place) {
  // Few keys mean a hand-made animation: sample that at 30 frames per second.
  double rate = std::max(30.0, ticks_per_second / times.step);
  if (std::abs(rate - std::round(rate)) < 0.005 * rate) rate = std::round(rate);
  if (rate > 1000.0) throw InputError(place, fmt::format("{:.6g} keys per second", rate), "at most 1000");
  return rate;
}

struct JointNodes {
  std::vector<int> joint_of;  // per node: itself or the nearest joint above it; -1 outside of the body
  std::vector<int> node_of;   // per joint
};

// Joints are the marked nodes at and below the root; each hangs on the nearest joint above it.
JointNodes find_joints(const std::vector<Node>& nodes, int root, Skeleton& skeleton,
                       const std::string& place) {
  JointNodes found{std::vector<int>(nodes.size(), -1), {}};
  for (int i = root; i < static_cast<int>(nodes.size()); ++i) {
    const int above = i == root || nodes[i].parent < root ? -1 : found.joint_of[nodes[i].parent];
    if (i != root && above < 0) continue;  // outside of the body
    if (i == root || nodes[i].marked) {
      found.joint_of[i] = skeleton.size();
      found.node_of.push_back(i);
      skeleton.joints.push_back(
          {readable_name(nodes[i].node->mName.C_Str(), place), above, Vec3::Zero(), Quat::Identity()});
    } else {
      found.joint_of[i] = above;
    }
  }
  if (skeleton.size() > kMostJoints) {
    throw InputError(place, fmt::format("{} joints", skeleton.size()),
                     fmt::format("at most {}", kMostJoints));
  }
  return found;
}

using Transforms = std::vector<Eigen::Affine3d>;  // per node, to the world

// `local`: from a node to its parent.
template <class Local>
void to_world(const std::vector<Node>& nodes, Local local, Transforms& world) {
  world.resize(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    world[i] = nodes[i].parent < 0 ? local(nodes[i]) : world[nodes[i].parent] * local(nodes[i]);
  }
}

// A node below the last joint of a limb that is no joint itself marks the limb's end.
void find_ends(const std::vector<Node>& nodes, int root, const JointNodes& joints, const Transforms& world,
               Skeleton& skeleton) {
  for (std::size_t i = root + 1; i < nodes.size(); ++i) {
    const int parent = nodes[i].parent < root ? -1 : joints.joint_of[nodes[i].parent];
    if (parent < 0 || nodes[i].marked || nodes[i].marked_below > 0 || nodes[i].node->mNumMeshes > 0) continue;
    if (joints.node_of[parent] != nodes[i].parent || nodes[nodes[i].parent].marked_below > 1) continue;
    skeleton.ends.push_back({parent, world[i].translation() - world[nodes[i].parent].translation()});
  }
}

// Reads poses out of world transforms, and on the way where each joint is seen from its parent, which for a
// rigid bone is always the same.
class PoseReader {
 public:
  // `rest`: the transforms without animation.
  PoseReader(const Skeleton& skeleton, const std::vector<int>& node_of, const Transforms& rest,
             const std::string& place)
      : skeleton_(skeleton),
        node_of_(node_of),
        place_(place),
        turned_(node_of.size()),
        offsets_(node_of.size()) {
    for (std::size_t j = 0; j < node_of_.size(); ++j) {
      rest_.push_back(rotation_of(rest[node_of_[j]], place_));
      const int parent = skeleton_.joints[j].parent;
      at_rest_.push_back(parent < 0
                             ? Vec3(Vec3::Zero())
                             : Vec3(rest[node_of_[j]].translation() - rest[node_of_[parent]].translation()));
    }
  }

  // With rest rotations W0 taken out, joint axes are parallel to the world's at rest: B = W W0^-1.
  Pose read(const Transforms& world) {
    Pose pose;
    pose.rotations.resize(node_of_.size());
    pose.root_position = world[node_of_[0]].translation();
    for (std::size_t j = 0; j < node_of_.size(); ++j) {
      const Eigen::Affine3d& transform = world[node_of_[j]];
      if (!transform.matrix().allFinite() || transform.translation().norm() > kLargestNumber) {
        throw InputError(place_,
                         fmt::format("numbers without meaning at {}", quote(skeleton_.joints[j].name)),
                         "finite ones");
      }
      turned_[j] = rotation_of(transform, place_) * rest_[j].conjugate();
      const int parent = skeleton_.joints[j].parent;
      pose.rotations[j] = parent < 0 ? turned_[j] : turned_[parent].conjugate() * turned_[j];
      if (parent < 0) continue;
      const Vec3 offset =
          turned_[parent].conjugate() * (transform.translation() - world[node_of_[parent]].translation());
      offsets_[j].push_back(offset);
    }
    return pose;
  }

  // Gives the bones their mean offsets; those that were not rigid are left to interpret().
  void finish(Clip& clip) {
    double size = 0.0;
    for (int j = 1; j < clip.skeleton.size(); ++j) {
      Vec3 sum = Vec3::Zero();
      for (const Vec3& offset : offsets_[j]) sum += offset;
      clip.skeleton.joints[j].offset = sum / static_cast<double>(offsets_[j].size());
      size += 0.25 * clip.skeleton.joints[j].offset.norm();
    }
    for (int j = 1; j < clip.skeleton.size(); ++j) {
      const Vec3 mean = clip.skeleton.joints[j].offset;
      double squares = 0.0;
      for (const Vec3& offset : offsets_[j]) squares += (offset - mean).squaredNorm();
      if (squares > std::pow(0.003 * size, 2) * static_cast<double>(offsets_[j].size())) {
        clip.sliding.push_back({j, at_rest_[j], std::move(offsets_[j])});
      }
    }
  }

 private:
  const Skeleton& skeleton_;
  const std::vector<int>& node_of_;
  const std::string& place_;
  std::vector<Quat> rest_, turned_;
  std::vector<Vec3> at_rest_;               // from the parent joint, in the rest pose
  std::vector<std::vector<Vec3>> offsets_;  // per joint and pose
};

Clip convert(const aiScene& scene, const std::string& format,
             const std::optional<std::string>& animation_name, const std::string& place) {
  Clip clip;
  clip.source.format = format;
  if (!scene.mRootNode) throw InputError(place, "an empty scene", "a skeleton that moves");
  std::vector<Node> nodes = list_nodes(scene, place);
  const aiAnimation& animation = choose_animation(scene, animation_name, clip, place);
  mark_joints(nodes, scene, animation);
  const int root = find_skeleton_root(nodes);

  const KeyTimes times = key_times(nodes, place);
  const double ticks = animation.mTicksPerSecond > 0.0 ? animation.mTicksPerSecond : 25.0;
  clip.fps = sampling_rate(times, ticks, place);
  const JointNodes joints = find_joints(nodes, root, clip.skeleton, place);
  const double frame_count = std::floor((times.last - times.first) / ticks * clip.fps + 0.01) + 1;
  if (frame_count > kMostFrames || frame_count * clip.skeleton.size() > kMostRotations) {
    throw InputError(place, fmt::format("{:.0f} frames", frame_count), "at most a million");
  }

  Transforms world;
  to_world(
      nodes, [](const Node& node) { return to_eigen(node.node->mTransformation); }, world);
  find_ends(nodes, root, joints, world, clip.skeleton);
  PoseReader reader(clip.skeleton, joints.node_of, world, place);
  clip.frames.reserve(static_cast<std::size_t>(frame_count));
  for (int f = 0; f < frame_count; ++f) {
    const double time = times.first + f / clip.fps * ticks;
    to_world(
        nodes, [&](const Node& node) { return local_transform(node, time); }, world);
    clip.frames.push_back(reader.read(world));
  }
  reader.finish(clip);
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
                     const std::optional<std::string>& animation, const std::string& place) {
  if (!scene)
    throw InputError(place, fmt::format("cannot be read as {}: {}", ending, importer.GetErrorString()));
  return convert(*scene, format_of(ending), animation, place);
}

}  // namespace

Clip read_with_assimp(std::string_view bytes, const std::string& hint, const std::string& place,
                      const std::optional<std::string>& animation) {
  Assimp::Importer importer;
  configure(importer);
  return convert_or_fail(importer, importer.ReadFileFromMemory(bytes.data(), bytes.size(), 0, hint.c_str()),
                         hint, animation, place);
}

Clip read_with_assimp_file(const std::filesystem::path& path, const std::optional<std::string>& animation) {
  Assimp::Importer importer;
  configure(importer);
  const std::string ending = path.extension().string().substr(path.has_extension() ? 1 : 0);
  return convert_or_fail(importer, importer.ReadFile(path.string(), 0), ending, animation, path.string());
}

}  // namespace stunt
