// One character of a scene, ready to act: motion read, body fitted or loaded, reference made, controller set.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stunt/control/actuators.h"
#include "stunt/simulate/motion_source.h"
#include "stunt/simulate/recording.h"
#include "stunt/simulate/scene/scene.h"

namespace stunt {

class Routine;

struct Performer {
  ActorSpec spec;                              // what the scene says of it
  ActorPtr actor;                              // as simulated
  std::shared_ptr<const MotionSource> source;  // null without a motion
  ReferencePtr shown;  // what is shown and scored: the cleaned motion; null without one
  ReferencePtr
      followed;  // what the controller follows: the same, or made possible for it; without a motion the rest
                 // pose
  bool edited = false;                        // while it ran (edit_motion)
  std::shared_ptr<Routine> routine;           // composes both while it runs; null without one
  std::vector<std::pair<int, int>> touching;  // its bodies that stop each other
  std::unique_ptr<Controller> controller;
  std::vector<std::string> notes, warnings;  // of reading, fitting and cleaning
};

// The characters of a scene, in its order. Throws InputError.
std::vector<Performer> make_performers(const Scene& scene);

// Gives a performer another motion, from `at` (s, on its own clock) on: it begins where the old one is then, and is
// blended in over `blend` seconds. The controller is made anew and keeps what it remembers.
void change_motion(Performer& performer, const Scene& scene, const MotionSpec& motion, double at,
                   double blend);

// Edits what a performer follows, from `at` (s, on its own clock) on; the scene ends at `end`. Eased in over `blend`
// seconds; the controller is made anew and keeps what it remembers. Throws InputError.
void edit_motion(Performer& performer, const Edit& edit, double at, double end, double blend);

// The controller that the spec asks for, on what the performer follows.
void make_controller(Performer& performer);

}  // namespace stunt
