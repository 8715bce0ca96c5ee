#include "stunt/control/parts/foot_contacts.h"

#include <cmath>

#include "stunt/core/easing.h"

namespace stunt {

void FootContacts::find(ActorDynamics& body, std::span<const ActorContact> felt, const GroundSense& ground,
                        std::span<const std::uint8_t> expected, std::span<const std::uint8_t> soon,
                        const FootContactSettings& settings, double dt, std::vector<PlanContact>& out) {
  constexpr double kSamePlace = 0.03;  // m between a reported contact and the contact point it belongs to
  out.clear();
  const double rise = settings.rise > 0 ? approach(dt, settings.rise) : 1;
  const auto& points = body.actor().contact_points();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3 centre = body.point(points[i].body, points[i].position);
    PlanContact contact{points[i].body, centre - points[i].radius * ground.normal()};
    contact.normal = ground.normal();
    bool reported = false;
    for (const ActorContact& touch : felt) {
      if (touch.body != points[i].body || !touch.support || (touch.point - contact.point).norm() > kSamePlace)
        continue;
      reported = true;
      contact.normal = touch.normal;
      contact.surface_velocity = touch.surface_velocity;
      break;
    }
    if (!reported && !(expected[i] && ground.height(contact.point) < settings.distance)) {
      trust_[i] = grip_[i] = 0;
      continue;
    }
    const bool leaves = !expected[i] && !soon[i];
    trust_[i] += rise * ((leaves ? 0 : 1) - trust_[i]);
    grip_[i] += rise * ((expected[i] ? 1 : 0) - grip_[i]);
    contact.reluctance = std::pow(settings.dearest, 1 - trust_[i]);
    contact.hold = grip_[i];
    out.push_back(contact);
  }
}

}  // namespace stunt
