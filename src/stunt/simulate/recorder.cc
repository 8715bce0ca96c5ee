#include "stunt/simulate/recorder.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "stunt/control/parts/nudges.h"
#include "stunt/routine/routine.h"
#include "stunt/simulate/simulation.h"

namespace stunt {
namespace {

constexpr double kReservedTime = 600;  // s of recording that memory is set aside for
constexpr double kHardLanding = 1.5;   // weights: contact forces beyond it are looked at in every step

template <typename T, typename Values>
void append(Channel& channel, const Values& values) {
  auto& all = channel.all<T>();
  for (const auto value : values) all.push_back(static_cast<T>(value));
}

}  // namespace

void Recorder::begin(Simulation& simulation, double duration) {
  Recording& r = recording_;
  const Scene& scene = simulation.scene();
  const CompiledScene& compiled = simulation.engine().scene();
  const mjModel& model = *compiled.model;
  r.name = scene.name;
  r.engine = scene.engine;
  r.seed = scene.seed;
  r.timestep = scene.timestep;
  r.duration = duration;

  // Room for the whole run, so that the loop allocates nothing; a very long one grows as it goes.
  const int samples = static_cast<int>(std::min(duration, kReservedTime) * r.rate) + 2;
  r.time.reserve(static_cast<std::size_t>(samples));
  r.contact_start.reserve(static_cast<std::size_t>(samples) + 1);
  r.contact_start.push_back(0);
  r.contacts.reserve(static_cast<std::size_t>(samples) * 12 *
                     std::max<std::size_t>(1, simulation.acts().size()));
  r.marks.reserve(256);
  using Type = Channel::Type;
  q_ = &r.channels.add("q", "m, rad", "coordinates of the scene", static_cast<int>(model.nq), Type::f8);
  v_ = &r.channels.add("v", "m/s, rad/s", "velocities of the scene", static_cast<int>(model.nv), Type::f8);
  q_->reserve(samples);
  v_->reserve(samples);

  for (Simulation::Act& act : simulation.acts()) {
    const Performer& performer = act.performer;
    const Actor& actor = *act.slot.actor;
    const int bodies = static_cast<int>(actor.bodies().size());
    ActorTrack track;
    track.slot = act.slot;
    track.name = performer.spec.name;
    track.motion = performer.source ? performer.source->clip.name : performer.spec.motion.source;
    track.character = performer.spec.character;
    track.controller = performer.spec.controller.kind();
    track.preset = performer.spec.controller.preset();
    track.pedestal = performer.spec.controller.help.pedestal;
    track.notes = performer.notes;
    track.warnings = performer.warnings;
    track.source = performer.source;
    if (const Nudges* nudges = performer.controller->nudges()) {
      for (const auto& [from, to] : nudges->spans()) track.rehearsed.push_back({from, to});
    }
    const auto add = [&](const char* name, const char* unit, const char* help, int width, Type type) {
      track.channels.add(name, unit, help, width, type).reserve(samples);
    };
    if (performer.shown) {
      add("reference_q", "m, rad", "the cleaned motion, as it is shown and scored", act.slot.nq, Type::f8);
      if (!actor.contact_points().empty()) {
        add("reference_contacts", "", "1 where the motion has a contact point of the feet on the ground",
            static_cast<int>(actor.contact_points().size()), Type::u1);
      }
    }
    if (performer.routine) {
      track.states = performer.routine->states();
      add("state", "", "which segment of its routine it plays", 1, Type::u1);
    }
    const std::span<const Muscle> muscles = act.actuators->muscles();
    track.muscles.assign(muscles.begin(), muscles.end());
    if (!muscles.empty()) {
      const int count = static_cast<int>(muscles.size());
      add("muscle_activation", "", "of each muscle, 0 to 1", count, Type::f4);
      add("muscle_force", "N", "of each muscle, along its path", count, Type::f4);
    }
    add("torque", "Nm, N", "as applied, limits included; a free root's entries are unphysical help",
        act.slot.nv, Type::f4);
    add("acceleration", "m/s^2, rad/s^2", "of the coordinates, over the step that the sample lies in",
        act.slot.nv, Type::f4);
    add("body_acceleration", "m/s^2", "of each body's centre of mass, world axes; 0 at rest", 3 * bodies,
        Type::f4);
    add("joint_reaction", "N, Nm", "force and torque of the parent on each body, at the joint, world axes",
        6 * bodies, Type::f4);
    add("contact_impulse", "N s", "of contacts on each body since the last sample, world axes", 3 * bodies,
        Type::f4);
    add("contact_peak", "N", "largest contact force on each body since the last sample", bodies, Type::f4);
    add("joint_force_peak", "N", "largest force through each joint since the last sample", bodies, Type::f4);
    add("joint_torque_peak", "Nm", "largest torque through each joint since the last sample", bodies,
        Type::f4);
    add("body_acceleration_peak", "m/s^2", "largest of each body since the last sample", bodies, Type::f4);
    r.actors.push_back(std::move(track));
    const auto n = static_cast<std::size_t>(bodies);
    since_.push_back({std::vector<float>(3 * n), std::vector<float>(n), std::vector<float>(n),
                      std::vector<float>(n), std::vector<float>(n)});
  }
}

// Contact forces of every step; joint forces and accelerations, which cost more, in the steps of an impact: where more
// than feet are touched, or the feet carry much more than the weight. Between impacts the samples show them.
void Recorder::stepped(Simulation& simulation) {
  Engine& engine = simulation.engine();
  const double h = engine.timestep(), gravity = simulation.scene().gravity;
  for (std::size_t a = 0; a < since_.size(); ++a) {
    const ActorSlot& slot = recording_.actors[a].slot;
    const Actor& actor = *slot.actor;
    Since& since = since_[a];
    double load = 0;
    bool hit = false;
    for (const Contact& contact : engine.contacts()) {
      for_own_sides(contact, slot, [&](int body, int, double sign) {
        const double force = contact.force.norm();
        const auto b = static_cast<std::size_t>(body);
        for (std::size_t k = 0; k < 3; ++k)
          since.impulse[3 * b + k] += static_cast<float>(h * sign * contact.force[static_cast<int>(k)]);
        since.contact_peak[b] = std::max(since.contact_peak[b], static_cast<float>(force));
        load += force;
        hit = hit || !actor.is_foot(body);
      });
    }
    if (hit || load > kHardLanding * actor.mass() * gravity) look_at_forces(engine, slot, since);
  }
}

void Recorder::look_at_forces(Engine& engine, const ActorSlot& slot, Since& since) {
  const auto keep = [](float& peak, double value) { peak = std::max(peak, static_cast<float>(value)); };
  for (std::size_t b = 0; b < since.force_peak.size(); ++b) {
    const int body = slot.first_body + static_cast<int>(b);
    const Wrench reaction = engine.joint_reaction(body);
    keep(since.force_peak[b], reaction.force.norm());
    keep(since.torque_peak[b], reaction.torque.norm());
    keep(since.acceleration_peak[b], engine.body_acceleration(body).norm());
  }
}

void Recorder::sampled(Simulation& simulation, const Moment& moment) {
  Recording& r = recording_;
  Engine& engine = simulation.engine();
  r.time.push_back(moment.time);
  append<double>(*q_, moment.q);
  append<double>(*v_, moment.v);
  for (const Contact& contact : engine.contacts()) {
    RecordedContact kept{contact.body1, contact.body2, {}, {}};
    for (int i = 0; i < 3; ++i) {
      kept.point[i] = static_cast<float>(contact.point[i]);
      kept.force[i] = static_cast<float>(contact.force[i]);
    }
    r.contacts.push_back(kept);
  }
  r.contact_start.push_back(static_cast<std::uint32_t>(r.contacts.size()));

  for (std::size_t a = 0; a < since_.size(); ++a) {
    ActorTrack& track = r.actors[a];
    Channels& channels = track.channels;
    const Simulation::Act& act = simulation.acts()[a];
    if (act.performer.shown && track.has_reference()) {
      act.performer.shown->sample(moment.time - act.clock_start, target_);
      append<double>(channels.at("reference_q"), target_.q);
      if (channels.find("reference_contacts"))
        append<std::uint8_t>(channels.at("reference_contacts"), target_.contacts);
    }
    if (act.performer.routine && channels.find("state"))
      append<std::uint8_t>(channels.at("state"), std::array{act.performer.routine->state()});
    append<float>(channels.at("torque"), act.torque);
    if (!track.muscles.empty()) {
      const MuscleState& muscles = *act.actuators->muscle_state();
      append<float>(channels.at("muscle_activation"), muscles.activation);
      append<float>(channels.at("muscle_force"), muscles.force);
    }
    append<float>(channels.at("acceleration"), moment.rate.segment(track.slot.first_v, track.slot.nv));
    look_at_forces(engine, track.slot, since_[a]);
    auto& accelerations = channels.at("body_acceleration").all<float>();
    auto& reactions = channels.at("joint_reaction").all<float>();
    for (std::size_t b = 0; b < since_[a].contact_peak.size(); ++b) {
      const int body = track.slot.first_body + static_cast<int>(b);
      const Vec3 acceleration = engine.body_acceleration(body);
      const Wrench reaction = engine.joint_reaction(body);
      for (int k = 0; k < 3; ++k) accelerations.push_back(static_cast<float>(acceleration[k]));
      for (int k = 0; k < 3; ++k) reactions.push_back(static_cast<float>(reaction.force[k]));
      for (int k = 0; k < 3; ++k) reactions.push_back(static_cast<float>(reaction.torque[k]));
    }
    Since& since = since_[a];
    const auto flush = [&](const char* name, std::vector<float>& values) {
      append<float>(channels.at(name), values);
      std::fill(values.begin(), values.end(), 0.0f);
    };
    flush("contact_impulse", since.impulse);
    flush("contact_peak", since.contact_peak);
    flush("joint_force_peak", since.force_peak);
    flush("joint_torque_peak", since.torque_peak);
    flush("body_acceleration_peak", since.acceleration_peak);
  }
}

void Recorder::go_back(int samples, std::size_t marks, std::vector<Since> since) {
  Recording& r = recording_;
  r.time.resize(static_cast<std::size_t>(samples));
  r.channels.truncate(samples);
  for (ActorTrack& track : r.actors) track.channels.truncate(samples);
  r.contact_start.resize(static_cast<std::size_t>(samples) + 1);
  r.contacts.resize(r.contact_start.back());
  r.marks.resize(marks);
  since_ = std::move(since);
}

}  // namespace stunt
