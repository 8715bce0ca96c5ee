#include "stunt/control/jacobian_transpose/stance.h"

namespace stunt {

Stance stance_of_reference(const Actor& actor, std::span<const Foot> feet, const ReferenceSample& sample) {
  Stance stance;
  for (std::size_t i = 0; i < feet.size(); ++i) stance.on[i] = stands(actor, feet[i].leg, sample);
  return stance;
}

Stance stance_of_contacts(std::span<const Foot> feet, std::span<const ActorContact> contacts) {
  Stance stance;
  for (std::size_t i = 0; i < feet.size(); ++i) stance.on[i] = touches(feet[i].leg, contacts);
  return stance;
}

Vec3 base_of_support(ActorDynamics& body, std::span<const Foot> feet, const Stance& stance) {
  Vec3 sum = Vec3::Zero();
  int count = 0;
  for (std::size_t i = 0; i < feet.size(); ++i) {
    if (!stance.flight() && !stance.on[i]) continue;
    const Vec3 ankle = body.body_position(feet[i].leg.foot);
    sum += Vec3(ankle.x(), ankle.y(), 0);
    ++count;
  }
  return sum / count;
}

}  // namespace stunt
