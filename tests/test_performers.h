// Simulations for the tests of simulate/ and control/.
#pragma once

#include <fmt/format.h>

#include "stunt/simulate/simulation.h"

namespace stunt::test {

// A simulation of what a scene's text says.
inline std::unique_ptr<Simulation> simulation(const std::string& yaml) {
  return std::make_unique<Simulation>(read_scene(yaml, "test"));
}

// A controller as a scene would describe it: "{type: pd, assist: 0.5}".
inline std::unique_ptr<Controller> controller_from(const std::string& yaml, ReferencePtr reference) {
  Config config = Config::parse(yaml, "test");
  ControllerSpec spec;
  read_settings(config, spec);
  config.done();
  return make_controller(spec, std::move(reference));
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

// The scene's first character with this body, asked to stay in its rest pose; it has no controller yet.
inline std::vector<Performer> resting(const Scene& scene, ActorPtr actor, double duration) {
  const auto frames = static_cast<std::size_t>(duration * 120) + 2;
  std::vector<Performer> performers(1);
  Performer& performer = performers[0];
  performer.spec = scene.actors.at(0);
  performer.shown = std::make_shared<SampledReference>(
      actor, 120.0, std::vector<VecX>(frames, actor->rest_q()),
      std::vector<std::vector<std::uint8_t>>(frames,
                                             std::vector<std::uint8_t>(actor->contact_points().size(), 0)));
  performer.followed = performer.shown;
  performer.actor = vary(actor, performer.spec.plant.body);
  return performers;
}

// An actor that is asked to stay in its rest pose, floating without gravity and ground. `scene` and
// `controller` are further keys of each.
inline std::unique_ptr<Simulation> floating(ActorPtr actor, const std::string& controller,
                                            const std::string& scene_keys = "", double duration = 2) {
  const Scene scene = read_scene(fmt::format("gravity: 0\nground: {{present: false}}\nduration: {}\n{}\n"
                                             "actors: [{{motion: rest, controller: {{{}}}}}]\n",
                                             duration, scene_keys, controller),
                                 "test");
  std::vector<Performer> performers = resting(scene, std::move(actor), duration);
  make_controller(performers[0]);
  return std::make_unique<Simulation>(scene, std::move(performers));
}

}  // namespace stunt::test
