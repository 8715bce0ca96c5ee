// The loop of the whole system: obey what is commanded, sample the reference, read the state, ask the controller, apply
// the disturbances, step the engine, tell whoever watches.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "stunt/control/fall/falling.h"
#include "stunt/simulate/disturbance.h"
#include "stunt/simulate/fall.h"
#include "stunt/simulate/observer.h"
#include "stunt/simulate/performer.h"
#include "stunt/simulate/recorder.h"
#include "stunt/simulate/senses.h"
#include "stunt/world/contact_answer.h"
#include "stunt/world/engine.h"
#include "stunt/world/grips.h"
#include "stunt/world/played.h"

namespace stunt {

class Simulation {
 public:
  // How a character that is simulated only where it is touched (scene: `when: contact`) moves now. It is played: put
  // where its reference says. Something about to touch it, or a force on it, makes it simulated; once nothing has
  // touched it for a while and it is back in its motion, it is played again, from the place where it then is, and what
  // is left of the difference between the poses fades.
  struct Playing {
    bool simulated = true;
    double since = 0;       // s on its clock, when it was last simulated
    VecX lag = {};          // nv, from the reference's pose to its own then
    double busy_until = 0;  // s of the scene, until when the last touch keeps it simulated
  };

  // One character on the stage: the performer, its place in the scene, and what passes between it and its controller.
  struct Act {
    Performer performer;
    ActorSlot slot;
    Senses senses;
    FallWatch fall_watch;
    std::unique_ptr<Actuators> actuators;
    Falling falling;  // has the last word once it falls: nobody fights on the floor
    Observation observation = {};
    Actuation actuation = {};
    VecX torque = {};        // nv, as applied
    double clock_start = 0;  // s of the scene at which the character's own clock was zero
    bool motion_over = false;
    VecX start_q = {}, start_v = {};
    ReferenceSample target = {};
    VecX pose = {};       // nq, where it is played
    double help_sum = 0;  // N, of the root's unphysical force over all steps
    Playing playing = {};
  };

  // Characters start in the first pose of the reference they follow, with its velocity. Throws InputError.
  Simulation(const Scene& scene, std::vector<Performer> performers);
  explicit Simulation(const Scene& scene);  // with the performers that the scene asks for
  ~Simulation();

  bool done() const;  // the time is up, everybody has been down for a second, or the simulation diverged
  void step();        // one engine step
  // Steps to the end. `progress` is told the simulated time now and then; when it returns false, the run is
  // stopped with RunError. Returns the recording.
  Recording run(const std::function<bool(double)>& progress = {});

  // Obeyed before the first step that starts at `command.at` or later, and recorded. Throws InputError.
  void command(Command command);
  void watch(Observer& observer) { observers_.push_back(&observer); }  // which must outlive the simulation

  double time() const { return engine_->time(); }
  double duration() const { return recorder_.recording().duration; }
  const Recording& recording() const { return recorder_.recording(); }
  const Scene& scene() const { return scene_; }
  Engine& engine() { return *engine_; }
  std::vector<Act>& acts() { return acts_; }
  const std::vector<Act>& acts() const { return acts_; }
  Observation seen_now(const Act& act) const;  // what the character would see at this moment

  // Everything that changes while it runs: engine, controllers, actuators, senses, disturbances, commands, random
  // numbers, judges, and how far it was recorded. Restored, it goes on bit for bit; what was recorded since is forgotten.
  struct State;
  std::shared_ptr<const State> save() const;
  void restore(const State& state);

 private:
  void obey_commands();
  void obey(const Command& command, const std::string& where);
  void put_back(Act& act);
  bool play_on(std::size_t index);  // true: the character is played in this step
  void wake(std::size_t index);
  void calm_down(std::size_t index);
  void sense(Act& act);
  void drive(Act& act);
  void answer_contacts(std::size_t i, bool falls);
  void tell_observers();
  void sample_due();
  void judge(const Moment& moment);
  Act& act_of(const std::string& name, const std::string& where);
  Recording finish();

  Scene scene_;
  std::shared_ptr<const CompiledScene> compiled_;
  std::unique_ptr<Engine> engine_;
  PlayedEngine* played_ = nullptr;   // the same, where somebody is simulated only when touched
  AsksForAnswer* asking_ = nullptr;  // the same, where it asks controllers how they would answer
  std::unique_ptr<Surroundings> surroundings_;
  Disturbances disturbances_;
  Grips grips_;
  std::vector<Act> acts_;
  std::size_t next_command_ = 0;  // of scene_.commands, which are in order of time
  int changes_ = 0;               // commands so far that changed a motion or a controller
  Recorder recorder_;
  std::vector<Observer*> observers_;
  VecX previous_q_, previous_v_, between_q_, between_v_, way_, rate_;
  double all_down_since_ = -1;
};

}  // namespace stunt
