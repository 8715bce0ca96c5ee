#include "stunt/control/parts/body_contacts.h"

namespace stunt {

void add_body_contacts(ActorDynamics& body, std::span<const ActorContact> felt, ActorDynamics& reference,
                       const GroundSense& ground, std::vector<PlanContact>& out) {
  constexpr double kNear = 0.08;  // m over the ground, in the reference
  constexpr double kHold = 0.3;   // what lies may slide a little
  for (const ActorContact& touch : felt) {
    if (!touch.support || touch.held || body.actor().is_foot(touch.body) || out.size() == out.capacity())
      continue;
    const Vec3 spot =
        body.body_rotation(touch.body).conjugate() * (touch.point - body.body_position(touch.body));
    if (ground.height(reference.point(touch.body, spot)) > kNear) continue;
    PlanContact contact{touch.body, touch.point};
    contact.normal = touch.normal;
    contact.velocity = touch.surface_velocity;
    contact.hold = kHold;
    out.push_back(contact);
  }
}

}  // namespace stunt
