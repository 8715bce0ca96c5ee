// Casts for the tests of this folder and of control/.
#pragma once

#include <fmt/format.h>

#include "stunt/simulate/run_scene.h"

namespace stunt::test {

// A simulation of what a scene's text says.
inline std::unique_ptr<Simulation> simulation(const std::string& yaml) {
  const Scene scene = read_scene(yaml, "test");
  return std::make_unique<Simulation>(scene, make_cast(scene).members);
}

// A heavy base that floats, with a rod (mass in kg, length in m) swinging below it on a strong hinge.
inline ActorPtr pendulum(double mass, double length) {
  return Actor::from_xml(fmt::format(R"(<mujoco><worldbody>
    <body name="base" pos="0 0 3"><freejoint/>
      <geom type="box" size="0.5 0.5 0.5" mass="1e6"/>
      <body name="rod" pos="0 0 -0.6">
        <joint name="swing" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0 0 {}" size="0.03" mass="{}"/>
      </body>
    </body></worldbody>
    <actuator><motor joint="swing" gear="1e9" ctrlrange="-1 1"/></actuator></mujoco>)",
                                     -length, mass),
                         "pendulum", "pendulum.xml");
}

// An actor that is asked to stay in its rest pose, floating without gravity and ground. `scene` and
// `controller` are further keys of each.
inline std::unique_ptr<Simulation> floating(ActorPtr actor, const std::string& controller,
                                            const std::string& scene_keys = "", double duration = 2) {
  const Scene scene = read_scene(fmt::format("gravity: 0\nground: {{present: false}}\nduration: {}\n{}\n"
                                             "actors: [{{motion: rest, controller: {{{}}}}}]\n",
                                             duration, scene_keys, controller),
                                 "test");
  const auto frames = static_cast<std::size_t>(duration * 120) + 2;
  CastMember member;
  member.name = "actor";
  member.actor = actor;
  member.reference = std::make_shared<SampledReference>(
      actor, 120.0, std::vector<VecX>(frames, actor->rest_q()),
      std::vector<std::vector<std::uint8_t>>(frames,
                                             std::vector<std::uint8_t>(actor->contact_points().size(), 0)));
  member.followed = member.reference;
  member.controller = make_controller(scene.actors[0].controller, member.reference);
  std::vector<CastMember> cast;
  cast.push_back(std::move(member));
  return std::make_unique<Simulation>(scene, std::move(cast));
}

}  // namespace stunt::test
