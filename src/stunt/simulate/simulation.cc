#include "stunt/simulate/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "stunt/core/error.h"

namespace stunt {
namespace {

constexpr double kLargestJointSpeed = 200;                  // rad/s, m/s: beyond is divergence, not motion
constexpr double kWatchAfterFall = 1.0;                     // s of simulation after everybody is down
constexpr std::uint64_t kTorqueNoiseSeed = 0x746f72717565;  // apart from the sequence of throws
constexpr double kReservedTime = 600;                       // s of recording that memory is set aside for

using Clock = std::chrono::steady_clock;
double seconds(Clock::duration d) { return std::chrono::duration<double>(d).count(); }

std::vector<ActorPtr> actors_of(const std::vector<CastMember>& cast) {
  std::vector<ActorPtr> actors;
  for (const CastMember& member : cast) actors.push_back(member.actor);
  return actors;
}

double run_duration(const Scene& scene, const std::vector<CastMember>& cast) {
  if (scene.duration > 0) return scene.duration;
  double longest = 0;
  for (const CastMember& member : cast) {
    const double duration = member.reference->duration();
    if (std::isfinite(duration)) longest = std::max(longest, duration);
  }
  if (longest <= 0)
    throw InputError("duration", "none, and no motion that ends", "how many seconds to simulate");
  return longest;
}

}  // namespace

// What a character senses at one moment.
struct Simulation::Senses {
  VecX q, v;
  std::vector<ActorContact> contacts;
};

struct Simulation::Player {
  CastMember member;
  ActorSlot slot;
  FallWatch fall_watch;
  Observation observation;
  std::vector<Senses> senses;  // a ring: now, and the past that a sensor delay needs
  std::size_t newest = 0;
  double torque_noise;
  Random random;  // of the torque noise
  Actuation actuation;
  ReferenceSample target;
  double help_sum = 0;  // N, of the root's unphysical force over all steps
};

Simulation::Simulation(const Scene& scene, std::vector<CastMember> cast)
    : ground_(scene.ground),
      compiled_(compile(scene, actors_of(cast))),
      engine_(make_engine(scene.engine, compiled_)),
      disturbances_(scene, *compiled_) {
  recording_.scene = compiled_;
  recording_.name = scene.name;
  recording_.engine = scene.engine;
  recording_.seed = scene.seed;
  recording_.timestep = scene.timestep;
  recording_.duration = run_duration(scene, cast);

  // Room for the whole run, so that the loop allocates nothing; a very long one grows as it goes.
  const auto samples =
      static_cast<std::size_t>(std::min(recording_.duration, kReservedTime) * recording_.rate) + 2;
  const mjModel& model = *compiled_->model;
  recording_.time.reserve(samples);
  recording_.q.reserve(samples * model.nq);
  recording_.v.reserve(samples * model.nv);
  recording_.contact_start.reserve(samples + 1);
  recording_.contact_start.push_back(0);
  recording_.contacts.reserve(samples * 12 * std::max<std::size_t>(1, cast.size()));

  previous_q_ = Eigen::Map<const VecX>(engine_->q().data(), model.nq);
  previous_v_ = Eigen::Map<const VecX>(engine_->v().data(), model.nv);
  Random seeds(scene.seed ^ kTorqueNoiseSeed);
  for (std::size_t i = 0; i < cast.size(); ++i) {
    const ActorSlot& slot = compiled_->actors[i];
    const PlantSpec& plant = scene.actors[i].plant;
    const auto delay = static_cast<std::size_t>(std::lround(plant.sensor_delay / scene.timestep));
    Player player{std::move(cast[i]),
                  slot,
                  FallWatch(slot, ground_),
                  {},
                  {},
                  0,
                  plant.torque_noise,
                  seeds.split(),
                  {},
                  {}};
    player.senses.resize(delay + 1);
    const ReferencePtr& start = player.member.followed ? player.member.followed : player.member.reference;
    start->sample(0, player.target);
    previous_q_.segment(slot.first_q, slot.nq) = player.target.q;
    previous_v_.segment(slot.first_v, slot.nv) = player.target.v;
    for (Senses& senses : player.senses) senses.contacts.reserve(64);
    player.actuation.torque = VecX::Zero(slot.nv);
    players_.push_back(std::move(player));

    ActorTrack track;
    const CastMember& member = players_.back().member;
    track.name = member.name;
    track.motion = member.motion;
    track.character = member.character;
    track.controller = member.controller_name;
    track.preset = member.preset;
    track.pedestal = member.pedestal;
    track.nq = slot.nq;
    track.nv = slot.nv;
    track.reference_q.reserve(samples * slot.nq);
    track.torque.reserve(samples * slot.nv);
    recording_.actors.push_back(std::move(track));
  }
  engine_->set_state({previous_q_.data(), static_cast<std::size_t>(model.nq)},
                     {previous_v_.data(), static_cast<std::size_t>(model.nv)});
  between_q_ = previous_q_;
  step_v_ = previous_v_;
  for (Player& player : players_) {
    for (std::size_t k = 0; k < player.senses.size(); ++k) observe(player);  // it was always so
    player.member.controller->reset(player.observation);
  }
  record_sample(0);
}

Simulation::~Simulation() = default;

bool Simulation::done() const {
  return !recording_.diverged.empty() || time() > recording_.duration - 0.5 * recording_.timestep ||
         (all_down_since_ >= 0 && time() > all_down_since_ + kWatchAfterFall);
}

void Simulation::step() {
  const auto start = Clock::now();
  for (Player& player : players_) {
    observe(player);
    player.actuation.torque.setZero();
    player.member.controller->actuate(player.observation, player.actuation);
    act(player);
  }
  const auto acted = Clock::now();
  disturbances_.apply(time(), *engine_, recording_.push_marks);
  engine_->step();
  const auto stepped = Clock::now();
  sample_if_due();

  ++recording_.steps;
  recording_.controller_s += seconds(acted - start);
  recording_.engine_s += seconds(stepped - acted);
  recording_.wall_s += seconds(Clock::now() - start);
}

// What the character senses: its own state and the contacts of the last step, or of as long ago as its senses
// take.
void Simulation::observe(Player& player) {
  const ActorSlot& slot = player.slot;
  Observation& seen = player.observation;
  seen.time = time();
  seen.timestep = recording_.timestep;
  player.newest = (player.newest + 1) % player.senses.size();
  Senses& now = player.senses[player.newest];
  now.q = Eigen::Map<const VecX>(engine_->q().data() + slot.first_q, slot.nq);
  now.v = Eigen::Map<const VecX>(engine_->v().data() + slot.first_v, slot.nv);
  now.contacts.clear();
  for (const Contact& contact : engine_->contacts()) {
    for (const bool second : {false, true}) {
      const int own = second ? contact.body2 : contact.body1, other = second ? contact.body1 : contact.body2;
      const int body = own - slot.first_body;
      if (body < 0 || body >= static_cast<int>(slot.actor->bodies().size())) continue;
      const double sign = second ? 1 : -1;
      now.contacts.push_back({body, contact.point, sign * contact.normal, sign * contact.force,
                              engine_->body_velocity_at(other, contact.point), compiled_->is_support(other)});
    }
  }
  const Senses& oldest = player.senses[(player.newest + 1) % player.senses.size()];
  seen.q = oldest.q;
  seen.v = oldest.v;
  seen.contacts = oldest.contacts;
}

// Joint torques within the character's strength go to the engine; the root's six entries are help from
// outside.
void Simulation::act(Player& player) {
  const ActorSlot& slot = player.slot;
  VecX& torque = player.actuation.torque;
  const VecX& limit = slot.actor->torque_limits();
  torque.tail(slot.nv - 6) =
      torque.tail(slot.nv - 6).cwiseMax(-limit.tail(slot.nv - 6)).cwiseMin(limit.tail(slot.nv - 6));
  if (player.torque_noise > 0) {
    for (int j = 6; j < slot.nv; ++j) torque[j] *= 1 + player.torque_noise * player.random.normal();
  }
  player.help_sum += torque.head<3>().norm();
  VecX::Map(engine_->joint_forces().data() + slot.first_v, slot.nv) = torque;
}

// Samples fall on exact multiples of 1/rate, between two steps: positions by the parabola through both steps
// with the curvature of the velocity change, so that derivatives of the recording show no jitter.
void Simulation::sample_if_due() {
  const mjModel& model = *compiled_->model;
  const double now = time(), dt = recording_.timestep;
  const Eigen::Map<const VecX> q(engine_->q().data(), model.nq), v(engine_->v().data(), model.nv);
  if (!q.allFinite() || !v.allFinite()) {
    recording_.diverged = fmt::format("the state is not finite at {:.3f} s", now);
    return;
  }
  for (;;) {
    const double due = recording_.samples() / recording_.rate;
    if (due > now + 1e-9) break;
    const double since = std::clamp(due - (now - dt), 0.0, dt);
    step_v_ = v * since - (v - previous_v_) * (since * (dt - since) / (2 * dt));
    between_q_ = previous_q_;
    mj_integratePos(&model, between_q_.data(), step_v_.data(), 1.0);
    record_sample(due);
  }
  previous_q_ = q;
  previous_v_ = v;
}

void Simulation::record_sample(double t) {
  const mjModel& model = *compiled_->model;
  recording_.time.push_back(t);
  recording_.q.insert(recording_.q.end(), between_q_.data(), between_q_.data() + model.nq);
  const auto v = engine_->v();
  recording_.v.insert(recording_.v.end(), v.begin(), v.end());
  for (const Contact& contact : engine_->contacts()) {
    RecordedContact kept{contact.body1, contact.body2, {}, {}};
    for (int i = 0; i < 3; ++i) {
      kept.point[i] = static_cast<float>(contact.point[i]);
      kept.force[i] = static_cast<float>(contact.force[i]);
    }
    recording_.contacts.push_back(kept);
  }
  recording_.contact_start.push_back(static_cast<std::uint32_t>(recording_.contacts.size()));

  bool all_down = !players_.empty();
  for (std::size_t i = 0; i < players_.size(); ++i) {
    Player& player = players_[i];
    ActorTrack& track = recording_.actors[i];
    player.member.reference->sample(t, player.target);
    track.reference_q.insert(track.reference_q.end(), player.target.q.data(),
                             player.target.q.data() + track.nq);
    const VecX& torque = player.actuation.torque;
    for (int j = 0; j < track.nv; ++j) track.torque.push_back(static_cast<float>(torque[j]));
    const ActorSlot& slot = player.slot;
    for (int j = 6; j < slot.nv; ++j) {
      if (std::abs(v[slot.first_v + j]) > kLargestJointSpeed && recording_.diverged.empty()) {
        recording_.diverged = fmt::format("a joint of {} turns with {:.0f} rad/s at {:.3f} s", track.name,
                                          std::abs(v[slot.first_v + j]), t);
      }
    }
    if (auto fall = player.fall_watch.update(t, &between_q_[slot.first_q], player.target.q, *engine_)) {
      track.fall = std::move(fall);
    }
    all_down = all_down && track.fall.has_value();
  }
  if (all_down && all_down_since_ < 0) all_down_since_ = t;
}

Recording Simulation::run(const std::function<bool(double)>& progress) {
  constexpr int kStepsBetweenProgress = 50;
  for (std::uint64_t i = 0; !done(); ++i) {
    step();
    if (progress && i % kStepsBetweenProgress == 0 && !progress(time())) {
      throw RunError(
          fmt::format("interrupted at {:.2f} s of {:.2f} s; nothing was written", time(), duration()));
    }
  }
  for (std::size_t i = 0; i < players_.size(); ++i) {
    ActorTrack& track = recording_.actors[i];
    track.assist_force_mean =
        recording_.steps ? players_[i].help_sum / static_cast<double>(recording_.steps) : 0;
    if (const PlanTiming* timing = players_[i].member.controller->plan_timing()) {
      track.plan_us = timing->microseconds;
      track.plans_relaxed = timing->relaxed;
    }
  }
  return std::move(recording_);
}

}  // namespace stunt
