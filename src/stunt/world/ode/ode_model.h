// A compiled scene as ODE bodies, joints and shapes, and the translation between their state and MuJoCo's q
// and v.
#pragma once

#include <ode/ode.h>

#include <span>
#include <vector>

#include "stunt/world/scene/compiled_scene.h"

namespace stunt {

// ODE is initialised once per process and once per thread; call before any other use of ODE in a thread.
void use_ode_in_this_thread();

inline Vec3 ode_vec(const dReal* p) { return Vec3(p[0], p[1], p[2]); }
inline Quat ode_quat(const dReal* p) { return Quat(p[0], p[1], p[2], p[3]); }

// One ODE body and the joint that ties it to its parent. Its axes are those of the scene body, its origin is
// the centre of mass, as ODE wants it. A scene body is one link, or several when its joints are more than one
// ODE joint can be: then the links before the last are small bodies between the joints.
struct OdeLink {
  // hinges: 1 is an ODE hinge, 2 (perpendicular) an ODE universal joint, 3 an ODE ball joint
  enum class Type { free, ball, hinges, slide, platform };
  Type type;
  int scene_body;
  int parent;                  // link, -1: the world
  int first_joint, joints;     // of the MuJoCo model
  bool own_limits;             // ODE has no stops for this joint: limits are spring torques of ours
  Vec3 com;                    // m, in the scene body's axes
  Quat rest;                   // rotation relative to the parent link where all joints are at rest
  Vec3 anchor, parent_anchor;  // m, of the joint, in this link and in the parent link
  double mass;                 // kg
  Mat3 inertia;                // kg m^2, with what stands for armature
  Mat3 joint_inertia;          // kg m^2, of the link about the anchor, its axes
  double least_inertia;        // kg m^2, the smallest principal value of that
  dBodyID body;
  dJointID joint;  // null: free, platform
};

struct OdeGeom {
  dGeomID id;
  int link;  // -1: fixed to the world
  int scene_body;
  double radius;  // m, of a sphere about the geom's position that holds it; infinite for a plane
};

// Two geoms that may collide; the first belongs to a link.
struct OdePair {
  int first, second;
  double friction;
  double time_constant;  // s, of the contact's spring and damper
};

class OdeModel {
 public:
  explicit OdeModel(std::shared_ptr<const CompiledScene> scene);
  ~OdeModel();
  OdeModel(const OdeModel&) = delete;
  OdeModel& operator=(const OdeModel&) = delete;

  const CompiledScene& scene() const { return *scene_; }
  const mjModel& model() const { return *scene_->model; }
  dWorldID world() const { return world_; }
  const std::vector<OdeLink>& links() const { return links_; }
  const std::vector<OdeGeom>& geoms() const { return geoms_; }
  const std::vector<OdePair>& pairs() const { return pairs_; }

  // The link that carries a scene body (-1: the world), and the body's place on it.
  int link_of(int body) const { return places_[static_cast<std::size_t>(body)].link; }
  Vec3 position(int body) const;
  Quat rotation(int body) const;

  Vec3 link_position(int link) const;  // of the centre of mass; zero for the world
  Quat link_rotation(int link) const;
  Vec3 link_velocity(int link) const;
  Vec3 link_angular_velocity(int link) const;
  Vec3 velocity_at(int link, const Vec3& world_point) const;
  Vec3 world_anchor(int link) const;

  void set_state(std::span<const double> q, std::span<const double> v);
  // `q` comes with the values of the step before: angles and quaternions go on from there.
  void read_state(std::span<double> q, std::span<double> v) const;

  // The axes of a link's hinges at the angles in q, world axes, one column each; columns beyond the last are
  // zero.
  Mat3 hinge_axes(const OdeLink& link, std::span<const double> q) const;
  // The torque between parent and link that does the same work as the hinges' generalised forces Q: the
  // smallest T with axes^T T = Q.
  Vec3 hinge_torque(const OdeLink& link, std::span<const double> q, const double* Q) const;

 private:
  struct Place {
    int link;
    Vec3 offset;  // m, of the body's origin in the link's axes, from its centre of mass
    Quat turn;    // body axes to link axes
  };
  struct Mass {
    double mass;
    Vec3 com;
    Mat3 inertia;
  };

  void add_links(int body, const mjData& rest);
  Mass weld_mass(int root, const mjData& rest) const;
  void add_joint(OdeLink& link, const mjData& rest);
  void set_stops(const OdeLink& link);
  void add_geoms();
  void add_pairs();
  Vec3 joint_axis(int joint) const;
  double armature(int first_joint, int joints, int body) const;

  std::shared_ptr<const CompiledScene> scene_;
  dWorldID world_;
  dThreadingImplementationID threading_;
  std::vector<OdeLink> links_;
  std::vector<OdeGeom> geoms_;
  std::vector<OdePair> pairs_;
  std::vector<Place> places_;  // per scene body
};

}  // namespace stunt
