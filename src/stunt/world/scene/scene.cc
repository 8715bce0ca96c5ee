#include "stunt/world/scene/scene.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "stunt/core/embedded.h"
#include "stunt/core/error.h"
#include "stunt/core/files.h"
#include "stunt/world/engine.h"

namespace stunt {
namespace fs = std::filesystem;
namespace {

constexpr double kFar = 1e4;  // m: everything happens within 10 km

const Limit kTimestep{0, 0.02, true, "a number above 0 and at most 0.02 (seconds)"};
const Limit kMass{0, 1e6, false, "a number from 0 to 1e6 (kg; 0: from the density)"};
const Limit kPositiveMass{0, 1e6, true, "a number above 0 and at most 1e6 (kg)"};
const Limit kDensity{0, 1e5, true, "a number above 0 and at most 1e5 (kg/m^3)"};
const Limit kLength{0, 1e3, true, "a number above 0 and at most 1000 (m)"};
const Limit kFriction{0, 100, false, "a number from 0 to 100"};
const Limit kSlope{-60, 60, false, "a number from -60 to 60 (degrees)"};

void check_within(Config& config, const std::string& key, const Vec3& value, double largest) {
  if (value.cwiseAbs().maxCoeff() > largest) {
    throw InputError(config.where(key), fmt::format("[{}]", fmt::join(value.data(), value.data() + 3, ", ")),
                     fmt::format("numbers of at most {} in size", largest));
  }
}

void check_lengths(Config& config, const std::string& key, const Vec3& value, int count = 3) {
  for (int i = 0; i < count; ++i) {
    if (!(value[i] > 0 && value[i] <= 1e3)) {
      throw InputError(config.where(key), fmt::format("{}", value[i]), kLength.text);
    }
  }
}

// Names become prefixes and body names of the compiled model; a name nobody gave is made unique.
class Names {
 public:
  void take(Config& config, std::string& name, const std::string& fallback) {
    if (config.has("name")) {
      config("name", name);
      if (name.empty() || name.size() > 60 || name.find('/') != std::string::npos || name == "world") {
        throw InputError(config.where("name"), "'" + name.substr(0, 60) + "'",
                         "a name of 1 to 60 letters without '/', other than 'world'");
      }
      if (!taken_.insert(name).second) {
        throw InputError(config.where("name"), "the name '" + name + "' a second time", "names used once");
      }
      return;
    }
    config("name", name);  // known, though absent
    name = fallback;
    for (int i = 2; !taken_.insert(name).second; ++i) name = fmt::format("{}{}", fallback, i);
  }

 private:
  std::set<std::string> taken_;
};

void read(Config config, GroundSpec& ground) {
  config("present", ground.present)("slope_deg", ground.slope_deg, kSlope)(
      "direction_deg", ground.direction_deg)("height", ground.height, between(-kFar, kFar))(
      "friction", ground.friction, kFriction);
}

void read(Config config, ContactSpec& contact) {
  config("mode", contact.mode, {"constraint", "springs"});
  config("time_constant", contact.time_constant, {1e-4, 1, false, "a number from 0.0001 to 1 (seconds)"});
  config("stiffness", contact.stiffness, above(0))("damping", contact.damping, at_least(0));
}

void read(Config config, MotionSpec& motion) {
  config("source", motion.source)("loop", motion.loop)("start", motion.start, at_least(0));
  config("speed", motion.speed, {0, 100, true, "a number above 0 and at most 100"});
  for (Config edit : config.list("edits")) motion.edits.push_back(read_edit(edit));
  if (motion.source.empty())
    throw InputError(config.where("source"), "no motion", "a built-in name or a file");
}

void read(Config& config, Variation& body, double& friction) {
  static const Limit kFactor{0.01, 100, false, "a factor from 0.01 to 100"};
  config("mass", body.mass, kFactor)("legs_mass", body.legs_mass, kFactor)(
      "left_leg_mass", body.left_leg_mass, kFactor)("upper_body_mass", body.upper_body_mass, kFactor)(
      "inertia", body.inertia, kFactor)("foot_length", body.foot_length, kFactor)("friction", friction,
                                                                                  kFactor);
}

void read(Config config, PlantSpec& plant) {
  read(config, plant.body, plant.friction);
  config("torque_noise", plant.torque_noise, between(0, 10));
  config("sensor_delay", plant.sensor_delay, {0, 1, false, "a number from 0 to 1 (seconds)"});
}

void read(Config config, ModelSpec& model) { read(config, model.body, model.friction); }

void read(Config& config, ActorSpec& actor, Names& names) {
  read(config.child("motion", "source"), actor.motion);
  std::string stem = fs::path(actor.motion.source).stem().string();
  names.take(config, actor.name, stem.empty() ? "actor" : stem.substr(0, 50));
  config("character", actor.character);
  if (actor.character.empty())
    throw InputError(config.where("character"), "nothing", "fit, a name or a file");
  actor.controller = config.child("controller", "type");
  config("position", actor.position)("heading_deg", actor.heading_deg)("mass_kg", actor.mass_kg, kMass);
  check_within(config, "position", Vec3(actor.position.x(), actor.position.y(), 0), kFar);
  read(config.child("plant"), actor.plant);
  read(config.child("model"), actor.model);
}

void read(Config& config, ObjectSpec& object, Names& names) {
  names.take(config, object.name, "object");
  config("shape", object.shape, {"box", "sphere", "capsule"});
  if (object.shape == "sphere" && config.has("size") && config.length("size") == 0) {
    config("size", object.size[0], kLength);  // the diameter alone
  } else if (object.shape == "capsule" && config.length("size") == 2) {
    Eigen::Vector2d size;
    config("size", size);
    object.size.head<2>() = size;
  } else {
    config("size", object.size);
  }
  check_lengths(config, "size", object.size, object.shape == "box" ? 3 : object.shape == "sphere" ? 1 : 2);
  config("position", object.position)("rotation_deg", object.rotation_deg)("fixed", object.fixed);
  check_within(config, "position", object.position, kFar);
  config("mass", object.mass, kMass)("density", object.density, kDensity)("friction", object.friction,
                                                                          kFriction);
}

void read(Config& config, PlatformSpec& platform, Names& names) {
  names.take(config, platform.name, "platform");
  config("size", platform.size)("position", platform.position)("amplitude", platform.amplitude);
  check_lengths(config, "size", platform.size);
  check_within(config, "position", platform.position, kFar);
  check_within(config, "amplitude", platform.amplitude, 100);
  config("period", platform.period, {0.05, kFar, false, "a number from 0.05 to 10000 (seconds)"});
  config("start", platform.start, at_least(0))("friction", platform.friction, kFriction);
}

void read(Config& config, SeesawSpec& seesaw, Names& names) {
  names.take(config, seesaw.name, "seesaw");
  config("size", seesaw.size)("position", seesaw.position)("heading_deg", seesaw.heading_deg);
  check_lengths(config, "size", seesaw.size);
  check_within(config, "position", seesaw.position, kFar);
  config("limit_deg", seesaw.limit_deg, {0, 80, true, "a number above 0 and at most 80 (degrees)"});
  config("mass", seesaw.mass, kPositiveMass)("damping", seesaw.damping, at_least(0));
  config("friction", seesaw.friction, kFriction);
}

// `actor` of a push or a throw: one of the scene's, or the first when it is not given.
void read_target(Config& config, std::string& actor, const std::vector<ActorSpec>& actors) {
  if (actors.empty()) throw InputError(config.where(), "no actor in the scene", "an actor to aim at");
  std::vector<std::string> names;
  for (const auto& spec : actors) names.push_back(spec.name);
  actor = names.front();
  config("actor", actor, names);
}

void read(Config& config, PushSpec& push, const std::vector<ActorSpec>& actors) {
  read_target(config, push.actor, actors);
  config("body", push.body)("force", push.force)("start", push.start, at_least(0));
  check_within(config, "force", push.force, 1e6);
  config("duration", push.duration, above(0))("every", push.every, at_least(0))("count", push.count,
                                                                                at_least(0));
}

void read(Config& config, ThrowSpec& thrown, const std::vector<ActorSpec>& actors) {
  read_target(config, thrown.actor, actors);
  config("body", thrown.body)("shape", thrown.shape, {"sphere", "box"})("size", thrown.size, kLength);
  config("mass", thrown.mass, kMass)("density", thrown.density, kDensity);
  config("speed", thrown.speed, {0, 300, true, "a number above 0 and at most 300 (m/s)"});
  config("distance", thrown.distance, {0, 100, true, "a number above 0 and at most 100 (m)"});
  config("from_deg", thrown.from_deg)("height", thrown.height, between(-100, 100));
  config("start", thrown.start, at_least(0))("every", thrown.every, at_least(0));
  config("count", thrown.count, at_least(0))("random", thrown.random);
}

// A repeated push or throw needs a pause between: otherwise "count: 3" would be accepted and ignored.
template <typename Spec>
void check_repetition(Config& config, const Spec& spec) {
  if (spec.every == 0 && spec.count != 1) {
    throw InputError(config.where("count"), fmt::format("{} without 'every'", spec.count),
                     "'every' (seconds between them) with a count other than 1");
  }
  if (spec.every > 0 && !config.has("count")) {
    throw InputError(config.where("every"), "'every' without 'count'", "'count' with it (0: to the end)");
  }
}

std::vector<std::string> engine_names() {
  std::vector<std::string> names;
  for (const auto& engine : engines()) names.push_back(engine.name);
  return names;
}

}  // namespace

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

Scene read_scene(std::string_view yaml, const std::string& place, const std::vector<std::string>& overrides) {
  Config config = Config::parse(yaml, place, overrides);
  Scene scene;
  config("name", scene.name);
  if (scene.name.empty() || scene.name.find('/') != std::string::npos || scene.name.starts_with('.')) {
    throw InputError(config.where("name"), "'" + scene.name + "'", "a name that can be a folder's");
  }
  config("engine", scene.engine, engine_names());
  config("timestep", scene.timestep, kTimestep);
  config("duration", scene.duration, {0, 1e6, false, "a number from 0 to 1e6 (seconds)"});
  config("seed", scene.seed);
  config("gravity", scene.gravity, {0, 100, false, "a number from 0 to 100 (m/s^2, down)"});
  read(config.child("ground"), scene.ground);
  read(config.child("contact"), scene.contact);
  if (scene.contact.mode == "springs" && scene.engine != "ode") {
    throw InputError(config.child("contact").where("mode"), "springs with engine " + scene.engine,
                     "engine ode");
  }

  Names names;
  for (auto& item : config.list("actors")) {
    if (scene.actors.size() == kMostActors) {
      throw InputError(item.where(), "one actor too many", fmt::format("at most {}", kMostActors));
    }
    read(item, scene.actors.emplace_back(), names);
  }
  for (auto& item : config.list("objects")) read(item, scene.objects.emplace_back(), names);
  for (auto& item : config.list("platforms")) read(item, scene.platforms.emplace_back(), names);
  for (auto& item : config.list("seesaws")) read(item, scene.seesaws.emplace_back(), names);
  for (auto& item : config.list("pushes")) {
    read(item, scene.pushes.emplace_back(), scene.actors);
    check_repetition(item, scene.pushes.back());
  }
  for (auto& item : config.list("throws")) {
    read(item, scene.throws.emplace_back(), scene.actors);
    check_repetition(item, scene.throws.back());
  }
  config.done();
  return scene;
}

Scene load_scene(const std::string& name_or_path, const std::vector<std::string>& overrides) {
  if (const auto text = embedded_file("scenes/" + name_or_path + ".yaml")) {
    Scene scene = read_scene(*text, name_or_path, overrides);
    if (scene.name == Scene{}.name) scene.name = name_or_path;
    return scene;
  }
  const fs::path path = name_or_path;
  if (!fs::exists(path)) {
    throw InputError(name_or_path, "no such file",
                     fmt::format("a scene file, or one of: {}", fmt::join(embedded_names("scenes"), ", ")));
  }
  Scene scene = read_scene(read_file(path), name_or_path, overrides);
  if (scene.name == Scene{}.name && !path.stem().empty()) scene.name = path.stem().string();
  const auto beside = [&](std::string& name) {
    std::error_code error;
    const fs::path other = path.parent_path() / name;
    if (fs::path(name).is_relative() && fs::is_regular_file(other, error)) name = other.string();
  };
  for (auto& actor : scene.actors) {
    beside(actor.motion.source);
    for (Edit& edit : actor.motion.edits) {
      if (std::string* other = other_motion(edit)) beside(*other);
    }
    if (actor.character != "fit") beside(actor.character);
  }
  return scene;
}

}  // namespace stunt
