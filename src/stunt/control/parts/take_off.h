// The spin of a take-off. In flight the angular momentum about the centre of mass cannot be changed: a body that
// leaves the ground with too little of it swings its legs forward too late and lands on its toe tips. So
// shortly before the reference takes off, the body is given the mean angular momentum of the flight to come:
//
//   rate wanted = (L_flight - L) / time left
#pragma once

#include <optional>
#include <vector>

#include "stunt/actor/dynamics.h"
#include "stunt/reference/reference.h"

namespace stunt {

class TakeOff {
 public:
  explicit TakeOff(double time = 0);  // s, when the motion begins

  // Reads the reference as far as it must be known at `time` (s), a little more with every call; `dynamics`
  // and `sample` are room to work. A flight is one between two contacts that is longer than 50 ms. Times must
  // not decrease.
  void look_ahead(const Reference& reference, double time, ActorDynamics& dynamics, ReferenceSample& sample);

  // Nm, of the angular momentum `spin` (kg m^2/s, about the centre of mass); none unless a take-off is less
  // than `before` (s) away.
  std::optional<Vec3> spin_rate(double time, const Vec3& spin, double before) const;
  // At this time (s) the reference flies, or will within what look_ahead has seen (0.6 s).
  bool flies_soon(double time) const;

 private:
  struct Flight {
    double from;  // s
    int samples = 0;
    Vec3 sum = Vec3::Zero();  // kg m^2/s, over the samples
  };
  int next_;            // sample of the reference
  bool stood_ = false;  // the reference has had contact
  bool in_flight_ = false;
  std::vector<Flight> flights_;  // not over yet, or still to come
};

}  // namespace stunt
