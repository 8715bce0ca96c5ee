// The scene schema: these structs, their defaults and their comments. read_scene fills them from YAML; an
// unknown key is an error that lists the known ones. Units: m, s, kg, N; angles in the file in degrees, as
// the names say.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stunt/actor/variation.h"
#include "stunt/core/config.h"
#include "stunt/core/rotation.h"
#include "stunt/motion/edit/edit_list.h"

namespace stunt {

constexpr int kMostActors = 29;  // each has its own bit in the collision filter, see compile.cc

struct GroundSpec {
  bool present = true;
  double slope_deg = 0;      // positive: uphill along `direction_deg`
  double direction_deg = 0;  // 0 is +X, 90 is +Y
  double height = 0;         // m, at the origin
  double friction = 1.0;     // sliding
};

struct ContactSpec {
  std::string mode =
      "constraint";  // "constraint": the engine's own; "springs": penalty forces (engine ode only)
  double time_constant = 0.008;  // s, MuJoCo's solref: smaller is stiffer
  double stiffness = 75e3;       // N/m per contact point, mode springs
  double damping = 2e3;          // N s/m per contact point, mode springs
};

// Where a motion starts and how it is changed before it is followed.
struct MotionSpec {
  std::string source;  // built-in name or file
  bool loop = false;
  double start = 0;         // s into the motion
  double speed = 1;         // 2 is twice as fast
  std::vector<Edit> edits;  // carried out in this order, before all of the above; see motion/edit/edit_list.h
};

// What the controller believes of its character, as factors of what the character is: {legs_mass: 2,
// friction: 0.5}.
struct ModelSpec {
  Variation body;       // mass, legs_mass, left_leg_mass, upper_body_mass, inertia, foot_length
  double friction = 1;  // of the friction that the controller plans with
};

// What is simulated instead of the character as it is.
struct PlantSpec {
  Variation body;           // as above
  double friction = 1;      // of the friction between this actor and whatever it stands on
  double torque_noise = 0;  // standard deviation, as a part of each joint's torque, drawn at every step
  double sensor_delay = 0;  // s: state and contacts that the controller sees are that old (whole steps)
};

struct ActorSpec {
  std::string name;  // default: the motion's name
  MotionSpec motion;
  std::string character = "fit";      // "fit": made from the motion's skeleton; a built-in name; an MJCF file
  Config controller;                  // {type: pd, ...}: read by control/
  Eigen::Vector2d position = {0, 0};  // m, added to the motion's own
  double heading_deg = 0;             // turned about the motion's start
  double mass_kg = 0;                 // 0: from the character, or estimated
  PlantSpec plant;  // the motion, and what is made of it before the run, do not depend on it
  ModelSpec model;
};

struct ObjectSpec {
  std::string name;
  std::string shape = "box";     // box, sphere, capsule
  Vec3 size = {0.2, 0.2, 0.2};   // m: box edges; sphere: diameter; capsule: diameter, length between the caps
  Vec3 position = Vec3::Zero();  // m, of the centre
  Vec3 rotation_deg = Vec3::Zero();  // turns about x, then y, then z (world axes)
  bool fixed = false;
  double mass = 0;       // kg; 0: from the density
  double density = 300;  // kg/m^3
  double friction = 1.0;
};

// Moves whatever stands on it: position(t) = position + amplitude * sin(2 pi (t - start) / period) once t >
// start.
struct PlatformSpec {
  std::string name;
  Vec3 size = {2, 2, 0.1};  // m, edges; `position` is the centre of the top face
  Vec3 position = Vec3::Zero();
  Vec3 amplitude = {0.1, 0, 0};  // m
  double period = 2;             // s
  double start = 0;              // s; eased in over a quarter period
  double friction = 1.0;

  Vec3 offset(double t) const;    // m, from `position`
  Vec3 velocity(double t) const;  // m/s
};

struct SeesawSpec {
  std::string name;
  Vec3 size = {3, 1, 0.05};     // m, edges of the board
  Vec3 position = {0, 0, 0.2};  // m, of the pivot, at the board's centre
  double heading_deg = 0;       // 0: the board tips along X
  double limit_deg = 20;
  double mass = 30;    // kg
  double damping = 2;  // Nm s/rad
  double friction = 1.0;
};

// A force on a body for a while.
struct PushSpec {
  std::string actor;                 // default: the first
  std::string body = "chest";        // role or body name
  Vec3 force = Vec3::Zero();         // N, world axes
  double start = 0, duration = 0.2;  // s
  double every = 0;                  // s; 0: once
  int count = 1;                     // with `every`; 0: to the end
};

// Something thrown at somebody, aimed so that it would hit the body where it is now, gravity included.
struct ThrowSpec {
  std::string actor;             // at whom; default: the first
  std::string body = "chest";    // where to
  std::string shape = "sphere";  // sphere or box
  double size = 0.2;             // m, diameter or edge
  double mass = 0;               // kg; 0: from the density
  double density = 300;          // kg/m^3
  double speed = 6;              // m/s, at the start
  double distance = 3;           // m from the target
  double from_deg = 90;          // where it comes from, relative to the world: 0 from +X, 90 from +Y
  double height = 1.2;           // m above the ground, where it starts
  double start = 1, every = 0;   // s
  int count = 1;                 // with `every`; 0: to the end
  bool random = false;           // from_deg, height and body drawn anew each time, from the seed
};

struct Scene {
  std::string name = "scene";
  std::string engine = "mujoco";  // see `stunt engines`
  double timestep = 0.001;        // s
  double duration = 0;            // s; 0: until the longest motion ends
  std::uint64_t seed = 1;
  double gravity = 9.81;  // m/s^2, down
  GroundSpec ground;
  ContactSpec contact;
  std::vector<ActorSpec> actors;
  std::vector<ObjectSpec> objects;
  std::vector<PlatformSpec> platforms;
  std::vector<SeesawSpec> seesaws;
  std::vector<PushSpec> pushes;
  std::vector<ThrowSpec> throws;
};

// Reads a scene. `overrides` are "key=value" with dots and indices ("actors.0.controller.gain=2"), applied
// before reading. `place` names the text in errors. Throws InputError.
Scene read_scene(std::string_view yaml, const std::string& place,
                 const std::vector<std::string>& overrides = {});

// A built-in scene by its name, or a file by its path. Motions and characters named by relative paths are
// looked for beside the file.
Scene load_scene(const std::string& name_or_path, const std::vector<std::string>& overrides = {});

}  // namespace stunt
