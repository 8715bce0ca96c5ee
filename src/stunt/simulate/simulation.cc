#include "stunt/simulate/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "stunt/core/error.h"
#include "stunt/reference/staging/feasibility.h"
#include "stunt/reference/staging/live_edit.h"
#include "stunt/routine/routine.h"
#include "stunt/simulate/apart_at_start.h"

namespace stunt {
namespace {

constexpr double kLargestJointSpeed = 200;                  // rad/s, m/s: beyond is divergence, not motion
constexpr double kWatchAfterFall = 1.0;                     // s of simulation after everybody is down
constexpr std::uint64_t kTorqueNoiseSeed = 0x746f72717565;  // apart from the sequence of throws

using Clock = std::chrono::steady_clock;
double seconds(Clock::duration d) { return std::chrono::duration<double>(d).count(); }

std::vector<PlacedActor> placed_actors(const std::vector<Performer>& performers) {
  std::vector<PlacedActor> actors;
  for (const Performer& performer : performers) {
    actors.push_back({performer.spec.name, performer.actor, performer.spec.plant.friction, performer.touching,
                      performer.spec.attach});
  }
  return actors;
}

double run_duration(const Scene& scene, const std::vector<Performer>& performers) {
  if (scene.duration > 0) return scene.duration;
  double longest = 0;
  for (const Performer& performer : performers) {
    const double duration = performer.shown ? performer.shown->duration() : 0;
    if (std::isfinite(duration)) longest = std::max(longest, duration);
  }
  if (longest <= 0)
    throw InputError("duration", "none, and no motion that ends", "how many seconds to simulate");
  return longest;
}

// An engine for everybody, or for those who are simulated at a time.
std::unique_ptr<Engine> engine_for(const Scene& scene, std::vector<PlacedActor> actors,
                                   std::shared_ptr<const CompiledScene> compiled) {
  std::vector<char> simulated;
  for (const ActorSpec& spec : scene.actors) simulated.push_back(spec.when == "always");
  if (std::find(simulated.begin(), simulated.end(), 0) == simulated.end())
    return make_engine(scene.engine, std::move(compiled));
  const auto compile_part = [environment = static_cast<const Environment&>(scene), actors = std::move(actors),
                             balls = balls_of(scene)](const std::vector<char>& wanted) {
    std::vector<PlacedActor> part;
    for (std::size_t i = 0; i < actors.size(); ++i) {
      if (wanted[i]) part.push_back(actors[i]);
    }
    return compile(environment, part, balls);
  };
  return std::make_unique<PlayedEngine>(scene.engine, std::move(compiled), compile_part, simulated);
}

Scene with_commands_in_order(Scene scene) {
  std::stable_sort(scene.commands.begin(), scene.commands.end(),
                   [](const Command& a, const Command& b) { return a.at < b.at; });
  return scene;
}

}  // namespace

Simulation::Simulation(const Scene& scene) : Simulation(scene, make_performers(scene)) {}

Simulation::Simulation(const Scene& scene, std::vector<Performer> performers)
    : scene_(with_commands_in_order(scene)),
      compiled_(compile(scene_, placed_actors(performers), balls_of(scene_))),
      engine_(engine_for(scene_, placed_actors(performers), compiled_)),
      played_(dynamic_cast<PlayedEngine*>(engine_.get())),
      asking_(dynamic_cast<AsksForAnswer*>(engine_.get())),
      surroundings_(std::make_unique<Surroundings>(*engine_)),
      disturbances_(scene_, *compiled_),
      grips_(*compiled_) {
  const double duration = run_duration(scene_, performers);
  const mjModel& model = *compiled_->model;
  previous_q_ = Eigen::Map<const VecX>(engine_->q().data(), model.nq);
  previous_v_ = Eigen::Map<const VecX>(engine_->v().data(), model.nv);
  Random seeds(scene_.seed ^ kTorqueNoiseSeed);
  acts_.reserve(performers.size());
  for (std::size_t i = 0; i < performers.size(); ++i) {
    const ActorSlot& slot = compiled_->actors[i];
    const PlantSpec plant = performers[i].spec.plant;
    const int delay = static_cast<int>(std::lround(plant.sensor_delay / scene_.timestep));
    ReferenceSample start;
    performers[i].followed->sample(0, start);
    previous_q_.segment(slot.first_q, slot.nq) = start.q;
    previous_v_.segment(slot.first_v, slot.nv) = start.v;
    std::unique_ptr<Actuators> actuators = performers[i].controller->own_actuators();
    Random noise = seeds.split();
    if (!actuators)
      actuators = std::make_unique<Motors>(slot.actor, plant.torque_noise, noise, plant.motor_noise);
    Falling falling(performers[i].spec.falling, performers[i].followed);
    Act act{.performer = std::move(performers[i]),
            .slot = slot,
            .senses = Senses(slot, delay),
            .fall_watch = FallWatch(slot, scene_.ground),
            .actuators = std::move(actuators),
            .falling = std::move(falling)};
    act.playing.simulated = act.performer.spec.when == "always";
    act.playing.lag = VecX::Zero(slot.nv);
    act.start_q = start.q;
    act.start_v = start.v;
    act.actuation.torque = act.torque = VecX::Zero(slot.nv);
    acts_.push_back(std::move(act));
  }
  check_apart_at_start(*compiled_, previous_q_);
  engine_->set_state({previous_q_.data(), static_cast<std::size_t>(model.nq)},
                     {previous_v_.data(), static_cast<std::size_t>(model.nv)});
  between_q_ = previous_q_;
  between_v_ = previous_v_;
  way_ = rate_ = VecX::Zero(model.nv);
  recorder_.recording().scene = compiled_;
  recorder_.begin(*this, duration);
  for (Act& act : acts_) {
    sense(act);
    act.senses.settle(*engine_, act.observation);
    if (act.performer.routine) act.performer.routine->reset(act.observation);
    act.performer.controller->reset(act.observation);
  }
  watch(recorder_);
  sample_due();
}

Simulation::~Simulation() = default;

bool Simulation::done() const {
  const Recording& r = recording();
  return !r.diverged.empty() || time() > r.duration - 0.5 * r.timestep ||
         (all_down_since_ >= 0 && time() > all_down_since_ + kWatchAfterFall);
}

void Simulation::step() {
  Recording& r = recorder_.recording();
  const auto start = Clock::now();
  obey_commands();
  for (std::size_t i = 0; i < acts_.size(); ++i) {
    Act& act = acts_[i];
    if (play_on(i)) continue;
    sense(act);
    if (act.performer.routine) act.performer.routine->update(act.observation);
    act.actuation.torque.setZero();
    act.actuation.excitation.setZero();
    act.performer.controller->actuate(act.observation, act.actuation);
    const bool falls = act.falling.take_over(act.observation, r.actors[i].fall.has_value(), act.actuation);
    if (asking_) answer_contacts(i, falls);
    drive(act);
  }
  const auto acted = Clock::now();
  disturbances_.apply(time(), *engine_, r.marks);
  grips_.update(time(), *engine_);
  engine_->step();
  const auto stepped = Clock::now();
  tell_observers();

  ++r.steps;
  r.controller_s += seconds(acted - start);
  r.engine_s += seconds(stepped - acted);
  r.wall_s += seconds(Clock::now() - start);
}

void Simulation::sense(Act& act) {
  Observation& seen = act.observation;
  seen.time = time() - act.clock_start;
  seen.timestep = scene_.timestep;
  seen.surroundings = surroundings_.get();
  act.senses.read(*engine_, seen, disturbances_.acting());
  act.actuators->sense(act.senses.q(), act.senses.v(), seen);
  if (!act.motion_over && act.performer.shown && seen.time >= act.performer.shown->duration()) {
    act.motion_over = true;
    act.senses.add_event({Event::Kind::motion_ended}, seen);
  }
}

// An engine that asks how a controller would answer to other contact forces than planned is told whom to ask.
void Simulation::answer_contacts(std::size_t i, bool falls) {
  auto* answer = falls ? nullptr : dynamic_cast<ContactAnswer*>(acts_[i].performer.controller.get());
  asking_->set_contact_answer(static_cast<int>(i), answer && answer->answers() ? answer : nullptr);
}

void Simulation::drive(Act& act) {
  const ActorSlot& slot = act.slot;
  act.actuators->drive(act.senses.q(), act.senses.v(), scene_.timestep, act.actuation, act.torque);
  if (slot.actor->has_free_root()) act.help_sum += act.torque.head<3>().norm();
  VecX::Map(engine_->joint_forces().data() + slot.first_v, slot.nv) = act.torque;
}

void Simulation::tell_observers() {
  const mjModel& model = *compiled_->model;
  const Eigen::Map<const VecX> q(engine_->q().data(), model.nq), v(engine_->v().data(), model.nv);
  if (!q.allFinite() || !v.allFinite()) {
    recorder_.recording().diverged = fmt::format("the state is not finite at {:.3f} s", time());
    return;
  }
  for (Observer* observer : observers_) observer->stepped(*this);
  sample_due();
  previous_q_ = q;
  previous_v_ = v;
}

// Samples fall on exact multiples of 1/rate, between two steps: positions by the parabola through both steps
// with the curvature of the velocity change, so that derivatives of the recording show no jitter; velocities on
// the line between. Forces are those of the step that the sample lies in.
void Simulation::sample_due() {
  Recording& r = recorder_.recording();
  const mjModel& model = *compiled_->model;
  const double now = time(), dt = r.timestep;
  const Eigen::Map<const VecX> v(engine_->v().data(), model.nv);
  for (;;) {
    const double due = r.samples() / r.rate;
    if (due > now + 1e-9) break;
    if (r.steps > 0 || r.samples() > 0) {
      const double since = std::clamp(due - (now - dt), 0.0, dt);
      way_ = v * since - (v - previous_v_) * (since * (dt - since) / (2 * dt));
      between_q_ = previous_q_;
      mj_integratePos(&model, between_q_.data(), way_.data(), 1.0);
      rate_ = (v - previous_v_) / dt;
      between_v_ = previous_v_ + since * rate_;
    }
    const Moment moment{due, between_q_, between_v_, rate_};
    for (Observer* observer : observers_) observer->sampled(*this, moment);
    judge(moment);
  }
}

// Who has fallen, and whether this is still motion.
void Simulation::judge(const Moment& moment) {
  Recording& r = recorder_.recording();
  bool all_down = !acts_.empty();
  for (std::size_t i = 0; i < acts_.size(); ++i) {
    Act& act = acts_[i];
    const ActorSlot& slot = act.slot;
    for (int j = slot.actor->root_dofs(); j < slot.nv; ++j) {
      const double speed = std::abs(engine_->v()[static_cast<std::size_t>(slot.first_v + j)]);
      if (speed > kLargestJointSpeed && r.diverged.empty()) {
        r.diverged = fmt::format("a joint of {} turns with {:.0f} rad/s at {:.3f} s", act.performer.spec.name,
                                 speed, moment.time);
      }
    }
    const double* reference = nullptr;
    if (act.performer.shown) {
      act.performer.shown->sample(moment.time - act.clock_start, act.target);
      reference = act.target.q.data();
    }
    if (auto fall = act.fall_watch.update(moment.time, &moment.q[slot.first_q], reference, *engine_)) {
      r.actors[i].fall = std::move(fall);
    }
    all_down = all_down && r.actors[i].fall.has_value();
  }
  if (all_down && all_down_since_ < 0) all_down_since_ = moment.time;
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
  return finish();
}

Recording Simulation::finish() {
  Recording& r = recorder_.recording();
  for (std::size_t i = 0; i < acts_.size(); ++i) {
    ActorTrack& track = r.actors[i];
    if (const auto& routine = acts_[i].performer.routine) {
      for (const Routine::Hit& hit : routine->missed()) {
        track.notes.push_back(fmt::format("{} at {:.2f} s: the target is {:.2f} m out of reach",
                                          routine->segments()[static_cast<std::size_t>(hit.segment)].name,
                                          hit.at + acts_[i].clock_start, hit.short_by));
      }
    }
    grips_.describe(static_cast<int>(i), time(), track.notes, track.warnings);
    if (acts_[i].performer.edited) {
      FeasibilitySettings doubts;
      for (const Grips::Grip& grip : grips_.grips()) {
        if (grip.stage != Grips::Stage::waiting)
          doubts.held.push_back(
              {grip.closed_at, grip.stage == Grips::Stage::holding ? time() : grip.opened_at});
      }
      const std::string doubt =
          infeasible_text(infeasible_stretches(*excerpt(*acts_[i].performer.followed, 0, time()), doubts));
      if (!doubt.empty()) track.warnings.push_back(doubt);
    }
    track.assist_force_mean = r.steps ? acts_[i].help_sum / static_cast<double>(r.steps) : 0;
    if (const PlanTiming* timing = acts_[i].performer.controller->plan_timing()) {
      track.plan_us = timing->microseconds;
      track.plans_relaxed = timing->relaxed;
    }
  }
  r.scene_text = write_scene(scene_);
  return std::move(r);
}

}  // namespace stunt
