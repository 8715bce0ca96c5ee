#include "stunt/simulate/scene/scene.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <fstream>

#include "stunt/core/embedded.h"
#include "stunt/core/error.h"
#include "stunt/simulate/performer.h"
#include "tests/run_program.h"

namespace stunt {
namespace {

std::string error_of(const std::string& yaml, const std::vector<std::string>& overrides = {}) {
  try {
    read_scene(yaml, "s.yaml", overrides);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Scene, PlantAndModelVaryTheCharacter) {
  const Scene scene = read_scene(R"(
actors:
  - motion: walk
    plant: {mass: 2, legs_mass: 3, left_leg_mass: 4, friction: 0.5, torque_noise: 0.1, sensor_delay: 0.02}
    model: {upper_body_mass: 5, inertia: 6, foot_length: 0.7, friction: 1.5}
  - motion: walk
)",
                                 "s.yaml");
  const PlantSpec& plant = scene.actors[0].plant;
  EXPECT_EQ(plant.body, (Variation{.mass = 2, .legs_mass = 3, .left_leg_mass = 4}));
  EXPECT_EQ(plant.friction, 0.5);
  EXPECT_EQ(plant.torque_noise, 0.1);
  EXPECT_EQ(plant.sensor_delay, 0.02);
  const ModelSpec& model = scene.actors[0].model;
  EXPECT_EQ(model.body, (Variation{.upper_body_mass = 5, .inertia = 6, .foot_length = 0.7}));
  EXPECT_EQ(model.friction, 1.5);
  EXPECT_EQ(scene.actors[1].plant.body, Variation{});
  const std::string walk = "actors:\n  - motion: walk\n    ";
  EXPECT_NE(error_of(walk + "plant: {mass: 0}")
                .find("s.yaml:3: actors.0.plant.mass: found '0', expected a number from 0.01 to 100"),
            std::string::npos)
      << error_of(walk + "plant: {mass: 0}");
  EXPECT_NE(error_of(walk + "model: {torque_noise: 1}").find("unknown key 'torque_noise'"),
            std::string::npos);
}

TEST(Scene, EmptyTextIsTheDefaultScene) {
  const Scene scene = read_scene("", "s.yaml");
  EXPECT_EQ(scene.engine, "mujoco");
  EXPECT_EQ(scene.timestep, 0.001);
  EXPECT_TRUE(scene.actors.empty());
}

TEST(Scene, ReadsEverything) {
  const Scene scene = read_scene(R"(
name: all
engine: ode
timestep: 0.0005
duration: 3
seed: 9
gravity: 1.62
ground: {present: true, slope_deg: 5, direction_deg: 90, height: 0.1, friction: 0.7}
contact: {mode: springs, time_constant: 0.01, stiffness: 1000, damping: 10}
actors:
  - motion: walk
    controller: pd
  - name: second
    motion: {source: run, loop: true, start: 1, speed: 2, edits: [{mirror: true}, {crop: [1, 3]}]}
    character: hero.xml
    controller: {type: mcsim, preset: paper, plan_rate: 50, assist: 0.5}
    position: [1, 2]
    heading_deg: 90
    mass_kg: 80
  - motion: walk
objects:
  - {shape: sphere, size: 0.3, mass: 2}
  - {name: post, shape: capsule, size: [0.1, 1], fixed: true, position: [1, 0, 0.6], rotation_deg: [0, 90, 0]}
  - {size: [1, 2, 3], density: 10, friction: 0.2}
platforms:
  - {size: [1, 1, 0.2], position: [0, 0, 0.2], amplitude: [0, 0, 0.1], period: 3, start: 1, friction: 2}
seesaws:
  - {size: [2, 1, 0.05], position: [5, 0, 0.3], heading_deg: 90, limit_deg: 10, mass: 20, damping: 1, friction: 1}
pushes:
  - {actor: second, body: head, force: [0, 100, 0], start: 1, duration: 0.1, every: 2, count: 0}
throws:
  - {shape: box, size: 0.1, mass: 1, speed: 5, distance: 2, from_deg: 0, height: 1, start: 0, every: 1, count: 3, random: true}
)",
                                 "s.yaml");
  EXPECT_EQ(scene.actors.at(0).name, "walk");
  EXPECT_EQ(scene.actors.at(2).name, "walk2");
  EXPECT_EQ(scene.actors.at(0).controller.kind(), "pd");
  EXPECT_TRUE(scene.actors.at(1).motion.loop);
  EXPECT_EQ(scene.actors.at(1).motion.speed, 2);
  ASSERT_EQ(scene.actors.at(1).motion.edits.size(), 2u);
  EXPECT_EQ(std::get<CropEdit>(scene.actors.at(1).motion.edits[1]).to, 3);
  EXPECT_EQ(scene.actors.at(1).controller.kind(), "mcsim");
  EXPECT_EQ(scene.actors.at(1).controller.preset(), "paper");
  EXPECT_EQ(scene.actors.at(1).controller.help.assist, 0.5);
  EXPECT_NE(write_settings(scene.actors.at(1).controller).find("\nplan_rate: 50\n"), std::string::npos);
  EXPECT_EQ(scene.objects.at(0).size[0], 0.3);
  EXPECT_EQ(scene.objects.at(1).size[1], 1);
  EXPECT_EQ(scene.objects.at(2).size, Vec3(1, 2, 3));
  EXPECT_EQ(scene.pushes.at(0).actor, "second");
  EXPECT_EQ(scene.throws.at(0).actor, "walk");
  EXPECT_EQ(scene.contact.mode, "springs");
  EXPECT_EQ(scene.ground.friction, 0.7);
}

TEST(Scene, BadScenes) {
  const std::string actor = "actors:\n  - motion: walk\n";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"gravty: 1",
       "s.yaml:1: gravty: found the unknown key 'gravty', expected one of: name, duration, seed, engine, "
       "timestep, gravity, ground, contact, actors, objects, platforms, seesaws, grip, pushes, throws, "
       "pokes, "
       "commands, files"},
      {"engine: bullet",
       "s.yaml:1: engine: found 'bullet', expected one of: mujoco, ode, penalty, linearised"},
      {"timestep: 0", "s.yaml:1: timestep: found '0', expected a number from 1e-06 to 0.02 (s)"},
      {"timestep: 0.1", "s.yaml:1: timestep: found '0.1', expected"},
      {"duration: -1", "s.yaml:1: duration: found '-1', expected"},
      {"seed: -1", "s.yaml:1: seed: found '-1', expected"},
      {"gravity: -9.81", "s.yaml:1: gravity: found '-9.81', expected"},
      {"name: a/b", "s.yaml:1: name: found 'a/b', expected"},
      {"ground:\n  friction: -1", "s.yaml:2: ground.friction: found '-1', expected"},
      {"ground: {slope_deg: 90}", "s.yaml:1: ground.slope_deg: found '90', expected"},
      {"ground: flat", "s.yaml:1: ground: found 'flat', expected a mapping"},
      {"contact: {mode: glue}", "s.yaml:1: contact.mode: found 'glue', expected one of: constraint, springs"},
      {"contact: {mode: springs}",
       "s.yaml:1: contact: found mode springs with engine mujoco, expected engine ode or penalty"},
      {"contact: {time_constant: 0}", "s.yaml:1: contact.time_constant: found '0', expected"},
      {"contact: {stiffness: 0}", "s.yaml:1: contact.stiffness: found '0', expected"},
      {"actors:\n  - {}", "s.yaml:2: actors.0.motion: found no motion, expected"},
      {"actors:\n  - motion: {source: a, speed: 0}", "s.yaml:2: actors.0.motion.speed: found '0', expected"},
      {"actors:\n  - motion: {source: a, start: -1}",
       "s.yaml:2: actors.0.motion.start: found '-1', expected"},
      {"actors:\n  - motion: {source: a, edits: [{turn: 1}]}",
       "s.yaml:2: actors.0.motion.edits.0.turn: found the unknown key 'turn', expected exactly one of: crop, "
       "mirror"},
      {"actors:\n  - motion: {source: a, edits: [{loop: {cycles: 0}}]}",
       "s.yaml:2: actors.0.motion.edits.0.loop.cycles: found '0', expected"},
      {"actors:\n  - {motion: a, mass_kg: -4}", "s.yaml:2: actors.0.mass_kg: found '-4', expected"},
      {"actors:\n  - {motion: a, name: x}\n  - {motion: b, name: x}",
       "s.yaml:3: actors.1.name: found the name 'x'"},
      {"actors:\n  - {motion: a, name: x/y}", "s.yaml:2: actors.0.name: found 'x/y', expected"},
      {"actors:\n  - {motion: a, controller: [1]}",
       "s.yaml:2: actors.0.controller: found a list of 1, expected"},
      {"actors:\n  - {motion: a, control: pd}",
       "s.yaml:2: actors.0.control: found the unknown key 'control'"},
      {"objects:\n  - {size: [1, 0, 1]}", "s.yaml:2: objects.0.size.1: found '0', expected"},
      {"objects:\n  - {mass: -1}", "s.yaml:2: objects.0.mass: found '-1', expected"},
      {"objects:\n  - {density: 0}", "s.yaml:2: objects.0.density: found '0', expected"},
      {"objects:\n  - {shape: cone}",
       "s.yaml:2: objects.0.shape: found 'cone', expected one of: box, sphere, capsule"},
      {"objects:\n  - {shape: sphere, size: 0}", "s.yaml:2: objects.0.size: found '0', expected"},
      {"objects:\n  - {name: a}\n  - {name: a}",
       "s.yaml:3: objects.1.name: found the name 'a' a second time"},
      {"objects:\n  - {position: [1e9, 0, 0]}",
       "s.yaml:2: objects.0.position.0: found '1e9', expected a number from -10000 to 10000 (m)"},
      {"platforms:\n  - {period: 0}", "s.yaml:2: platforms.0.period: found '0', expected"},
      {"platforms:\n  - {start: -1}", "s.yaml:2: platforms.0.start: found '-1', expected"},
      {"seesaws:\n  - {mass: 0}", "s.yaml:2: seesaws.0.mass: found '0', expected"},
      {"seesaws:\n  - {limit_deg: 0}", "s.yaml:2: seesaws.0.limit_deg: found '0', expected"},
      {"pushes:\n  - {force: [1, 0, 0]}", "s.yaml:2: pushes.0: found no actor in the scene, expected"},
      {actor + "pushes:\n  - {actor: bob}", "s.yaml:4: pushes.0.actor: found 'bob', expected one of: walk"},
      {actor + "pushes:\n  - {duration: -1}", "s.yaml:4: pushes.0.duration: found '-1', expected"},
      {actor + "pushes:\n  - {count: 3}", "s.yaml:4: pushes.0.count: found 3 without 'every', expected"},
      {actor + "throws:\n  - {count: -1, every: 1}",
       "s.yaml:4: throws.0.count: found '-1', expected a whole number"},
      {actor + "throws:\n  - {speed: 0}", "s.yaml:4: throws.0.speed: found '0', expected"},
      {actor + "throws:\n  - {shape: capsule}", "s.yaml:4: throws.0.shape: found 'capsule', expected"},
  };
  for (const auto& [yaml, expected] : cases) {
    EXPECT_EQ(error_of(yaml).substr(0, expected.size()), expected) << yaml;
  }
}

TEST(Scene, OverridesReachIntoControllers) {
  const Scene scene = read_scene("actors:\n  - {motion: walk, controller: {type: pd}}\n", "s.yaml",
                                 {"actors.0.controller.stiffness=70", "timestep=0.002"});
  EXPECT_NE(write_settings(scene.actors[0].controller).find("\nstiffness: 70\n"), std::string::npos);
  EXPECT_EQ(scene.timestep, 0.002);
}

TEST(Scene, FilesAreLookedForBesideTheScene) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("stunt_scene_test_" + std::to_string(getpid()));
  fs::create_directories(folder / "clips");
  std::ofstream(folder / "clips/my.bvh") << "HIERARCHY\n";
  std::ofstream(folder / "party.yaml") << "actors:\n  - motion: clips/my.bvh\n"
                                          "  - motion: {source: walk, edits: [{layer: clips/my.bvh}]}\n";
  const Scene scene = load_scene((folder / "party.yaml").string());
  EXPECT_EQ(scene.name, "party");
  EXPECT_EQ(scene.actors[0].motion.source, (folder / "clips/my.bvh").string());
  EXPECT_EQ(scene.actors[0].name, "my");
  EXPECT_EQ(scene.actors[1].motion.source, "walk");
  EXPECT_EQ(std::get<LayerEdit>(scene.actors[1].motion.edits.at(0)).motion,
            (folder / "clips/my.bvh").string());
  fs::remove_all(folder);
  EXPECT_THROW(load_scene("no_such_scene"), InputError);
}

TEST(Scene, BuiltInScenesAreWrittenAndReadBackTheSame) {
  const std::vector<std::string> names = embedded_names("scenes");
  ASSERT_FALSE(names.empty());
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const Scene scene = load_scene(name);
    EXPECT_EQ(scene.name, name);
    const std::string text = write_scene(scene);
    const Scene back = read_scene(text, name + ".yaml");
    EXPECT_EQ(write_scene(back), text);
    EXPECT_FALSE(back.files.empty());
    EXPECT_NO_THROW(check_files(back));
  }
}

TEST(Scene, EveryCommandIsWrittenAndReadBackTheSame) {
  const Scene scene = read_scene(R"(
duration: 3
actors: [{name: a, motion: walk}, {name: b, motion: stand, controller: {type: pd, pedestal: true}}]
commands:
  - {at: 0.1, push: {actor: b, force: [1, 2, 3], duration: 0.3}}
  - {at: 200 ms, throw: {speed: 9, mass: 2}}
  - {at: 0.3, set: {actor: b, key: stiffness, value: 70}}
  - {at: 0.4, motion: {source: march, blend: 0.5, loop: true, edits: [{mirror: true}]}}
  - {at: 0.5, controller: {actor: a, type: mcsim, preset: paper, plan_rate: 50}}
  - {at: 0.6, reset: b}
  - {at: 0.7, reset: {}}
)",
                                 "s.yaml");
  ASSERT_EQ(scene.commands.size(), 7u);
  EXPECT_EQ(scene.commands[1].at, 0.2);
  EXPECT_EQ(std::get<PushSpec>(scene.commands[0].what).force, Vec3(1, 2, 3));
  EXPECT_EQ(std::get<ThrowSpec>(scene.commands[1].what).actor, "a");
  EXPECT_EQ(std::get<SetCommand>(scene.commands[2].what).value, "70");
  EXPECT_EQ(std::get<MotionCommand>(scene.commands[3].what).motion.source, "march");
  EXPECT_EQ(std::get<ControllerCommand>(scene.commands[4].what).controller.preset(), "paper");
  EXPECT_EQ(std::get<ResetCommand>(scene.commands[5].what).actor, "b");
  const std::string text = write_scene(scene);
  EXPECT_EQ(write_scene(read_scene(text, "again")), text);
}

TEST(Scene, BadCommands) {
  const std::string start = "actors:\n  - motion: walk\ncommands:\n  - ";
  const std::pair<const char*, const char*> cases[] = {
      {"{at: 1}",
       "s.yaml:4: commands.0.at: found the unknown key 'at', expected exactly one of: push, throw, set, "
       "motion, controller, reset"},
      {"{at: 1, jump: {}}",
       "s.yaml:4: commands.0.jump: found the unknown key 'jump', expected exactly one of: push"},
      {"{at: 1, push: {}, reset: {}}",
       "s.yaml:4: commands.0.reset: found both 'push' and 'reset', expected exactly"},
      {"{at: -1, reset: {}}", "s.yaml:4: commands.0.at: found '-1', expected a number from 0 to 1000000 (s)"},
      {"{at: 1, reset: bob}", "s.yaml:4: commands.0.reset: found 'bob', expected one of: walk"},
      {"{at: 1, set: {key: stifness, value: 3}}", "s.yaml:4: commands.0.set.value"},
      {"{at: 1, set: {key: stiffness, value: -3}}", "s.yaml:4: commands.0.set.value"},
      {"{at: 1, motion: {}}", "s.yaml:4: commands.0.motion.source: found no motion, expected"},
  };
  for (const auto& [yaml, expected] : cases) {
    EXPECT_EQ(error_of(start + yaml).substr(0, std::string_view(expected).size()), expected) << yaml;
  }
}

TEST(Scene, AFileThatHasChangedIsRefused) {
  const test::TemporaryFolder folder;
  folder.write("mine.bvh", std::string(*embedded_file("motions/stand.bvh")));
  folder.write("party.yaml", "actors: [{motion: mine.bvh}, {motion: walk}]\n");
  const std::string path = (folder.path() / "mine.bvh").string();
  const Scene scene = read_scene(write_scene(load_scene((folder.path() / "party.yaml").string())), "written");
  EXPECT_EQ(scene.actors[0].motion.source, path);
  ASSERT_EQ(scene.files.size(), 2u);
  EXPECT_NO_THROW(check_files(scene));
  const auto refusal = [&]() -> std::string {
    try {
      make_performers(scene);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  };
  std::string changed = folder.read("mine.bvh");
  changed[changed.size() / 2] ^= 1;
  folder.write("mine.bvh", changed);
  EXPECT_TRUE(refusal().starts_with(path + ": found a file that has changed since the scene was written"))
      << refusal();
  EXPECT_NE(refusal().find("expected the same bytes, hash " + scene.files[0].hash), std::string::npos)
      << refusal();
  std::filesystem::remove(path);
  EXPECT_EQ(refusal(), path + ": found no such file, expected the file the scene was written with");
}

TEST(Platform, MovesSmoothlyAndVelocityIsTheDerivative) {
  PlatformSpec platform;
  platform.amplitude = {0.2, -0.1, 0.05};
  platform.period = 1.7;
  platform.start = 0.3;
  const double h = 1e-6;
  for (double t = 0; t < 4; t += 0.0137) {
    const Vec3 slope = (platform.offset(t + h) - platform.offset(t - h)) / (2 * h);
    EXPECT_LT((slope - platform.velocity(t)).norm(), 1e-8) << t;
    EXPECT_LE(platform.offset(t).norm(), platform.amplitude.norm() + 1e-12);
  }
  // No jump of the velocity where it starts and where the easing ends.
  for (const double t : {platform.start, platform.start + platform.period / 4}) {
    EXPECT_LT((platform.velocity(t + h) - platform.velocity(t - h)).norm(), 1e-4);
  }
  EXPECT_EQ(platform.offset(0.2), Vec3::Zero());
}

}  // namespace
}  // namespace stunt
