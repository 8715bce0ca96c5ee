// Saving a simulation and going on from there.
#include "stunt/routine/routine.h"
#include "stunt/simulate/simulation.h"

namespace stunt {

struct Simulation::State {
  struct OfAct {
    ActorSpec spec;
    ReferencePtr shown, followed;
    Senses senses;
    FallWatch::State fall_watch;
    std::any controller, actuators, routine, falling;
    VecX torque;
    double clock_start;
    bool motion_over;
    double help_sum;
    std::optional<Fall> fall;
    Playing playing;
  };
  Snapshot engine;
  Disturbances disturbances;
  Grips grips;
  std::vector<OfAct> acts;
  std::vector<Command> commands;
  std::size_t next_command;
  int changes;
  VecX previous_q, previous_v;
  double all_down_since;
  int samples;
  std::size_t marks;
  std::uint64_t steps;
  std::string diverged;
  std::vector<Recorder::Since> since;
};

std::shared_ptr<const Simulation::State> Simulation::save() const {
  const Recording& r = recording();
  auto state = std::make_shared<State>(State{engine_->save(),
                                             disturbances_,
                                             grips_,
                                             {},
                                             scene_.commands,
                                             next_command_,
                                             changes_,
                                             previous_q_,
                                             previous_v_,
                                             all_down_since_,
                                             r.samples(),
                                             r.marks.size(),
                                             r.steps,
                                             r.diverged,
                                             recorder_.since_last_sample()});
  for (std::size_t i = 0; i < acts_.size(); ++i) {
    const Act& act = acts_[i];
    state->acts.push_back({act.performer.spec, act.performer.shown, act.performer.followed, act.senses,
                           act.fall_watch.save(), act.performer.controller->save(), act.actuators->save(),
                           act.performer.routine ? act.performer.routine->save() : std::any(),
                           act.falling.save(), act.torque, act.clock_start, act.motion_over, act.help_sum,
                           r.actors[i].fall, act.playing});
  }
  return state;
}

void Simulation::restore(const State& state) {
  engine_->restore(state.engine);
  disturbances_ = state.disturbances;
  grips_ = state.grips;
  scene_.commands = state.commands;
  next_command_ = state.next_command;
  previous_q_ = state.previous_q;
  previous_v_ = state.previous_v;
  all_down_since_ = state.all_down_since;
  recorder_.go_back(state.samples, state.marks, state.since);
  Recording& r = recorder_.recording();
  r.steps = state.steps;
  r.diverged = state.diverged;
  for (std::size_t i = 0; i < acts_.size(); ++i) {
    Act& act = acts_[i];
    const State::OfAct& saved = state.acts[i];
    Performer& performer = act.performer;
    // A command may have changed motion or controller since.
    const bool changed = performer.followed != saved.followed || changes_ != state.changes;
    performer.spec = saved.spec;
    performer.shown = saved.shown;
    performer.followed = saved.followed;
    if (changed) {
      make_controller(performer);
      act.falling.follow(performer.followed);
    }
    performer.controller->restore(saved.controller);
    act.actuators->restore(saved.actuators);
    if (performer.routine) performer.routine->restore(saved.routine);
    act.falling.restore(saved.falling);
    act.senses = saved.senses;
    act.fall_watch.restore(saved.fall_watch);
    act.torque = saved.torque;
    act.clock_start = saved.clock_start;
    act.motion_over = saved.motion_over;
    act.help_sum = saved.help_sum;
    r.actors[i].fall = saved.fall;
    act.playing = saved.playing;
  }
  changes_ = state.changes;
}

}  // namespace stunt
