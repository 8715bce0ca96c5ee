// The numbers of a muscle-driven gait (Geijtenbeek 2013, Table 7.1), with the general guess from which every creature's search
// begins.
#pragma once

#include <vector>

#include "stunt/actor/creature/creature.h"

namespace stunt {

// What a muscle is for, found from how it crosses joints in the base pose.
struct MuscleUse {
  int leg = -1;  // 0 left, 1 right: the leg whose state it follows, arms and tail by their side
  int hip = 0, knee = 0,
      ankle = 0;       // crosses it: +1 as an extensor, -1 as a flexor, 2 as neither; 0: does not
  bool trunk = false;  // between trunk and head
  bool extends_under_load = false;  // force feedback while it stands
  double delay = 0.005;             // s, by how far down it reaches
};
std::vector<MuscleUse> muscle_uses(const Creature& creature);

// All of a creature: its body's and its control's.
std::vector<Parameter> gait_parameters(const Creature& creature);
ParameterValues general_guess(const Creature& creature);

}  // namespace stunt
