// An immutable simulated character: bodies, joints, masses, shapes, contact points, strength, roles.
// It owns no state. Made from an MJCF file here; fit_actor (fit.h) makes one from a clip's skeleton.
#pragma once

#include <mujoco/mujoco.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "stunt/core/rotation.h"
#include "stunt/motion/roles.h"

namespace stunt {

enum class JointType { free, ball, hinge, slide };

// Coordinates follow MuJoCo: `q` holds a free root as position + quaternion (w x y z), a ball joint as quaternion,
// hinge and slide as one number; `v` holds 6, 3, 1, 1 numbers. A free root's linear velocity is in world axes, its
// angular velocity in body axes; a ball joint's angular velocity is in the child's axes.
struct ActorJoint {
  std::string name;
  JointType type;
  int body;       // the body it moves
  int q_address;  // first index in q
  int v_address;  // first index in v
  int dofs;       // 6, 3, 1, 1
  Vec3 axis;      // hinge, slide: in the body's axes
  Vec3 anchor;    // m, in the body's axes
  bool limited;
  double lower, upper;  // rad or m; ball: upper is the largest angle from the rest pose
  double torque_limit;  // Nm (N for slide), per axis
};

struct ActorBody {
  std::string name;
  int parent;       // -1 for the root
  int first_joint;  // joints of a body are consecutive
  int joint_count;
  Vec3 offset;            // m, from the parent body's origin, in the parent's axes, at the rest pose
  Quat rest;              // rotation relative to the parent at the rest pose
  double mass;            // kg
  Vec3 com;               // m, in the body's axes
  Mat3 inertia;           // kg m^2, about the centre of mass, in the body's axes
  bool attached = false;  // held or worn (attachment.h), not of the character's own body
};

// First user number of an attached body in MJCF: so a file says which bodies are no parts of the character.
constexpr double kAttachmentMark = 7261;

// A place on a foot that can carry load: a sphere of this radius about a point fixed to the body.
struct ContactPoint {
  int body;
  Vec3 position;  // m, in the body's axes
  double radius;  // m
  bool left;      // which foot
};

struct ModelDeleter {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
};
struct SpecDeleter {
  void operator()(mjSpec* spec) const { mj_deleteSpec(spec); }
};
struct DataDeleter {
  void operator()(mjData* data) const { mj_deleteData(data); }
};
using ModelPtr = std::unique_ptr<mjModel, ModelDeleter>;
using SpecPtr = std::unique_ptr<mjSpec, SpecDeleter>;
using DataPtr = std::unique_ptr<mjData, DataDeleter>;

class Actor {
 public:
  // Reads an MJCF file: the first body with a free joint and all below it. Motors give the torque limits
  // (gear times control range), body names the roles. Throws InputError.
  static std::shared_ptr<const Actor> from_file(const std::filesystem::path& path);
  static std::shared_ptr<const Actor> from_xml(std::string_view xml, const std::string& name,
                                               const std::string& place);
  // The same from a parsed file, which is compiled.
  static std::shared_ptr<const Actor> from_spec(mjSpec& spec, const std::string& name,
                                                const std::string& place);
  // A built-in character by its name, or a file by its path.
  static std::shared_ptr<const Actor> load(const std::string& name_or_path);

  const std::string& name() const { return name_; }
  const std::string& xml() const { return xml_; }   // MJCF of this actor alone, opens in any MuJoCo viewer
  const mjModel& model() const { return *model_; }  // the actor alone: body i here is model body i + 1

  int nq() const { return static_cast<int>(model_->nq); }
  int nv() const { return static_cast<int>(model_->nv); }
  const std::vector<ActorBody>& bodies() const { return bodies_; }
  const std::vector<ActorJoint>& joints() const { return joints_; }
  const std::vector<ContactPoint>& contact_points() const { return contact_points_; }
  const VecX& torque_limits() const { return torque_limits_; }  // per v index; 0 on the free root
  double mass() const { return mass_; }                         // kg
  double gravity() const { return -model_->opt.gravity[2]; }    // m/s^2, down
  int body(Role role) const { return roles_[role]; }            // -1 where there is none
  // The leading entries of v that no motor drives: 6 for a free root, 0 for one fixed to the world.
  int root_dofs() const { return root_dofs_; }
  bool has_free_root() const { return joints_[0].type == JointType::free; }
  int find_part(
      std::string_view role_or_name) const;    // a body by its role ("chest") or name; -1 where there is none
  int find_body(std::string_view name) const;  // -1 where there is none
  bool is_foot(int body) const;                // left or right foot or toes
  bool is_hand(int body) const;                // or held by one
  const VecX& rest_q() const { return rest_q_; }

 private:
  std::string name_, xml_;
  ModelPtr model_;
  std::vector<ActorBody> bodies_;
  std::vector<ActorJoint> joints_;
  std::vector<ContactPoint> contact_points_;
  VecX torque_limits_, rest_q_;
  double mass_ = 0;
  int root_dofs_ = 0;
  Roles roles_;
};
using ActorPtr = std::shared_ptr<const Actor>;

// q moved along v for dt: MuJoCo's tangent space, quaternions by the exponential map.
void integrate(const Actor& actor, const VecX& q, const VecX& v, double dt, VecX& out);
// The v that takes `from` to `to` in one second.
void difference(const Actor& actor, const VecX& from, const VecX& to, VecX& out);

}  // namespace stunt
