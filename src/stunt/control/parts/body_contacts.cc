#include "stunt/control/parts/body_contacts.h"

namespace stunt {

void add_body_contacts(ActorDynamics& body, std::span<const ActorContact> felt, ActorDynamics& reference,
                       std::vector<PlanContact>& out) {
  constexpr double kNear = 0.08;  // m over what it touches, in the reference
  constexpr double kHold = 0.3;   // what lies may slide a little
  constexpr double kMoves = 0.1;  // m/s: what the reference moves as fast is on its way
  constexpr double kDear = 10;    // and should not carry
  for (const ActorContact& touch : felt) {
    if (!touch.support || touch.held || body.actor().is_foot(touch.body) || out.size() == out.capacity())
      continue;
    const Vec3 spot =
        body.body_rotation(touch.body).conjugate() * (touch.point - body.body_position(touch.body));
    const Vec3 place = reference.point(touch.body, spot);
    if ((place - touch.point).dot(touch.normal) > kNear) continue;
    const bool moves = reference.point_velocity(touch.body, place).norm() > kMoves;
    PlanContact contact{touch.body, touch.point};
    contact.normal = touch.normal;
    contact.velocity = touch.surface_velocity;
    contact.hold = moves ? 0 : kHold;
    contact.reluctance = moves ? kDear : 1;
    out.push_back(contact);
  }
}

}  // namespace stunt
