// The physical surroundings of a scene: engine, ground, contact, objects. Each struct is described once (core/settings.h):
// what is said there is the schema of the scene file. Units: m, s, kg, N; angles in degrees, as the names say.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "stunt/core/rotation.h"
#include "stunt/core/settings.h"

namespace stunt {

struct GroundSpec {
  bool present = true;
  double slope_deg = 0;
  double direction_deg = 0;
  double height = 0;
  double friction = 1.0;
  double restitution = 0;

  double height_at(double x, double y) const;  // m, of the plane
};
void describe(Fields& fields, GroundSpec& ground);

struct ContactSpec {
  std::string mode = "constraint";
  double time_constant = 0.008;
  double stiffness = 75e3;
  double damping = 2e3;
};
void describe(Fields& fields, ContactSpec& contact);

// What makes a sphere a ball that bounces (world/bouncing.h).
struct BallTraits {
  bool bounces = false;
  bool hollow = false;
  double drag = 0;
  bool operator==(const BallTraits&) const = default;
};
void describe(Fields& fields, BallTraits& ball);

struct ObjectSpec {
  std::string name;
  std::string shape = "box";
  Vec3 size = {0.2, 0.2, 0.2};
  std::optional<Eigen::Vector2d> plates = {};  // m: diameter and width of a disc at each end: a barbell
  Vec3 position = Vec3::Zero();
  Vec3 rotation_deg = Vec3::Zero();
  bool fixed = false;
  double mass = 0;
  double density = 300;
  double friction = 1.0;
  double restitution = 0;
  BallTraits ball = {};
  std::optional<Vec3> hangs_from = {};
  double swing_damping = 2;
};
void describe(Fields& fields, ObjectSpec& object);

// Moves whatever stands on it: position(t) = position + amplitude * sin(2 pi (t - start) / period) once t > start,
// eased in over a quarter period.
struct PlatformSpec {
  std::string name;
  Vec3 size = {2, 2, 0.1};
  Vec3 position = Vec3::Zero();
  Vec3 amplitude = {0.1, 0, 0};
  double period = 2;
  double start = 0;
  double friction = 1.0;

  Vec3 offset(double t) const;    // m, from `position`
  Vec3 velocity(double t) const;  // m/s
};
void describe(Fields& fields, PlatformSpec& platform);

struct SeesawSpec {
  std::string name;
  Vec3 size = {3, 1, 0.05};
  Vec3 position = {0, 0, 0.2};
  double heading_deg = 0;
  double limit_deg = 20;
  double mass = 30;
  double damping = 2;
  double friction = 1.0;
};
void describe(Fields& fields, SeesawSpec& seesaw);

// A hand that holds something: from when it first reaches it until it lets go, or is pulled open.
struct GripSpec {
  std::string actor;
  std::string body = "right_hand";
  std::string object;
  double from = 0;
  std::optional<double> to = {};
  double strength = 1500;
  double reach = 0.15;
};
void describe(Fields& fields, GripSpec& grip);

struct Environment {
  std::string name = "scene";
  std::string engine = "mujoco";
  double timestep = 0.001;
  double gravity = 9.81;
  GroundSpec ground;
  ContactSpec contact;
  std::vector<ObjectSpec> objects;
  std::vector<PlatformSpec> platforms;
  std::vector<SeesawSpec> seesaws;
  std::vector<GripSpec> grips;
};

// Names of actors and objects become names of bodies: each may be used once. One that nobody gave is made from
// `fallback`.
class Names {
 public:
  void take(Fields& fields, std::string& name, const std::string& fallback);

 private:
  std::set<std::string> taken_;
};

// In two parts, because a scene has its actors between them.
void describe_physics(Fields& fields, Environment& environment);
void describe_objects(Fields& fields, Environment& environment, Names& names);

// Bounds that more than one struct needs.
constexpr double kFar = 1e4;  // m: everything happens within 10 km
Limit mass_bounds();          // kg; 0: from the density
Limit density_bounds();       // kg/m^3
Limit length_bounds();        // m
Limit friction_bounds();
Limit angle_bounds();  // deg

}  // namespace stunt
