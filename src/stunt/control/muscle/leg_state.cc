#include "stunt/control/muscle/leg_state.h"

namespace stunt {

void update_legs(const LegThresholds& thresholds, double time, const double (&load)[2],
                 const double (&ahead)[2], LegState (&legs)[2]) {
  constexpr double kRelease = 0.4, kBlindSwing = 0.1;  // part of the threshold; s
  bool landed[2] = {false, false};
  for (int i = 0; i < 2; ++i) {
    LegState& leg = legs[i];
    leg.touches = load[i] > (leg.touches ? kRelease : 1.0) * thresholds.contact;
    switch (leg.phase) {
      case LegPhase::stance:
        if (ahead[i] < thresholds.lift) leg.phase = LegPhase::lift_off;
        break;
      case LegPhase::lift_off:
        if (!leg.touches) {
          leg.phase = LegPhase::swing;
          leg.swing_since = time;
        }
        break;
      case LegPhase::swing:
      case LegPhase::preparation:
        if (leg.touches && time - leg.swing_since > kBlindSwing) {
          leg.phase = LegPhase::stance;
          landed[i] = true;
        } else if (leg.phase == LegPhase::swing && ahead[i] > thresholds.prepare) {
          leg.phase = LegPhase::preparation;
        }
        break;
    }
  }
  // Both on the ground: the one behind lifts off.
  for (int i = 0; i < 2; ++i) {
    if (!landed[i]) continue;
    const int rear = ahead[0] < ahead[1] ? 0 : 1;
    if (legs[1 - rear].phase == LegPhase::stance && legs[rear].phase == LegPhase::stance)
      legs[rear].phase = LegPhase::lift_off;
  }
}

}  // namespace stunt
