#include "stunt/optimize/falls.h"

#include <fmt/format.h>

#include <map>

#include "stunt/core/error.h"

namespace stunt {
namespace {

constexpr double kPushTime = 0.3;  // s
constexpr double kEarliest = 0.3;  // s, of a push
constexpr double kLatest = 0.7;    // of the motion
constexpr double kWaits = 2.5;     // s after the push, in which balance must be lost
constexpr int kDrawsPerFall = 6;   // at most, on average

Scene falling_scene(const FallsSpec& spec, const std::string& motion) {
  Scene scene;
  scene.name = "fall";
  scene.engine = spec.engine;
  scene.contact.time_constant = spec.contact;
  ActorSpec actor;
  actor.name = "faller";
  actor.motion.source = motion;
  actor.falling.foreseen = true;
  scene.actors.push_back(actor);
  return scene;
}

Performer like(const Performer& made) {
  Performer out;
  out.spec = made.spec;
  out.actor = made.actor;
  out.source = made.source;
  out.shown = made.shown;
  out.followed = made.followed;
  out.touching = made.touching;
  make_controller(out);
  return out;
}

}  // namespace

void describe(Fields& fields, ToppledOutcome& outcome) {
  fields("diverged", outcome.diverged);
  fields.group("standard", outcome.standard, "").group("paper", outcome.paper, "");
}

std::vector<std::string> toppled_motions() {
  return {"walk", "run", "stand", "walk_backwards", "march", "sneak", "limp", "squat", "jab", "walk_turn"};
}

std::vector<Toppled> topple(const FallsSpec& spec, const std::function<bool(double)>& progress) {
  if (spec.motions.empty()) throw InputError("falls", "no motion", "motions to fall out of");
  std::vector<Toppled> out;
  std::map<std::string, Performer> made;
  Random random(spec.seed ^ 0x66616c6c73);
  for (int draw = 0; static_cast<int>(out.size()) < spec.count; ++draw) {
    if (draw >= kDrawsPerFall * spec.count)
      throw RunError(fmt::format("of {} pushes only {} toppled anybody", draw, out.size()));
    if (progress && !progress(static_cast<double>(out.size()) / spec.count)) throw RunError("interrupted");
    Toppled one;
    one.motion = spec.motions[static_cast<std::size_t>(draw) % spec.motions.size()];
    Scene scene = falling_scene(spec, one.motion);
    auto known = made.find(one.motion);
    if (known == made.end())
      known = made.emplace(one.motion, std::move(make_performers(scene).front())).first;
    const double length = std::min(known->second.shown->duration(), 20.0);
    const double strength = random.uniform(spec.weakest, spec.strongest), way = random.uniform(-kPi, kPi);
    one.pushed_at = random.uniform(std::min(kEarliest, 0.5 * length), std::max(kEarliest, kLatest * length));
    one.force = strength * Vec3(std::cos(way), std::sin(way), 0);
    scene.duration = one.pushed_at + kWaits + spec.watched;
    scene.pushes.push_back(
        {.actor = "faller", .force = one.force, .start = one.pushed_at, .duration = kPushTime});
    std::vector<Performer> performers;
    performers.push_back(like(known->second));
    one.simulation = std::make_unique<Simulation>(scene, std::move(performers));
    const Falling& falling = one.simulation->acts().front().falling;
    while (!one.simulation->done() && !falling.begun() && one.simulation->time() < one.pushed_at + kWaits)
      one.simulation->step();
    if (!falling.begun() || one.simulation->time() < one.pushed_at) continue;
    one.at = one.simulation->time();
    one.state = one.simulation->save();
    out.push_back(std::move(one));
  }
  return out;
}

ToppledOutcome fall_from(Toppled& start, const FallingSpec& how, const FallsSpec& spec, bool fights) {
  Simulation& simulation = *start.simulation;
  simulation.restore(*start.state);
  Simulation::Act& act = simulation.acts().front();
  act.falling = Falling(how, act.performer.followed);
  if (!fights) act.falling.begin(simulation.seen_now(act));
  InjuryMeter standard(act.slot, simulation.engine().timestep(), InjuryPreset::standard);
  InjuryMeter paper(act.slot, simulation.engine().timestep(), InjuryPreset::paper);
  ToppledOutcome out;
  // Past its own end too: a body that has been down for a second may still roll.
  while (simulation.time() < start.at + spec.watched && simulation.recording().diverged.empty()) {
    simulation.step();
    standard.stepped(simulation.engine());
    paper.stepped(simulation.engine());
  }
  out.diverged = !simulation.recording().diverged.empty();
  out.standard = standard.result();
  out.paper = paper.result();
  return out;
}

}  // namespace stunt
