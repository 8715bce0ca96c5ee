#include "stunt/world/scene/environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stunt/actor/shape.h"
#include "stunt/world/engine.h"

namespace stunt {

Limit mass_bounds() { return between(0, 1e6); }
Limit density_bounds() { return above_to(0, 1e5); }
Limit length_bounds() { return above_to(0, 1e3); }
Limit friction_bounds() { return between(0, 100); }
Limit angle_bounds() { return between(-1e6, 1e6); }

namespace {
void describe_restitution(Fields& fields, double& restitution) {
  fields("restitution", restitution,
         {.bounds = between(0, 1), .help = "speed a bouncing ball leaves it with, of that it came with"});
}
}  // namespace

void describe(Fields& fields, GroundSpec& ground) {
  fields("present", ground.present, {.help = "no: nothing to stand on but objects, platforms and seesaws"});
  fields("slope_deg", ground.slope_deg,
         {.unit = "deg", .bounds = between(-60, 60), .help = "positive: uphill along direction_deg"});
  fields("direction_deg", ground.direction_deg,
         {.unit = "deg", .bounds = angle_bounds(), .help = "where the slope rises: 0 is +X, 90 is +Y"});
  fields("height", ground.height, {.unit = "m", .bounds = between(-kFar, kFar), .help = "at the origin"});
  fields("friction", ground.friction, {.bounds = friction_bounds(), .help = "sliding; 0 is ice"});
  describe_restitution(fields, ground.restitution);
}

void describe(Fields& fields, ContactSpec& contact) {
  fields("mode", contact.mode,
         {.help = "constraint: the engine's own; springs: penalty forces (engine ode; engine penalty has "
                  "nothing else)",
          .choices = {"constraint", "springs"}});
  fields("time_constant", contact.time_constant,
         {.unit = "s",
          .bounds = between(1e-4, 1),
          .help = "MuJoCo's solref: smaller is stiffer; mode constraint"});
  fields("stiffness", contact.stiffness,
         {.unit = "N/m", .bounds = above(0), .help = "per contact point, mode springs or engine penalty"});
  fields(
      "damping", contact.damping,
      {.unit = "N s/m", .bounds = at_least(0), .help = "per contact point, mode springs or engine penalty"});
}

void describe(Fields& fields, ObjectSpec& object) {
  fields("name", object.name, {.help = "default: object, object2, ..."});
  describe_shape(fields, object.shape, object.size);
  fields(
      "plates", object.plates,
      {.unit = "m",
       .bounds = above_to(0, 10),
       .help = "diameter and width of a disc at each end of a capsule or cylinder: a barbell; open: none"});
  const bool bar = object.shape == "capsule" || object.shape == "cylinder";
  fields.require(!object.plates || (bar && 2 * object.plates->y() < object.size.y()), "plates",
                 bar ? "plates as wide as the bar is long" : "plates on a " + object.shape,
                 "a capsule or cylinder longer than both");
  fields("position", object.position, {.unit = "m", .bounds = between(-kFar, kFar), .help = "of the centre"});
  fields("rotation_deg", object.rotation_deg,
         {.unit = "deg", .bounds = angle_bounds(), .help = "turns about x, then y, then z (world axes)"});
  fields("fixed", object.fixed, {.help = "yes: it never moves, and counts as ground"});
  fields("mass", object.mass, {.unit = "kg", .bounds = mass_bounds(), .help = "0: from the density"});
  fields("density", object.density,
         {.unit = "kg/m^3", .bounds = density_bounds(), .help = "where mass is 0"});
  fields("friction", object.friction, {.bounds = friction_bounds(), .help = "sliding"});
  describe_restitution(fields, object.restitution);
  describe(fields, object.ball);
  fields.require(!object.ball.bounces || (object.shape == "sphere" && !object.fixed), "bounces",
                 object.fixed ? "a fixed object that bounces" : "a " + object.shape + " that bounces",
                 "a sphere that is not fixed");
  fields("hangs_from", object.hangs_from,
         {.unit = "m",
          .bounds = between(-kFar, kFar),
          .help = "it swings about this point, on a rod without mass; open: it is free"});
  fields.require(!object.plates || !object.hangs_from, "plates", "plates on something that hangs",
                 "one or the other");
  fields("swing_damping", object.swing_damping,
         {.unit = "Nm s/rad", .bounds = at_least(0), .help = "of what hangs"});
  fields.require(!object.hangs_from || !(object.fixed || object.ball.bounces), "hangs_from",
                 object.fixed ? "a fixed object that hangs" : "a bouncing ball that hangs",
                 "one or the other");
}

void describe(Fields& fields, BallTraits& ball) {
  fields("bounces", ball.bounces,
         {.help = "a ball: it leaves what it meets with that one's restitution; spheres only"});
  fields("hollow", ball.hollow, {.help = "all its mass in its skin"});
  fields("drag", ball.drag,
         {.bounds = between(0, 10), .help = "air drag coefficient, 0.4 for a smooth ball; 0: none"});
  fields.require(ball.bounces || !(ball.drag > 0), "drag", "drag on something that does not bounce",
                 "bounces: true with it");
}

void describe(Fields& fields, PlatformSpec& platform) {
  fields("name", platform.name, {.help = "default: platform, platform2, ..."});
  fields("size", platform.size, {.unit = "m", .bounds = length_bounds(), .help = "edges"});
  fields("position", platform.position,
         {.unit = "m", .bounds = between(-kFar, kFar), .help = "of the centre of the top face"});
  fields("amplitude", platform.amplitude,
         {.unit = "m", .bounds = between(-100, 100), .help = "how far it moves to either side"});
  fields("period", platform.period,
         {.unit = "s", .bounds = between(0.05, kFar), .help = "of one swing to and fro"});
  fields("start", platform.start,
         {.unit = "s", .bounds = at_least(0), .help = "when it begins, eased in over a quarter period"});
  fields("friction", platform.friction, {.bounds = friction_bounds(), .help = "sliding"});
}

void describe(Fields& fields, SeesawSpec& seesaw) {
  fields("name", seesaw.name, {.help = "default: seesaw, seesaw2, ..."});
  fields("size", seesaw.size, {.unit = "m", .bounds = length_bounds(), .help = "edges of the board"});
  fields("position", seesaw.position,
         {.unit = "m", .bounds = between(-kFar, kFar), .help = "of the pivot, at the board's centre"});
  fields("heading_deg", seesaw.heading_deg,
         {.unit = "deg", .bounds = angle_bounds(), .help = "0: the board tips along X"});
  fields("limit_deg", seesaw.limit_deg,
         {.unit = "deg", .bounds = above_to(0, 80), .help = "how far it tips to either side"});
  fields("mass", seesaw.mass, {.unit = "kg", .bounds = above_to(0, 1e6), .help = "of the board"});
  fields("damping", seesaw.damping, {.unit = "Nm s/rad", .bounds = at_least(0), .help = "of the pivot"});
  fields("friction", seesaw.friction, {.bounds = friction_bounds(), .help = "sliding"});
}

void describe(Fields& fields, GripSpec& grip) {
  fields("body", grip.body, {.help = "role or body name of what holds"});
  fields("object", grip.object, {.help = "name of an object, platform or seesaw that is held"});
  fields.require(!grip.object.empty(), "object", "nothing to hold", "the name of an object of the scene");
  fields("from", grip.from,
         {.unit = "s", .bounds = between(0, 1e6), .help = "it closes from then on, once within reach"});
  fields("to", grip.to, {.unit = "s", .bounds = between(0, 1e6), .help = "it lets go; open: never"});
  fields.require(!grip.to || *grip.to > grip.from, "to",
                 fmt::format("{} s, not after 'from' ({} s)", grip.to.value_or(0), grip.from),
                 "a time after 'from'");
  fields("strength", grip.strength,
         {.unit = "N", .bounds = above_to(0, 1e6), .help = "a pull stronger than this opens it"});
  fields("reach", grip.reach,
         {.unit = "m", .bounds = above_to(0, 2), .help = "between palm and object, where it can close"});
}

void Names::take(Fields& fields, std::string& name, const std::string& fallback) {
  const bool given = fields.given("name");
  fields.require(
      !given || !(name.empty() || name.size() > 60 || name.find('/') != std::string::npos || name == "world"),
      "name", "'" + name.substr(0, 60) + "'", "a name of 1 to 60 letters without '/', other than 'world'");
  if (name.empty()) {
    name = fallback;
    for (int i = 2; taken_.count(name); ++i) name = fmt::format("{}{}", fallback, i);
  }
  fields.require(!taken_.count(name), "name", "the name '" + name + "' a second time", "names used once");
  taken_.insert(name);
}

void describe_physics(Fields& fields, Environment& environment) {
  std::vector<std::string> engine_names;
  for (const auto& engine : engines()) engine_names.push_back(engine.name);
  fields("engine", environment.engine,
         {.help = "the physics engine; see `stunt engines`", .choices = engine_names});
  // Whoever chooses the engine that is made for it gets its step.
  if (environment.engine == "linearised" && fields.reading() && !fields.given("timestep"))
    environment.timestep = 1.0 / 120;
  fields("timestep", environment.timestep,
         {.unit = "s",
          .bounds = between(1e-6, 0.02),
          .help = "of one engine step: larger is faster and rougher"});
  fields("gravity", environment.gravity, {.unit = "m/s^2", .bounds = between(0, 100), .help = "down"});
  fields.group("ground", environment.ground, "the plane everything stands on");
  fields.group("contact", environment.contact, "how hard surfaces are");
  fields.require(environment.contact.mode != "springs" || environment.engine != "mujoco", "contact",
                 "mode springs with engine " + environment.engine, "engine ode or penalty");
}

void describe_objects(Fields& fields, Environment& environment, Names& names) {
  fields.list("objects", environment.objects, "boxes, spheres and capsules",
              [&](Fields& inner, ObjectSpec& object) {
                describe(inner, object);
                names.take(inner, object.name, "object");
              });
  fields.list("platforms", environment.platforms, "ground that moves",
              [&](Fields& inner, PlatformSpec& platform) {
                describe(inner, platform);
                names.take(inner, platform.name, "platform");
              });
  fields.list("seesaws", environment.seesaws, "boards that tip", [&](Fields& inner, SeesawSpec& seesaw) {
    describe(inner, seesaw);
    names.take(inner, seesaw.name, "seesaw");
  });
}

double GroundSpec::height_at(double x, double y) const {
  const double direction = radians(direction_deg);
  return height + std::tan(radians(slope_deg)) * (x * std::cos(direction) + y * std::sin(direction));
}

Vec3 PlatformSpec::offset(double t) const {
  const double s = t - start;
  if (s <= 0) return Vec3::Zero();
  // Eased in by a smooth step over a quarter period: position and velocity are continuous at the start.
  const double u = std::min(4 * s / period, 1.0);
  return u * u * (3 - 2 * u) * std::sin(2 * kPi * s / period) * amplitude;
}

Vec3 PlatformSpec::velocity(double t) const {
  const double s = t - start;
  if (s <= 0) return Vec3::Zero();
  const double w = 2 * kPi / period;
  const double u = std::min(4 * s / period, 1.0);
  const double ease = u * u * (3 - 2 * u);
  const double ease_rate = u < 1 ? 6 * u * (1 - u) * 4 / period : 0;
  return (ease_rate * std::sin(w * s) + ease * w * std::cos(w * s)) * amplitude;
}

}  // namespace stunt
