// Commands: what changes a run from outside, between two steps.
#include <fmt/format.h>

#include <algorithm>

#include "stunt/core/error.h"
#include "stunt/motion/load.h"
#include "stunt/routine/routine.h"
#include "stunt/simulate/simulation.h"

namespace stunt {

void Simulation::command(Command command) {
  command.at = std::max(command.at, time());
  const auto later = [](const Command& a, const Command& b) { return a.at < b.at; };
  Scene with = scene_;
  const auto first = with.commands.begin() + static_cast<long>(next_command_);
  const auto place =
      with.commands.insert(std::upper_bound(first, with.commands.end(), command, later), command);
  const auto index = static_cast<std::size_t>(place - with.commands.begin());
  // It is taken from the text that the recording will keep: what cannot be repeated is refused now, and not in the
  // middle of the run.
  with = read_scene(write_settings(with), "command");
  const Command& taken = with.commands[index];
  Disturbances as_they_are = disturbances_;
  if (const auto* push = std::get_if<PushSpec>(&taken.what)) as_they_are.add(*push, "command");
  if (const auto* thrown = std::get_if<ThrowSpec>(&taken.what)) as_they_are.add(*thrown, "command");
  if (const auto* poke = std::get_if<PokeSpec>(&taken.what)) as_they_are.add(*poke, "command");
  if (const auto* change = std::get_if<MotionCommand>(&taken.what))
    load_clip(change->motion.source, change->motion.import);
  scene_.commands = std::move(with.commands);
}

void Simulation::obey_commands() {
  while (next_command_ < scene_.commands.size() && scene_.commands[next_command_].at <= time() + 1e-9) {
    obey(scene_.commands[next_command_], fmt::format("commands.{}", next_command_));
    ++next_command_;
  }
}

Simulation::Act& Simulation::act_of(const std::string& name, const std::string& where) {
  for (Act& act : acts_) {
    if (act.performer.spec.name == name || name.empty()) return act;
  }
  throw InputError(where, "'" + name + "'", "one of the scene's characters");
}

Observation Simulation::seen_now(const Act& act) const {
  Observation now = act.observation;  // with the contacts of the last step
  now.time = time() - act.clock_start;
  now.q = Eigen::Map<const VecX>(engine_->q().data() + act.slot.first_q, act.slot.nq);
  now.v = Eigen::Map<const VecX>(engine_->v().data() + act.slot.first_v, act.slot.nv);
  return now;
}

void Simulation::obey(const Command& command, const std::string& where) {
  if (const auto* push = std::get_if<PushSpec>(&command.what)) {
    PushSpec now = *push;
    now.start = time();
    disturbances_.add(now, where);
    return;  // the disturbance marks its own beginning
  }
  if (const auto* thrown = std::get_if<ThrowSpec>(&command.what)) {
    ThrowSpec now = *thrown;
    now.start = time();
    disturbances_.add(now, where);
    return;
  }
  if (const auto* poke = std::get_if<PokeSpec>(&command.what)) {
    PokeSpec now = *poke;
    now.start = time();
    disturbances_.add(now, where);
    return;
  }
  if (const auto* play = std::get_if<PlayCommand>(&command.what)) {
    recorder_.recording().marks.push_back(time());
    Act& act = act_of(play->actor, where);
    act.performer.routine->obey(play->order, seen_now(act), where);
    return;
  }
  ++changes_;
  recorder_.recording().marks.push_back(time());
  if (const auto* set = std::get_if<SetCommand>(&command.what)) {
    Performer& performer = act_of(set->actor, where).performer;
    Config config = Config::parse(fmt::format("{}: {}", yaml_word(set->key), set->value), where);
    read_settings(config, performer.spec.controller);
    config.done();
    const std::any memory = performer.controller->save();
    make_controller(performer);
    performer.controller->restore(memory);
  } else if (const auto* motion = std::get_if<MotionCommand>(&command.what)) {
    Act& act = act_of(motion->actor, where);
    change_motion(act.performer, scene_, motion->motion, time() - act.clock_start, motion->blend);
    act.falling.follow(act.performer.followed);
    act.motion_over = false;
  } else if (const auto* change = std::get_if<EditCommand>(&command.what)) {
    Act& act = act_of(change->actor, where);
    try {
      edit_motion(act.performer, change->edit, time() - act.clock_start, duration() - act.clock_start,
                  change->blend);
    } catch (const InputError& error) {
      throw InputError(where, error.what());
    }
    act.motion_over = false;
  } else if (const auto* controller = std::get_if<ControllerCommand>(&command.what)) {
    Act& act = act_of(controller->actor, where);
    act.performer.spec.controller = controller->controller;
    make_controller(act.performer);
    act.performer.controller->reset(seen_now(act));
  } else if (const auto* reset = std::get_if<ResetCommand>(&command.what)) {
    put_back(act_of(reset->actor, where));
  }
}

// Where it started, as it started; the rest of the scene goes on.
void Simulation::put_back(Act& act) {
  grips_.let_go(static_cast<int>(&act - acts_.data()), time(), *engine_);
  const mjModel& model = *compiled_->model;
  previous_q_.segment(act.slot.first_q, act.slot.nq) = act.start_q;
  previous_v_.segment(act.slot.first_v, act.slot.nv) = act.start_v;
  engine_->set_state({previous_q_.data(), static_cast<std::size_t>(model.nq)},
                     {previous_v_.data(), static_cast<std::size_t>(model.nv)});
  act.clock_start = time();
  act.motion_over = false;
  act.falling.forget();
  act.fall_watch = FallWatch(act.slot, scene_.ground);
  recorder_.recording().actors[static_cast<std::size_t>(&act - acts_.data())].fall.reset();
  all_down_since_ = -1;
  sense(act);
  act.senses.settle(*engine_, act.observation);
  if (act.performer.routine) act.performer.routine->reset(act.observation);
  act.performer.controller->reset(act.observation);
}

}  // namespace stunt
