#include "stunt/simulate/scene/scene.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "stunt/core/embedded.h"
#include "stunt/core/error.h"
#include "stunt/core/files.h"
#include "stunt/core/nearest_name.h"
#include "stunt/world/scene/compiled_scene.h"

namespace stunt {
namespace fs = std::filesystem;
namespace {

void describe_body(Fields& fields, Variation& body) {
  const Limit factor = between(0.01, 100);
  fields("mass", body.mass, {.bounds = factor, .help = "factor on every body's mass"});
  fields("legs_mass", body.legs_mass, {.bounds = factor, .help = "of thighs and all below them"});
  fields("left_leg_mass", body.left_leg_mass,
         {.bounds = factor, .help = "of the left thigh and all below it"});
  fields("upper_body_mass", body.upper_body_mass, {.bounds = factor, .help = "of everything but the legs"});
  fields("inertia", body.inertia,
         {.bounds = factor, .help = "rotational, of every body about its centre of mass"});
  fields("foot_length", body.foot_length, {.bounds = factor, .help = "of feet and toes; their mass stays"});
}

std::vector<std::string> names_of(const std::vector<ActorSpec>& actors) {
  std::vector<std::string> names;
  for (const auto& actor : actors) names.push_back(actor.name);
  return names;
}

// `actor` of a disturbance or command: one of the scene's, or the first when it is not given.
void describe_target(Fields& fields, std::string& actor, const std::vector<ActorSpec>& actors) {
  fields.require(!actors.empty(), "", "no actor in the scene", "an actor to aim at");
  const auto names = names_of(actors);
  if (actor.empty() && !names.empty()) actor = names.front();
  fields("actor", actor, {.help = "whom; default: the first", .choices = names});
}

// A repeated push or throw needs a pause between: otherwise "count: 3" would be accepted and ignored.
template <typename Spec>
void describe_repetition(Fields& fields, Spec& spec) {
  fields("start", spec.start, {.unit = "s", .bounds = between(0, 1e6), .help = "when it begins"});
  fields("every", spec.every,
         {.unit = "s", .bounds = between(0, 1e6), .help = "repeated after so long; 0: once"});
  fields("count", spec.count, {.bounds = at_least(0), .help = "how often, with every; 0: to the end"});
  fields.require(spec.every != 0 || spec.count == 1, "count", fmt::format("{} without 'every'", spec.count),
                 "'every' (seconds between them) with a count other than 1");
  fields.require(spec.every == 0 || fields.given("count"), "every", "'every' without 'count'",
                 "'count' with it (0: to the end)");
}

void describe_push(Fields& fields, PushSpec& push, const std::vector<ActorSpec>& actors) {
  describe_target(fields, push.actor, actors);
  fields("body", push.body, {.help = "role or body name"});
  fields("force", push.force, {.unit = "N", .bounds = between(-1e6, 1e6), .help = "world axes"});
  fields("duration", push.duration, {.unit = "s", .bounds = above_to(0, 1e6), .help = "how long it lasts"});
  fields("random", push.random,
         {.help = "turned about the vertical by an angle drawn anew each time, from the seed"});
}

void describe_throw(Fields& fields, ThrowSpec& thrown, const std::vector<ActorSpec>& actors) {
  describe_target(fields, thrown.actor, actors);
  fields("body", thrown.body, {.help = "role or body name that is aimed at"});
  fields("shape", thrown.shape, {.help = "of what is thrown", .choices = {"sphere", "box"}});
  fields("size", thrown.size, {.unit = "m", .bounds = length_bounds(), .help = "diameter or edge"});
  fields("mass", thrown.mass, {.unit = "kg", .bounds = mass_bounds(), .help = "0: from the density"});
  fields("density", thrown.density,
         {.unit = "kg/m^3", .bounds = density_bounds(), .help = "where mass is 0"});
  describe(fields, thrown.ball);
  fields.require(!thrown.ball.bounces || thrown.shape == "sphere", "bounces", "a box that bounces",
                 "a sphere");
  fields(
      "position", thrown.position,
      {.unit = "m", .bounds = between(-kFar, kFar), .help = "where it starts, with velocity; open: aimed"});
  fields("velocity", thrown.velocity,
         {.unit = "m/s", .bounds = between(-300, 300), .help = "that it starts with, with position"});
  fields.require(thrown.position.has_value() == thrown.velocity.has_value(), "velocity",
                 "one of position and velocity alone", "both, or neither");
  fields("speed", thrown.speed, {.unit = "m/s", .bounds = above_to(0, 300), .help = "at the start"});
  fields("distance", thrown.distance, {.unit = "m", .bounds = above_to(0, 100), .help = "from the target"});
  fields("from_deg", thrown.from_deg,
         {.unit = "deg", .bounds = angle_bounds(), .help = "where it comes from: 0 from +X, 90 from +Y"});
  fields("height", thrown.height,
         {.unit = "m", .bounds = between(-100, 100), .help = "above the ground, where it starts"});
  fields("any_side", thrown.any_side, {.help = "from_deg drawn anew each time, from the seed"});
  fields("random", thrown.random, {.help = "from_deg, height and body drawn anew each time, from the seed"});
}

void describe_poke(Fields& fields, PokeSpec& poke, const std::vector<ActorSpec>& actors) {
  describe_target(fields, poke.actor, actors);
  fields("body", poke.body, {.help = "role or body name that is poked"});
  fields(
      "from_deg", poke.from_deg,
      {.unit = "deg", .bounds = angle_bounds(), .help = "where the hand comes from: 0 from +X, 90 from +Y"});
  fields("speed", poke.speed,
         {.unit = "m/s", .bounds = above_to(0, 20), .help = "of the hand, at its fastest"});
  fields("reach", poke.reach,
         {.unit = "m", .bounds = between(-1, 1), .help = "how far beyond the body's middle it would go"});
  fields("force", poke.force,
         {.unit = "N", .bounds = above_to(0, 1e5), .help = "that the hand pushes with, at most"});
}

void describe_actor(Fields& fields, ActorSpec& actor, Names& names) {
  if (fields.reading()) actor.place = fields.where();
  fields("name", actor.name, {.help = "default: the motion's name"});
  fields("character", actor.character,
         {.help = "fit: made from the motion's skeleton; a name of `stunt characters`; an MJCF file"});
  fields.require(!actor.character.empty(), "character", "nothing", "fit, a name or a file");
  fields.group("motion", actor.motion, "what it is to do", "source");
  fields.require(
      !actor.motion.source.empty() || actor.character != "fit", "motion", "no motion",
      "a built-in name or a file (motion: walk, or motion: {source: walk}), or a character that needs "
      "none");
  const std::string stem =
      fs::path(actor.motion.source.empty() ? actor.character : actor.motion.source).stem().string();
  names.take(fields, actor.name, stem.empty() ? "actor" : stem.substr(0, 50));
  fields.group("controller", actor.controller, "who drives it; its settings: `stunt settings NAME`", "type");
  fields.group("falling", actor.falling, "what it does when it falls", "how");
  fields.group("routine", actor.routine, "segments of motions, put together while it runs; docs/routines.md");
  fields.require(!actor.routine.any() || !actor.motion.source.empty(), "motion", "no motion, with a routine",
                 "the motion whose skeleton the character has");
  fields("position", actor.position,
         {.unit = "m", .bounds = between(-kFar, kFar), .help = "added to the motion's own"});
  fields("heading_deg", actor.heading_deg,
         {.unit = "deg", .bounds = angle_bounds(), .help = "turned about the motion's start"});
  fields("mass_kg", actor.mass_kg,
         {.unit = "kg", .bounds = mass_bounds(), .help = "0: from the character, or estimated"});
  fields("self_collision", actor.self_collision,
         {.help = "limbs stop each other, and the trunk, where they never overlap in the motion"});
  fields.list("attach", actor.attach, "what it holds or wears");
  fields("when", actor.when,
         {.help = "when it is simulated: always; contact: only from being touched until it is back in its "
                  "motion, else it is moved as its motion says, which costs next to nothing",
          .choices = {"always", "contact"}});
  fields.require(actor.when == "always" || !actor.motion.source.empty(), "when", "contact without a motion",
                 "a motion to play until then");
  fields.require(actor.when == "always" || !actor.routine.any(), "when", "contact with a routine",
                 "a routine, which watches and decides all the time, or contact");
  fields.group("plant", actor.plant, "what is simulated instead of the character as it is");
  fields.group("model", actor.model, "what the controller believes of its character");
}

const ActorSpec* find_actor(const std::vector<ActorSpec>& actors, const std::string& name) {
  for (const ActorSpec& actor : actors) {
    if (actor.name == name) return &actor;
  }
  return nullptr;
}

constexpr const char* kCommands[] = {"push",  "throw", "set",  "motion", "controller",
                                     "reset", "play",  "poke", "edit"};  // as in the variant

template <typename T>
T& as(Command& command) {
  if (!std::holds_alternative<T>(command.what)) command.what = T{};
  return std::get<T>(command.what);
}

// The controller that a character has at that time, by the scene and the commands above.
const ControllerSpec* controller_of(const std::string& name, double at, const Scene& scene) {
  const ActorSpec* actor = find_actor(scene.actors, name);
  const ControllerSpec* found = actor ? &actor->controller : nullptr;
  for (const Command& command : scene.commands) {
    const auto* change = std::get_if<ControllerCommand>(&command.what);
    if (change && change->actor == name && command.at <= at) found = &change->controller;
  }
  return found;
}

void describe_command(Fields& fields, Command& command, const Scene& scene) {
  const std::vector<ActorSpec>& actors = scene.actors;
  fields("at", command.at, {.unit = "s", .bounds = between(0, 1e6), .help = "when"});
  const std::string kind =
      fields.one_key({std::begin(kCommands), std::end(kCommands)}, kCommands[command.what.index()]);
  const auto target = [&](Fields& inner, std::string& actor) { describe_target(inner, actor, actors); };
  if (kind == "push") {
    fields.group("push", as<PushSpec>(command), "a force for a while", "",
                 [&](Fields& inner, PushSpec& push) { describe_push(inner, push, actors); });
  } else if (kind == "throw") {
    fields.group("throw", as<ThrowSpec>(command), "something thrown", "",
                 [&](Fields& inner, ThrowSpec& thrown) { describe_throw(inner, thrown, actors); });
  } else if (kind == "set") {
    fields.group(
        "set", as<SetCommand>(command), "a setting of the controller", "",
        [&](Fields& inner, SetCommand& set) {
          target(inner, set.actor);
          inner("key", set.key, {.help = "its name"})("value", set.value, {.help = "what it becomes"});
          const ControllerSpec* controller = controller_of(set.actor, command.at, scene);
          if (!inner.reading() || !controller) return;
          ControllerSpec changed = *controller;  // complains now, not in the middle of the run
          Config config =
              Config::parse(fmt::format("{}: {}", yaml_word(set.key), set.value), inner.where("value"));
          read_settings(config, changed);
          config.done();
        });
  } else if (kind == "motion") {
    fields.group(
        "motion", as<MotionCommand>(command), "another motion", "",
        [&](Fields& inner, MotionCommand& change) {
          target(inner, change.actor);
          const ActorSpec* actor = find_actor(actors, change.actor);
          inner.require(!actor || !actor->routine.any(), "actor",
                        "'" + change.actor + "', which has a routine",
                        "a character that follows a motion; a routine is told to play a segment");
          inner("blend", change.blend,
                {.unit = "s", .bounds = between(0, 10), .help = "from the old motion into the new one"});
          describe(inner, change.motion);
          inner.require(!change.motion.source.empty(), "source", "no motion", "a built-in name or a file");
        });
  } else if (kind == "controller") {
    fields.group("controller", as<ControllerCommand>(command), "another controller", "",
                 [&](Fields& inner, ControllerCommand& change) {
                   target(inner, change.actor);
                   describe(inner, change.controller);
                 });
  } else if (kind == "poke") {
    fields.group("poke", as<PokeSpec>(command), "a hand that pokes", "",
                 [&](Fields& inner, PokeSpec& poke) { describe_poke(inner, poke, actors); });
  } else if (kind == "edit") {
    fields.group("edit", as<EditCommand>(command), "the motion is changed from now on", "",
                 [&](Fields& inner, EditCommand& change) {
                   target(inner, change.actor);
                   const ActorSpec* actor = find_actor(actors, change.actor);
                   inner.require(!actor || (!actor->routine.any() && !actor->motion.source.empty()), "actor",
                                 "'" + change.actor + "', which follows no motion",
                                 "a character with a motion, and no routine");
                   inner("blend", change.blend,
                         {.unit = "s", .bounds = between(0, 10), .help = "from the motion as it was"});
                   describe_live(inner, change.edit);
                 });
  } else if (kind == "reset") {
    fields.group("reset", as<ResetCommand>(command), "back to the start", "actor",
                 [&](Fields& inner, ResetCommand& reset) { target(inner, reset.actor); });
  } else if (kind == "play") {
    fields.group("play", as<PlayCommand>(command), "a segment of a routine", "",
                 [&](Fields& inner, PlayCommand& play) {
                   target(inner, play.actor);
                   describe(inner, play.order);
                   const ActorSpec* actor = find_actor(actors, play.actor);
                   if (!actor) return;
                   std::vector<std::string> names;
                   for (const SegmentSpec& segment : actor->routine.segments) names.push_back(segment.name);
                   inner.require(std::find(names.begin(), names.end(), play.order.segment) != names.end(),
                                 "segment", "'" + play.order.segment + "'",
                                 names.empty() ? "a character with a routine"
                                               : fmt::format("one of: {}", fmt::join(names, ", ")));
                 });
  }
}

}  // namespace

void describe(Fields& fields, MotionSpec& motion) {
  fields("source", motion.source,
         {.help = "a built-in name or a file; none: the character is left to its controller"});
  fields("loop", motion.loop, {.help = "repeated for ever"});
  fields("start", motion.start, {.unit = "s", .bounds = between(0, 1e6), .help = "into the motion"});
  fields("speed", motion.speed, {.bounds = above_to(0, 100), .help = "2 is twice as fast"});
  fields.group("import", motion.import, "what the file does not say; left open: found by itself");
  fields.group("cleanup", motion.cleanup, "how the capture is cleaned");
  fields.list("edits", motion.edits, "carried out in this order; see docs/editing.md");
}

void describe(Fields& fields, ModelSpec& model) {
  describe_body(fields, model.body);
  fields("friction", model.friction,
         {.bounds = between(0.01, 100), .help = "factor on what the controller plans with"});
}

void describe(Fields& fields, PlantSpec& plant) {
  describe_body(fields, plant.body);
  fields(
      "friction", plant.friction,
      {.bounds = between(0.01, 100), .help = "factor on that between this actor and whatever it stands on"});
  fields("torque_noise", plant.torque_noise,
         {.bounds = between(0, 10),
          .help = "standard deviation, as a part of each joint's torque, at every step"});
  fields("motor_noise", plant.motor_noise,
         {.unit = "Nm",
          .bounds = between(0, 1e4),
          .help = "largest of an even distribution around zero, added to each joint's torque at every step"});
  fields("sensor_delay", plant.sensor_delay,
         {.unit = "s",
          .bounds = between(0, 1),
          .help = "state and contacts that the controller sees are that old"});
}

void describe(Fields& fields, Scene& scene) {
  fields("name", scene.name, {.help = "of the results' folder"});
  fields.require(
      !(scene.name.empty() || scene.name.find('/') != std::string::npos || scene.name.starts_with('.')),
      "name", "'" + scene.name + "'", "a name that can be a folder's");
  fields("duration", scene.duration,
         {.unit = "s", .bounds = between(0, 1e6), .help = "0: until the longest motion ends"});
  fields("seed", scene.seed, {.help = "of everything random"});
  describe_physics(fields, scene);
  Names names;
  fields.list("actors", scene.actors, "the characters", [&](Fields& inner, ActorSpec& actor) {
    inner.require(scene.actors.size() <= kMostActors, "", "one actor too many",
                  fmt::format("at most {}", kMostActors));
    describe_actor(inner, actor, names);
  });
  for (const ActorSpec& actor : scene.actors) {
    const std::string& opponent = actor.routine.rules.opponent;
    const bool known = opponent.empty() || (opponent != actor.name && find_actor(scene.actors, opponent));
    if (!known && fields.reading())
      throw InputError(actor.place + ".routine.opponent", "'" + opponent + "'",
                       "another of the scene's characters");
  }
  describe_objects(fields, scene, names);
  fields.list("grip", scene.grips, "hands that hold an object; docs/things.md",
              [&](Fields& inner, GripSpec& grip) {
                describe_target(inner, grip.actor, scene.actors);
                describe(inner, grip);
              });
  fields.list("pushes", scene.pushes, "forces on a body for a while", [&](Fields& inner, PushSpec& push) {
    describe_push(inner, push, scene.actors);
    describe_repetition(inner, push);
  });
  fields.list("throws", scene.throws, "things thrown at somebody", [&](Fields& inner, ThrowSpec& thrown) {
    describe_throw(inner, thrown, scene.actors);
    describe_repetition(inner, thrown);
  });
  fields.list("pokes", scene.pokes, "a hand that pokes somebody", [&](Fields& inner, PokeSpec& poke) {
    describe_poke(inner, poke, scene.actors);
    describe_repetition(inner, poke);
  });
  fields.list("commands", scene.commands, "changes during the run",
              [&](Fields& inner, Command& command) { describe_command(inner, command, scene); });
  fields.list("files", scene.files, "what must not have changed since the scene was written",
              [](Fields& inner, SourceFile& file) {
                inner("path", file.path, {.help = "of the file"})("hash", file.hash,
                                                                  {.help = "of its bytes"});
              });
}

Scene read_scene(std::string_view yaml, const std::string& place, const std::vector<std::string>& overrides) {
  Config config = Config::parse(yaml, place, overrides);
  Scene scene;
  read_settings(config, scene);
  config.done();
  return scene;
}

namespace {

// Every name in a scene that may be a file's.
template <typename Visit>
void visit_sources(Scene& scene, Visit visit) {
  const auto of_motion = [&](MotionSpec& motion) {
    if (!motion.source.empty()) visit(motion.source, "motions", ".bvh");
    if (motion.import.skeleton) visit(*motion.import.skeleton, "motions", ".asf");
    for (Edit& edit : motion.edits) {
      if (std::string* other = other_motion(edit)) visit(*other, "motions", ".bvh");
    }
  };
  for (ActorSpec& actor : scene.actors) {
    of_motion(actor.motion);
    for (SegmentSpec& segment : actor.routine.segments) of_motion(segment.motion);
    const bool creature = embedded_file("creatures/" + actor.character + ".yaml").has_value();
    if (actor.character != "fit")
      visit(actor.character, creature ? "creatures" : "characters", creature ? ".yaml" : ".xml");
  }
  for (Command& command : scene.commands) {
    if (auto* change = std::get_if<MotionCommand>(&command.what)) of_motion(change->motion);
  }
}

// The bytes behind a name, built in or a file's; nothing where there is no such thing.
std::optional<std::string> bytes_of(const std::string& path) {
  for (const auto& [folder, ending] :
       {std::pair("motions", ".bvh"), std::pair("characters", ".xml"), std::pair("creatures", ".yaml")}) {
    if (const auto text = embedded_file(fmt::format("{}/{}{}", folder, path, ending)))
      return std::string(*text);
  }
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return std::nullopt;
  return read_file(path);
}

// FNV-1a, 64 bits.
std::string hash_of(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325ull;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return fmt::format("fnv1a-{:016x}", hash);
}

}  // namespace

Scene load_scene(const std::string& name_or_path, const std::vector<std::string>& overrides) {
  if (const auto text = embedded_file("scenes/" + name_or_path + ".yaml")) {
    Scene scene = read_scene(*text, name_or_path, overrides);
    if (scene.name == Scene{}.name) scene.name = name_or_path;
    return scene;
  }
  const fs::path path = name_or_path;
  if (!fs::exists(path)) {
    const std::vector<std::string> names = embedded_names("scenes");
    const std::string meant = nearest_name(name_or_path, names);
    throw InputError(name_or_path, "no such file",
                     embedded_file("motions/" + name_or_path + ".bvh")
                         ? fmt::format("a scene; this is a motion: stunt track {}", name_or_path)
                     : meant.empty() ? fmt::format("a scene file, or one of: {}", fmt::join(names, ", "))
                                     : fmt::format("a scene file, or perhaps '{}'", meant));
  }
  Scene scene = read_scene(read_file(path), name_or_path, overrides);
  if (scene.name == Scene{}.name && !path.stem().empty()) scene.name = path.stem().string();
  visit_sources(scene, [&](std::string& name, const char*, const char*) {
    std::error_code error;
    const fs::path other = path.parent_path() / name;
    if (fs::path(name).is_relative() && fs::is_regular_file(other, error)) name = other.string();
  });
  return scene;
}

std::string write_scene(const Scene& scene) {
  Scene resolved = scene;
  resolved.files.clear();
  visit_sources(resolved, [&](std::string& name, const char* folder, const char* ending) {
    const bool built_in = embedded_file(fmt::format("{}/{}{}", folder, name, ending)).has_value();
    std::error_code error;
    if (!built_in && fs::exists(name, error)) name = fs::absolute(name).lexically_normal().string();
    const auto known = std::find_if(resolved.files.begin(), resolved.files.end(),
                                    [&](const SourceFile& file) { return file.path == name; });
    if (known != resolved.files.end()) return;
    if (const auto bytes = bytes_of(name)) resolved.files.push_back({name, hash_of(*bytes)});
  });
  return write_settings(resolved);
}

void check_files(const Scene& scene) {
  for (const SourceFile& file : scene.files) {
    const auto bytes = bytes_of(file.path);
    if (!bytes) throw InputError(file.path, "no such file", "the file the scene was written with");
    if (hash_of(*bytes) != file.hash) {
      throw InputError(file.path,
                       "a file that has changed since the scene was written (hash " + hash_of(*bytes) + ")",
                       "the same bytes, hash " + file.hash);
    }
  }
}

}  // namespace stunt
