// What a leg is doing (Geijtenbeek 2013, section 7.3.1): stance, lift-off, swing, stance preparation, stance.
#pragma once

namespace stunt {

enum class LegPhase { stance, lift_off, swing, preparation };

struct LegThresholds {
  double contact;  // N on the foot: it touches
  double lift;     // m, foot ahead of the centre of mass: below it a leg in stance lifts off
  double prepare;  // m: above it a leg in swing prepares for stance
};

struct LegState {
  LegPhase phase = LegPhase::stance;
  bool touches = true;
  double swing_since = 0;  // s
};

// One step of both legs' states. `load` (N) is what the ground carries under each foot, `ahead` (m) how far the foot is ahead
// of the centre of mass. A contact ends at 0.4 of the force that begins it, and is not looked at during the first 0.1 s of
// swing: without this a foot that scrapes the ground would count as a hundred steps.
void update_legs(const LegThresholds& thresholds, double time, const double (&load)[2],
                 const double (&ahead)[2], LegState (&legs)[2]);

}  // namespace stunt
