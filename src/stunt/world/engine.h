// A physics engine: a black box that holds a compiled scene. No controller may know which engine runs.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "stunt/core/rotation.h"
#include "stunt/world/scene/compiled_scene.h"

namespace stunt {

struct Contact {
  int body1, body2;  // scene bodies (0 is the world)
  Vec3 point;        // m
  Vec3 normal;       // unit, from body1 to body2
  Vec3 force;        // N, on body2, world axes
  double depth;      // m, positive when they overlap
  int grip = -1;  // of CompiledScene::grips, where a hand (body2) holds body1: this one pulls, too; else -1
};

struct Wrench {
  Vec3 force, torque;  // N, Nm, world axes
};

// A grip as an engine remembers it.
struct GripState {
  bool closed = false;
  Vec3 on_hand = Vec3::Zero(), on_object = Vec3::Zero();  // m, in the bodies' axes
};
void append_grips(const std::vector<GripState>& grips, std::vector<double>& values);
const double* take_grips(const double* from, std::vector<GripState>& grips);  // returns what follows

// Everything an engine needs to go on from here, bit for bit.
struct Snapshot {
  std::vector<double> values;
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string name() const = 0;
  virtual const CompiledScene& scene() const = 0;

  // --- state (whole scene, MuJoCo's layout; see actor.h) -----------------------------------------------
  virtual double time() const = 0;                // s
  virtual std::span<const double> q() const = 0;  // scene().model->nq
  virtual std::span<const double> v() const = 0;  // scene().model->nv
  virtual void set_state(std::span<const double> q, std::span<const double> v) = 0;
  // Puts a free body (a ball) somewhere with a velocity; linear and angular in world axes.
  virtual void place_free_body(int body, const Vec3& position, const Quat& rotation, const Vec3& velocity,
                               const Vec3& angular_velocity) = 0;
  virtual Vec3 body_position(int body) const = 0;  // m, of the body's origin
  virtual Quat body_rotation(int body) const = 0;
  virtual Vec3 body_velocity_at(int body, const Vec3& world_point) const = 0;  // m/s

  // --- inputs of the next step; all are forgotten when it is done ---------------------------------------
  // Generalised forces on the joints, scene().model->nv numbers. Entries of free roots are allowed and mean an
  // external force (linear, world axes) and torque (body axes): unphysical help, for pedestal and assist.
  virtual std::span<double> joint_forces() = 0;
  virtual void apply_force(int body, const Vec3& force, const Vec3& world_point) = 0;  // N
  virtual void apply_torque(int body, const Vec3& torque) = 0;                         // Nm, world axes
  void apply_impulse(int body, const Vec3& impulse, const Vec3& world_point) {         // N s
    apply_force(body, impulse / timestep(), world_point);
  }

  // A grip holds a place on the hand and a place on the object together (each in its body's axes, m) from the next step
  // on, until it is opened; closed again, it is moved. Which body turns about the point, and how, is left to the joints.
  // Throws RunError where the engine has none.
  virtual void close_grip(int grip, const Vec3& on_hand, const Vec3& on_object);
  virtual void open_grip(int grip);

  virtual double timestep() const = 0;  // s
  virtual void step() = 0;              // platforms follow their prescribed motion

  // --- results of the last step ---------------------------------------------------------------------------
  virtual std::span<const Contact> contacts() = 0;
  // What the body's parent exerts on it through the joint (constraint and applied torque together), at the joint's
  // anchor (the body's origin for a free root: zero).
  virtual Wrench joint_reaction(int body) = 0;

  // m/s^2, world axes, of the body's centre of mass; 0 at rest.
  virtual Vec3 body_acceleration(int body) = 0;

  virtual Snapshot save() const = 0;
  virtual void restore(const Snapshot& snapshot) = 0;
};

// One of engines(). Throws InputError for another name.
std::unique_ptr<Engine> make_engine(const std::string& name, std::shared_ptr<const CompiledScene> scene);

struct EngineInfo {
  std::string name, description;
};
std::vector<EngineInfo> engines();

}  // namespace stunt
