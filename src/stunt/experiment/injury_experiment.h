// Section 5.3 of Geijtenbeek 2013 made again: thirty falls, how much each measure says, and whether it says the same at
// every time step. What needs people's judgement (figures 5.3, 5.4, 5.6) is left out.
#pragma once

#include <functional>

#include "stunt/assess/injury/injury.h"
#include "stunt/experiment/experiment.h"
#include "stunt/experiment/study.h"

namespace stunt {

// One fall of the thesis' character (data/characters/injury.xml) from a random orientation and height, joints drawn to the
// T-stance by weak springs.
struct FallSpec {
  std::string engine = "ode";
  int number = 0;  // seeds orientation and height
  std::uint64_t seed = 1;
  double timestep = 0.0003;       // s
  double time_constant = 0.0049;  // s, of contacts: stiffness 40 kg / time_constant^2
  double duration = 4;            // s
};
struct FallOutcome {
  double height = 0;              // m, of the centre of mass at the start
  double turn_x = 0, turn_y = 0;  // rad, about the two level axes
  Injury standard, paper;
  bool diverged = false;
};
void describe(Fields& fields, FallOutcome& outcome);  // to send one from process to process
FallOutcome run_fall(const FallSpec& spec);

// Parts: falls (figure 5.5), trials, steps, protect (injury_falling.h).
Study injury_study(const ExperimentOptions& options, const std::function<bool(double)>& progress);

}  // namespace stunt
