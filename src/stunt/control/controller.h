// A controller: (time, state, contacts, reference) -> actuation. Which there are: controllers.h.
#pragma once

#include <any>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "stunt/actor/actor.h"
#include "stunt/core/settings.h"
#include "stunt/reference/reference.h"

namespace stunt {

class Actuators;
class Nudges;
struct MuscleSense;
class Surroundings;

// A contact as the character feels it.
struct ActorContact {
  int body;               // of the actor
  Vec3 point;             // m, world
  Vec3 normal;            // unit, out of the other surface, towards the actor
  Vec3 force;             // N, on the actor, world axes
  Vec3 surface_velocity;  // m/s, of the other surface at the point
  bool support;           // ground, platform, seesaw, fixed object: something to stand on
  int other;              // the other body, as the scene numbers it (Surroundings); -1: a push from outside
  bool held = false;      // a grip: it can pull, too
};

// Something that happened since the controller was asked last.
struct Event {
  enum class Kind { contact_began, contact_ended, motion_ended } kind;
  int body = -1;   // of the actor, where it is about a contact
  int other = -1;  // the other body, as the scene numbers it
};

struct Observation {
  double time;      // s, on the character's own clock: the reference is sampled with it
  double timestep;  // s, of the engine
  VecX q, v;        // see actor.h for the layout
  std::span<const ActorContact> contacts;  // of the last step
  std::span<const Event> events;
  const Surroundings* surroundings = nullptr;  // the other bodies of the scene; null where there is no scene
  const MuscleSense* muscles = nullptr;        // null where motors move the body
};

// What a controller asks of its body. The actuators (actuators.h) turn both into joint torques within strength.
struct Actuation {
  VecX
      torque;  // nv. Entries of a free root (0 to 5) are unphysical help: force (world axes, N) and torque (body
               // axes, Nm), see control/parts/root_help.h
  VecX excitation;  // as many as the body's actuators take; empty: none
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
  // Offsets of its reference (control/parts/nudges.h), to be changed between two steps; null: it takes none.
  virtual Nudges* nudges() { return nullptr; }
  // What moves the body while this controller has it (muscles); null: a motor at every joint.
  virtual std::unique_ptr<Actuators> own_actuators() const;
};

// Where a character begins that follows no motion.
struct StartPose {
  VecX q, v;
};

// What a controller is made for.
struct ControllerTask {
  ReferencePtr reference;    // to follow; carries the controller's own model of its character
  double friction = 1;       // factor on the friction that it plans with
  bool on_pedestal = false;  // the root is held from outside
};

// Throws InputError where the character's root is not free, which `controller` needs.
void require_free_root(const Actor& actor, const std::string& controller);

// What a controller wants done to its reference before it follows it.
struct ReferenceWishes {
  bool balanced =
      false;  // moved so that the ground can push the body there (reference/cleanup/balance_reference.h)
};

}  // namespace stunt
