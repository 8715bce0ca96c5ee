// A scene: who acts, in which surroundings, driven by which controller, disturbed by what. Described once
// (core/settings.h), read from YAML and written back with every default filled in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "stunt/actor/attachment.h"
#include "stunt/actor/variation.h"
#include "stunt/control/controllers.h"
#include "stunt/control/fall/falling.h"
#include "stunt/simulate/scene/motion_spec.h"
#include "stunt/simulate/scene/routine_spec.h"
#include "stunt/world/scene/environment.h"

namespace stunt {

// What the controller believes of its character, as factors of what the character is.
struct ModelSpec {
  Variation body;
  double friction = 1;
};
void describe(Fields& fields, ModelSpec& model);

// What is simulated instead of the character as it is.
struct PlantSpec {
  Variation body;
  double friction = 1;
  double torque_noise = 0;
  double motor_noise = 0;
  double sensor_delay = 0;
};
void describe(Fields& fields, PlantSpec& plant);

struct ActorSpec {
  std::string place;  // in the scene's file, for errors: "boxers.yaml:7: actors.0"; empty where there is none
  std::string name;
  MotionSpec motion;
  std::string character = "fit";
  ControllerSpec controller;
  FallingSpec falling;
  RoutineSpec routine;
  Eigen::Vector2d position = {0, 0};
  double heading_deg = 0;
  double mass_kg = 0;
  bool self_collision = false;
  std::vector<Attachment> attach;
  std::string when =
      "always";     // or contact: played as its motion until something touches it (Simulation::Playing)
  PlantSpec plant;  // the motion, and what is made of it before the run, do not depend on it
  ModelSpec model;
};

// A force on a body for a while.
struct PushSpec {
  std::string actor;
  std::string body = "chest";
  Vec3 force = Vec3::Zero();
  double start = 0, duration = 0.2;
  double every = 0;
  int count = 1;
  bool random = false;
};

// Something thrown at somebody, aimed so that it would hit the body where it is now, gravity included.
struct ThrowSpec {
  std::string actor;
  std::string body = "chest";
  std::string shape = "sphere";
  double size = 0.2;
  double mass = 0;
  double density = 300;
  BallTraits ball = {};
  std::optional<Vec3> position = {}, velocity = {};  // m, m/s: both, and nobody is aimed at
  double speed = 6;
  double distance = 3;
  double from_deg = 90;
  double height = 1.2;
  double start = 1, every = 0;
  int count = 1;
  bool any_side = false;
  bool random = false;
};

// A hand that the scene moves: it comes from a side towards a body, as far as its strength goes, and draws back.
struct PokeSpec {
  std::string actor;
  std::string body = "head";
  double from_deg = 90;
  double speed = 2;
  double reach = 0.05;
  double force = 150;
  double start = 1, every = 0;
  int count = 1;
};

// What changes a run from outside, between two steps. The run and its commands together repeat bit for bit.
struct SetCommand {  // one setting of a character's controller
  std::string actor, key, value;
};
struct MotionCommand {  // another motion, from where the character is now
  std::string actor;
  MotionSpec motion;
  double blend = 0.3;  // s
};
struct ControllerCommand {  // another controller
  std::string actor;
  ControllerSpec controller;
};
struct ResetCommand {  // back to where it started, its clock at zero
  std::string actor;
};
struct PlayCommand {  // a segment of a character's routine, at once
  std::string actor;
  PlayOrder order;
};
struct EditCommand {  // of the motion, from now on; its times count from then
  std::string actor;
  Edit edit;
  double blend = 0.3;  // s
};
struct Command {
  double at = 0;  // s
  std::variant<PushSpec, ThrowSpec, SetCommand, MotionCommand, ControllerCommand, ResetCommand, PlayCommand,
               PokeSpec, EditCommand>
      what;
};

// A file that a scene was made from, as it was then.
struct SourceFile {
  std::string path;
  std::string hash;  // of its bytes
};

struct Scene : Environment {
  double duration = 0;
  std::uint64_t seed = 1;
  std::vector<ActorSpec> actors;
  std::vector<PushSpec> pushes;
  std::vector<ThrowSpec> throws;
  std::vector<PokeSpec> pokes;
  std::vector<Command> commands;
  std::vector<SourceFile> files;  // what must not have changed; empty: nothing is checked
};
void describe(Fields& fields, Scene& scene);

// Reads a scene. `overrides` are "key=value" with dots and indices ("actors.0.controller.gain=2"), applied
// before reading. `place` names the text in errors. Throws InputError.
Scene read_scene(std::string_view yaml, const std::string& place,
                 const std::vector<std::string>& overrides = {});

// A built-in scene by its name, or a file by its path. Motions and characters named by relative paths are
// looked for beside the file.
Scene load_scene(const std::string& name_or_path, const std::vector<std::string>& overrides = {});

// The scene as YAML, every default filled in, paths made absolute, with the hashes of all files it was made from: read
// back, it makes the same run, or says which file has changed.
std::string write_scene(const Scene& scene);

// Throws InputError when a file of Scene::files is gone or has changed.
void check_files(const Scene& scene);

}  // namespace stunt
