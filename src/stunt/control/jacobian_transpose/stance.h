// Which feet carry the body (Geijtenbeek 2013, eq. 6.4), and the point that stands for the ground under it (eq. 6.5).
#pragma once

#include <array>
#include <span>

#include "stunt/control/parts/feet.h"

namespace stunt {

struct Stance {
  std::array<bool, 2> on = {false, false};  // the left foot, the right foot
  bool dual() const { return on[0] && on[1]; }
  bool flight() const { return !on[0] && !on[1]; }
  bool operator==(const Stance&) const = default;
};

// `feet` has both, left first.
Stance stance_of_reference(const Actor& actor, std::span<const Foot> feet, const ReferenceSample& sample);
Stance stance_of_contacts(std::span<const Foot> feet, std::span<const ActorContact> contacts);

// m: between the ankles of the feet that stand, on the ground; between both where none does. `body` is at its state.
Vec3 base_of_support(ActorDynamics& body, std::span<const Foot> feet, const Stance& stance);

}  // namespace stunt
