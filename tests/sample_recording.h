// A hand-made scene (ground, sample actors, a ball, a platform) and recordings in it whose numbers are known.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <functional>
#include <stdexcept>

#include "stunt/simulate/recording.h"
#include "tests/sample_actor.h"

namespace stunt {

inline std::shared_ptr<const CompiledScene> sample_scene(const std::vector<ActorPtr>& actors) {
  std::array<char, 500> error{};
  SpecPtr spec(mj_parseXMLString(R"(<mujoco>
    <worldbody>
      <geom name="floor" type="plane" size="0 0 1"/>
      <geom name="rock" type="ellipsoid" size="0.3 0.2 0.1" pos="3 0 0"/>
      <geom name="pole" type="cylinder" size="0.05 0.8" pos="3 1 0.8"/>
      <frame name="here"/>
      <body name="ball" pos="0 2 0.1"><freejoint/><geom type="sphere" size="0.1" rgba="1 0.5 0 1"/></body>
      <body name="platform" pos="4 0 0">
        <joint name="px" type="slide" axis="1 0 0"/>
        <joint name="py" type="slide" axis="0 1 0"/>
        <joint name="pz" type="slide" axis="0 0 1"/>
        <geom type="box" size="1 1 0.05"/>
      </body>
    </worldbody>
  </mujoco>)",
                                 nullptr, error.data(), error.size()));
  if (!spec) throw std::runtime_error(error.data());
  auto scene = std::make_shared<CompiledScene>();
  for (std::size_t i = 0; i < actors.size(); ++i) {
    SpecPtr child(mj_parseXMLString(actors[i]->xml().c_str(), nullptr, error.data(), error.size()));
    mjsElement* root = mjs_firstChild(mjs_findBody(child.get(), "world"), mjOBJ_BODY, 0);
    mjs_attach(mjs_findElement(spec.get(), mjOBJ_FRAME, "here"), root, fmt::format("actor{}/", i).c_str(),
               "");
  }
  scene->model.reset(mj_compile(spec.get(), nullptr));
  if (!scene->model) throw std::runtime_error(mjs_getError(spec.get()));
  const mjModel& m = *scene->model;
  scene->xml.resize(1 << 20);
  mj_saveXMLString(spec.get(), scene->xml.data(), 1 << 20, error.data(), error.size());
  scene->xml.resize(scene->xml.find('\0'));
  const auto first_q = [&](int body) { return m.jnt_qposadr[m.body_jntadr[body]]; };
  const auto first_v = [&](int body) { return m.body_dofadr[body]; };
  for (std::size_t i = 0; i < actors.size(); ++i) {
    const int body =
        mj_name2id(&m, mjOBJ_BODY, fmt::format("actor{}/{}", i, actors[i]->bodies()[0].name).c_str());
    scene->actors.push_back({fmt::format("actor{}", i), actors[i], body, first_q(body), actors[i]->nq(),
                             first_v(body), actors[i]->nv()});
  }
  const int ball = mj_name2id(&m, mjOBJ_BODY, "ball"), platform = mj_name2id(&m, mjOBJ_BODY, "platform");
  scene->free_bodies.push_back({"ball", ball, first_q(ball), first_v(ball), false});
  PlatformSpec platform_spec;
  platform_spec.name = "platform";
  scene->platforms.push_back({platform, first_q(platform), first_v(platform), platform_spec});
  scene->support_bodies = {0, platform};
  return scene;
}

// The reference swings every joint slowly while the root drifts and bobs; 120 samples per second.
inline VecX sample_reference(const Actor& actor, double t) {
  VecX offset(actor.nv()), q;
  for (int i = 0; i < actor.nv(); ++i)
    offset[i] = 0.3 * std::sin(2.0 * t + 0.7 * i) - 0.3 * std::sin(0.7 * i);
  offset.head<6>() << 0.5 * t, 0.1 * t, 0.02 * std::sin(5 * t), 0, 0, 0.4 * t;
  integrate(actor, actor.rest_q(), offset, 1.0, q);
  return q;
}

// The numbers of one sample in a channel of doubles, to be changed.
inline double* row(Channels& channels, const char* name, int sample) {
  Channel& channel = channels.at(name);
  return channel.all<double>().data() + sample * channel.width();
}

// Simulated q as a function of (reference q, time); velocities by central differences. No contacts.
using Disturb = std::function<VecX(const VecX&, double)>;
inline Recording sample_recording(
    std::shared_ptr<const CompiledScene> scene, int samples,
    const Disturb& disturb = [](const VecX& q, double) { return q; }) {
  const mjModel& m = *scene->model;
  Recording r;
  r.scene = scene;
  r.name = "sample";
  r.engine = "mujoco";
  r.seed = 7;
  r.timestep = 0.001;
  r.steps = static_cast<std::uint64_t>(std::lround((samples - 1) / 0.12));
  r.duration = (samples - 1) / 120.0;
  using Type = Channel::Type;
  std::vector<double>&q_all =
      r.channels.add("q", "m, rad", "", static_cast<int>(m.nq), Type::f8).all<double>(),
  &v_all = r.channels.add("v", "m/s, rad/s", "", static_cast<int>(m.nv), Type::f8).all<double>();
  q_all.resize(samples * m.nq);
  v_all.resize(samples * m.nv);
  r.contact_start.assign(samples + 1, 0);
  for (int i = 0; i < samples; ++i) {
    r.time.push_back(i / 120.0);
    std::copy(m.qpos0, m.qpos0 + m.nq, q_all.begin() + i * m.nq);
    q_all[i * m.nq + scene->free_bodies[0].first_q + 2] += 0.5 * r.time[i];  // the ball rises
    q_all[i * m.nq + scene->platforms[0].first_q] = 0.1 * r.time[i];         // the platform moves along X
    v_all[i * m.nv + scene->platforms[0].first_v] = 0.1;
  }
  for (const ActorSlot& slot : scene->actors) {
    ActorTrack track;
    track.name = slot.name;
    track.motion = "swing";
    track.character = slot.actor->name();
    track.controller = "pd";
    track.preset = "default";
    track.slot = slot;
    auto& references = track.channels.add("reference_q", "m, rad", "", slot.nq, Type::f8).all<double>();
    track.channels.add("torque", "Nm, N", "", slot.nv, Type::f4).all<float>().assign(samples * slot.nv, 1.5f);
    VecX v;
    for (int i = 0; i < samples; ++i) {
      const auto at = [&](double t) { return disturb(sample_reference(*slot.actor, t), t); };
      const VecX reference = sample_reference(*slot.actor, r.time[i]), q = at(r.time[i]);
      references.insert(references.end(), reference.begin(), reference.end());
      difference(*slot.actor, at(r.time[i] - 1e-4), at(r.time[i] + 1e-4), v);
      v /= 2e-4;
      std::copy(q.begin(), q.end(), q_all.begin() + i * m.nq + slot.first_q);
      std::copy(v.begin(), v.end(), v_all.begin() + i * m.nv + slot.first_v);
    }
    r.actors.push_back(std::move(track));
  }
  return r;
}

}  // namespace stunt
