#include "stunt/actor/muscle/muscle.h"

#include <fmt/format.h>

#include "stunt/core/error.h"

namespace stunt {

void check_muscle(const Muscle& muscle, const Actor& actor, const std::string& place) {
  const std::string at = place + ": muscle " + muscle.name;
  const auto positive = [&](double value, const char* what) {
    if (!(value > 0)) throw InputError(at, fmt::format("{} {}", what, value), "more than 0");
  };
  positive(muscle.max_force, "a strength of");
  positive(muscle.fibre_length, "a fibre length of");
  positive(muscle.max_speed, "a fibre speed of");
  positive(muscle.tendon_slack, "a tendon length of");
  if (muscle.path.size() < 2) {
    throw InputError(
        at, fmt::format("a path of {} point{}", muscle.path.size(), muscle.path.size() == 1 ? "" : "s"),
        "at least two points");
  }
  bool leaves = false;
  for (const MusclePoint& point : muscle.path) {
    if (point.body < 0 || point.body >= static_cast<int>(actor.bodies().size()))
      throw InputError(at, "a point on no body", "points on bodies of " + actor.name());
    if (!point.position.allFinite()) throw InputError(at, "a point that is not finite", "numbers");
    leaves = leaves || point.body != muscle.path.front().body;
  }
  if (!leaves) throw InputError(at, "a path on one body alone", "a path that crosses a joint");
}

double muscle_mass(const Muscle& muscle) {
  constexpr double kDensity = 1059.7;  // kg/m^3
  constexpr double kStress = 250e3;    // Pa
  return kDensity / kStress * muscle.max_force * muscle.fibre_length;
}

}  // namespace stunt
