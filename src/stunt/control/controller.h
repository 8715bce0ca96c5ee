// A controller: (time, state, contacts, reference) -> actuation.
#pragma once

#include <any>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "stunt/actor/actor.h"
#include "stunt/core/config.h"
#include "stunt/reference/reference.h"

namespace stunt {

// A contact as the character feels it.
struct ActorContact {
  int body;               // of the actor
  Vec3 point;             // m, world
  Vec3 normal;            // unit, out of the other surface, towards the actor
  Vec3 force;             // N, on the actor, world axes
  Vec3 surface_velocity;  // m/s, of the other surface at the point
  bool support;           // ground, platform, seesaw, fixed object: something to stand on
};

struct Observation {
  double time;                             // s
  double timestep;                         // s, of the engine
  VecX q, v;                               // see actor.h for the layout
  std::span<const ActorContact> contacts;  // of the last step
};

// What a controller asks of the world.
struct Actuation {
  VecX
      torque;  // nv; the loop clamps joints to the actor's limits. Entries of the free root (0 to 5) are unphysical
               // help: force (world axes, N) and torque (body axes, Nm), see parts/root_help.h
};

struct PlanTiming {
  std::vector<float> microseconds;  // one per plan (QP build and solve)
  int relaxed = 0;  // plans that could not be met as asked; a weaker one, or the last, was used
};

class Controller {
 public:
  virtual ~Controller() = default;
  // Called once before the first step, with the state the simulation starts from.
  virtual void reset(const Observation& start) = 0;
  // Called before every engine step. `out` comes zeroed.
  virtual void actuate(const Observation& now, Actuation& out) = 0;
  // Everything carried from one step to the next: a run restored from it goes on bit for bit. Settings,
  // references and the timing of plans are not part of it.
  virtual std::any save() const { return {}; }
  virtual void restore(const std::any& memory) { (void)memory; }
  virtual const PlanTiming* plan_timing() const { return nullptr; }
};

struct ControllerInfo {
  std::string name, description;
};
std::vector<ControllerInfo> controllers();

// `config` is {type: pd, ...}; the other keys are the controller's own. The reference carries the
// controller's model of its character; `friction` multiplies the friction it plans with. Throws InputError.
std::unique_ptr<Controller> make_controller(Config config, ReferencePtr reference, double friction = 1);

}  // namespace stunt
