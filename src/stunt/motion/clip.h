// A recorded motion: a skeleton and its sampled poses, as the file had them, in metres, Z up, X forward.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stunt/core/rotation.h"
#include "stunt/motion/roles.h"

namespace stunt {

// What a file may ask for at most: a broken one must not fill the memory.
constexpr int kMostJoints = 1000;
constexpr int kMostFrames = 1'000'000;
constexpr double kLongestMotion = 900.0;    // s
constexpr int kMostRotations = 15'000'000;  // frames times joints: half a GB of poses

constexpr std::size_t kLongestName = 200;  // bytes, of a joint or an animation

constexpr double kUsualHeight = 1.75;  // m, of the person a file says nothing about

struct SkeletonJoint {
  std::string name;
  int parent = -1;               // index of the parent joint, always smaller than the own; -1 for the root
  Vec3 offset = Vec3::Zero();    // m, from the parent joint, in the parent's axes; zero for the root
  Quat rest = Quat::Identity();  // local rotation in the rest pose (identity for BVH)
};

// Where a limb ends ("End Site" in BVH): the tip of the toes, the top of the head.
struct SkeletonEnd {
  int joint;
  Vec3 offset;  // m, in the joint's axes
};

struct Skeleton {
  std::vector<SkeletonJoint> joints;  // joints[0] is the root
  std::vector<SkeletonEnd> ends;
  // Local rotations of a pose in which the body stands upright and faces x, found in the motion where the rest
  // pose is folded or lies; empty: the rest pose stands.
  std::vector<Quat> stance;
  std::optional<Roles> roles;  // as the import found them; empty: recognise_roles looks at names and shape

  int size() const { return static_cast<int>(joints.size()); }
  int find(const std::string& name) const;  // -1 when there is none
};

// How the file wrote its numbers, so that the result can go back the way the motion came.
struct SourceFormat {
  std::string format = "bvh";        // bvh, asf/amc, deepmimic, amass, fbx, gltf
  double unit_m = 1.0;               // metres per file unit
  std::string up_axis = "z";         // "y", "z", "x", "-y", ...
  Quat to_stunt = Quat::Identity();  // rotation from the file's axes to ours
  std::optional<double> floor_m;     // height of a level floor, where somebody said it
  // BVH: the channels of each joint, as letters: "xyz" lower case for positions, "ZYX" upper case for
  // rotations, in the file's order ("xyzZYX" for a usual root). Empty: the writer chooses.
  std::vector<std::string> channels;
};

// A joint that is moved against its parent, instead of only turned: its place in each frame.
struct SlidingJoint {
  int joint;
  Vec3 rest;                  // where the skeleton has it
  std::vector<Vec3> offsets;  // in the unit and axes of SkeletonJoint::offset, which is their median
};

// One sampled pose: the root's position and every joint's rotation relative to its parent (the root's: to the
// world).
struct Pose {
  Vec3 root_position = Vec3::Zero();
  std::vector<Quat> rotations;  // one per joint
};

struct Clip {
  std::string name;
  Skeleton skeleton;
  double fps = 120.0;
  std::vector<Pose> frames;
  std::vector<SlidingJoint> sliding;  // what a reader found; interpret() settles and empties it
  SourceFormat source;
  std::vector<std::string> animations;  // of a file with several: "Walk (1.93 s)", in the file's order
  bool loops = false;               // the last frame flows into the first (root displacement carries over)
  bool rest_frame_dropped = false;  // a T-pose stood before the motion and was taken away
  std::vector<std::string> notes;   // what was assumed or repaired on the way in, one sentence each
  std::vector<std::string> warnings;

  int frame_count() const { return static_cast<int>(frames.size()); }
  // s, from the first to the last frame
  double duration() const { return frames.size() < 2 ? 0.0 : static_cast<double>(frames.size() - 1) / fps; }
};

// World transforms of all joints in a pose.
struct JointTransforms {
  std::vector<Vec3> positions;
  std::vector<Quat> rotations;
};
void forward_kinematics(const Skeleton& skeleton, const Pose& pose, JointTransforms& out);

// The pose of the rest rotations, and the one in which the body stands (Skeleton::stance), root at the origin.
Pose rest_pose(const Skeleton& skeleton);
Pose standing_pose(const Skeleton& skeleton);

// The pose at time t (s, clamped to the clip), rotations by slerp, positions linearly.
Pose sample(const Clip& clip, double t);

}  // namespace stunt
