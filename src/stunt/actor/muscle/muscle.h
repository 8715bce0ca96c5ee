// What a muscle is: a Hill muscle with an elastic tendon, on a path of straight lines through points fixed to bodies
// (Geijtenbeek 2013, section 7.2). Its state and dynamics: muscle_fibres.h; its geometry: muscle_paths.h.
#pragma once

#include <string>
#include <vector>

#include "stunt/actor/actor.h"

namespace stunt {

struct MusclePoint {
  int body;       // of the actor
  Vec3 position;  // m, in the body's axes
};

struct Muscle {
  std::string name;
  double max_force;                    // N, isometric at the best length
  double fibre_length;                 // m, the best length of the fibres
  double max_speed = 12;               // best lengths a second at which fibres shorten without a load
  double tendon_slack;                 // m, length of the tendon where it begins to pull
  std::vector<MusclePoint> path = {};  // at least two; the inner ones are loops that it slides through
};

// Throws InputError at `place`: fewer than two points, a point on no body, a path that stays on one body, a length or a
// strength that is not above zero.
void check_muscle(const Muscle& muscle, const Actor& actor, const std::string& place);

// kg, from strength and length: 1060 kg/m^3, 250 kPa (Wang et al. 2012).
double muscle_mass(const Muscle& muscle);

}  // namespace stunt
