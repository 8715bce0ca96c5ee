// The loop of the whole system: sample the reference, read the state, ask the controller, apply the
// disturbances, step the engine, record.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "stunt/control/controller.h"
#include "stunt/simulate/disturbance.h"
#include "stunt/simulate/fall.h"
#include "stunt/simulate/recording.h"
#include "stunt/world/engine.h"

namespace stunt {

// One character of a scene, ready to act.
struct CastMember {
  std::string name, motion, character, controller_name, preset;
  ActorPtr actor;
  ReferencePtr reference;  // what is shown and scored
  ReferencePtr followed;   // what the controller follows: the same, or made possible for it
  std::unique_ptr<Controller> controller;
  bool pedestal = false;  // the controller holds the root from outside; reported as unphysical
};

class Simulation {
 public:
  // Characters start in the first pose of the reference they follow, with its velocity. Throws InputError.
  Simulation(const Scene& scene, std::vector<CastMember> cast);
  ~Simulation();

  bool done() const;  // the time is up, everybody has been down for a second, or the simulation diverged
  void step();        // one engine step
  double time() const { return engine_->time(); }
  double duration() const { return recording_.duration; }
  const Recording& recording() const { return recording_; }
  Engine& engine() { return *engine_; }

  // Steps to the end. `progress` is told the simulated time now and then; when it returns false, the run is
  // stopped with RunError. Returns the recording.
  Recording run(const std::function<bool(double)>& progress = {});

 private:
  struct Player;
  struct Senses;
  void observe(Player& player);
  void act(Player& player);
  void sample_if_due();
  void record_sample(double t);

  GroundSpec ground_;
  std::shared_ptr<const CompiledScene> compiled_;
  std::unique_ptr<Engine> engine_;
  Disturbances disturbances_;
  std::vector<Player> players_;
  Recording recording_;
  VecX previous_q_, previous_v_, between_q_, step_v_;
  double all_down_since_ = -1;
};

}  // namespace stunt
