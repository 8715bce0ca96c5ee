// What fit_actor works on: the parts of a body on their way from a skeleton to MJCF. Internal to actor/.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stunt/core/rotation.h"
#include "stunt/motion/clip.h"
#include "stunt/motion/roles.h"

namespace stunt {

enum class Part {
  pelvis,
  abdomen,
  chest,
  neck,
  head,
  clavicle,
  upper_arm,
  forearm,
  hand,
  thigh,
  shank,
  foot,
  toes
};

struct FitHinge {
  std::string name;     // added to the body's name, for example "_flexion"
  Vec3 axis;            // unit, in the body's axes
  double lower, upper;  // rad
};

// A ball joint, or one to three hinges; none for the root, which floats.
struct FitJoint {
  bool ball = false;
  double ball_range = 0;  // rad from the rest pose; 0: not limited
  std::vector<FitHinge> hinges;
};

struct FitGeom {
  enum class Shape { sphere, capsule, box } shape = Shape::sphere;
  enum class Use { body, sole, foot } use = Use::body;  // sole: a contact point; foot: not for the ground
  Vec3 from = Vec3::Zero(), to = Vec3::Zero();  // m, body axes: ends of a capsule; `from` alone is the centre
  double radius = 0;                            // m
  Vec3 half = Vec3::Zero();                     // m, box
  Quat rotation = Quat::Identity();             // box
};

struct FitSegment {
  Part part = Part::pelvis;
  Side side = Side::middle;
  std::optional<Role> role;
  std::string name;
  int joint = -1;                     // of the skeleton, whose frame the body carries
  int parent = -1;                    // segment
  Vec3 offset = Vec3::Zero();         // m, from the parent segment, in its axes
  Quat rest = Quat::Identity();       // relative to the parent segment
  Vec3 rest_position = Vec3::Zero();  // m, in the world, rest pose with the root where the skeleton has it
  Quat rest_rotation = Quat::Identity();
  Vec3 tip = Vec3::Zero();  // m, in the body's axes: the next joint, or where the limb ends
  std::vector<Quat> turns;  // per sampled frame: rotation from the rest pose, in the body's axes
  FitJoint movement;
  double mass = 0;                  // kg
  Vec3 com = Vec3::Zero();          // m, in the body's axes
  Mat3 inertia = Mat3::Identity();  // kg m^2, about the centre of mass, in the body's axes
  std::vector<FitGeom> geoms;

  Vec3 to_local(const Vec3& world_direction) const { return rest_rotation.conjugate() * world_direction; }
  Vec3 point_to_local(const Vec3& world) const { return to_local(world - rest_position); }
};

// The ground seen from a foot, in the foot's axes.
struct Sole {
  Vec3 up, forward, left;         // unit, at right angles
  double ankle_height = 0;        // m, of the ankle above the sole
  double ball_forward = 0;        // m, from the ankle to the ball of the foot, along the sole
  double toe_length = 0;          // m, from the ball to the tip of the toes, along the sole
  Quat toes = Quat::Identity();   // how the toes are turned from their rest pose while the foot stands
  Vec3 toe_axis = Vec3::UnitY();  // unit, in the toes' axes
  bool seen = false;              // the foot stands somewhere in the clip
  bool as_at_rest = false;        // it does not, and this is how it stands in the rest pose

  // A point on the sole: forward of the ankle and to the left (m), raised by `height`.
  Vec3 point(double ahead, double aside, double height) const {
    return ahead * forward + aside * left + (height - ankle_height) * up;
  }
};
struct Soles {
  Sole left, right;
};

// A clip's frames that the fit looks at: evenly spread, with the pose of the next frame for velocities.
struct SampledPoses {
  std::vector<JointTransforms> poses, next;
  double frame_time = 1.0 / 120.0;  // s
};
SampledPoses sample_poses(const Clip& clip);

// The joints that become bodies, parents before children (fit_segments.cc).
std::vector<FitSegment> choose_segments(const Clip& clip, const Roles& roles, const SampledPoses& samples,
                                        std::vector<std::string>& notes);
int find_segment(const std::vector<FitSegment>& segments, Role role);  // -1 where there is none
int find_segment(const std::vector<FitSegment>& segments, Part part, Side side);
int longest_child(const std::vector<FitSegment>& segments,
                  int segment);  // by its offset; -1 where there is none
std::vector<int> children_of(const std::vector<FitSegment>& segments, int segment);

// Stature (m) from the length of the legs (Winter 2009, table 4.1: thigh 0.245, shank 0.246 of it).
double estimate_height(const std::vector<FitSegment>& segments);

// The soles, from the frames in which the feet stand, or from the rest pose where that does (`rest_stands`), and the feet's
// contact points and shapes (fit_feet.cc).
Soles find_soles(const std::vector<FitSegment>& segments, const SampledPoses& samples, double height,
                 bool rest_stands);
void shape_feet(std::vector<FitSegment>& segments, const Soles& soles, double height);
// The toes' rest pose becomes the one in which they lie on the sole's plane.
void lay_toes_flat(std::vector<FitSegment>& segments, const Soles& soles);

// The joint of every segment, after what the clip does (fit_joints.cc).
void choose_joints(std::vector<FitSegment>& segments, const Soles& soles, std::vector<std::string>& notes);

// Masses, inertias and shapes (fit_bodies.cc); the shapes of the feet are made by shape_feet.
void give_masses(std::vector<FitSegment>& segments, double mass, double height);
void give_shapes(std::vector<FitSegment>& segments, double height);

// MJCF of the whole (fit_mjcf.cc).
std::string to_mjcf(const std::vector<FitSegment>& segments, const std::string& name, double mass,
                    double strength);

}  // namespace stunt
