// Scenes and characters for the tests of the world.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "stunt/simulate/disturbance.h"
#include "stunt/world/engine.h"
#include "stunt/world/scene/compiled_scene.h"

namespace stunt::test {

// Two thighs and feet on a trunk: free root, a ball joint, a stack of two hinges, a hinge.
inline const char* kSmallActor = R"(<mujoco><compiler angle="radian"/><worldbody>
  <body name="trunk" pos="0 0 1"><freejoint/>
    <geom type="box" size="0.1 0.15 0.2" mass="20"/>
    <body name="left_thigh" pos="0 0.1 -0.2">
      <joint name="left_hip" type="ball" range="0 1.5" limited="true" damping="0.5" armature="0.01"/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.05" mass="5"/>
      <body name="left_foot" pos="0 0 -0.35">
        <joint name="left_ankle_y" axis="0 1 0" range="-0.8 0.8" limited="true" damping="0.5" armature="0.01"/>
        <joint name="left_ankle_x" axis="1 0 0" range="-0.5 0.5" limited="true" damping="0.5" armature="0.01"/>
        <geom name="left_box" type="box" size="0.1 0.04 0.02" pos="0.03 0 -0.05" mass="1" contype="2" conaffinity="0"/>
        <geom name="left_toe" type="sphere" size="0.02" pos="0.13 0 -0.05" mass="0.1" contype="1" conaffinity="0"/>
        <geom name="left_heel" type="sphere" size="0.02" pos="-0.07 0 -0.05" mass="0.1" contype="1" conaffinity="0"/>
      </body>
    </body>
    <body name="right_thigh" pos="0 -0.1 -0.2">
      <joint name="right_hip" axis="0 1 0" range="-1.5 1.5" limited="true" damping="0.5" armature="0.01"/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.05" mass="5"/>
      <geom name="mark" type="sphere" size="0.1" mass="0" contype="0" conaffinity="0"/>
    </body>
  </body></worldbody></mujoco>)";

// A model that is no scene: nothing but what the MJCF says.
inline std::shared_ptr<const CompiledScene> compile_mjcf(const std::string& xml) {
  std::array<char, 1000> error{};
  SpecPtr spec(mj_parseXMLString(xml.c_str(), nullptr, error.data(), error.size()));
  if (!spec) throw std::runtime_error(error.data());
  auto scene = std::make_shared<CompiledScene>();
  scene->model.reset(mj_compile(spec.get(), nullptr));
  if (!scene->model) throw std::runtime_error(mjs_getError(spec.get()));
  scene->support_bodies = {0};
  return scene;
}

inline std::shared_ptr<const CompiledScene> compile_yaml(const std::string& yaml,
                                                         const char* actor_xml = kSmallActor) {
  const Scene scene = read_scene(yaml, "test");
  std::vector<PlacedActor> actors;
  for (const ActorSpec& spec : scene.actors) {
    actors.push_back({spec.name, Actor::from_xml(actor_xml, spec.name, "test"), spec.plant.friction});
  }
  return compile(scene, actors, balls_of(scene));
}

}  // namespace stunt::test
