#include "stunt/control/parts/foot_contacts.h"

#include <cmath>

#include "stunt/core/easing.h"

namespace stunt {

void FootContacts::find(ActorDynamics& body, std::span<const ActorContact> felt, const GroundSense& ground,
                        std::span<const std::uint8_t> expected, std::span<const std::uint8_t> soon,
                        const FootContactSettings& settings, double dt, std::vector<PlanContact>& out) {
  constexpr double kSamePlace = 0.03;     // m between a reported contact and the point it belongs to
  constexpr double kPushesNothing = 1e6;  // reluctance
  constexpr double kLandingDamping = 3;   // of the no-slip cost's: 17 ms instead of 50 to get its speed
  out.clear();
  const double log_dearest = std::log(settings.dearest), log_none = std::log(kPushesNothing);
  const double rise = settings.rise > 0 ? approach(dt, settings.rise) : 1;
  const auto& points = body.actor().contact_points();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3 centre = body.point(points[i].body, points[i].position);
    PlanContact contact{points[i].body, centre - points[i].radius * ground.normal()};
    contact.normal = ground.normal();
    contact.velocity = ground.velocity();
    bool reported = false;
    for (const ActorContact& touch : felt) {
      if (touch.body != points[i].body || !touch.support || (touch.point - contact.point).norm() > kSamePlace)
        continue;
      reported = true;
      contact.normal = touch.normal;
      contact.velocity = touch.surface_velocity;
      break;
    }
    const double height = ground.height(contact.point);
    if (!reported && !(expected[i] && height < settings.distance)) {
      log_price_[i] = log_dearest;
      grip_[i] = 0;
      continue;
    }
    const bool leaves = !expected[i] && !soon[i], lands = !reported && height >= settings.touch;
    log_price_[i] += rise * ((leaves ? log_dearest : lands ? log_none : 0) - log_price_[i]);
    grip_[i] += rise * ((!expected[i] ? 0 : lands ? settings.landing_hold : 1) - grip_[i]);
    if (lands) {
      contact.velocity -= (settings.landing_speed + settings.landing_rate * height) * contact.normal;
      contact.damping = kLandingDamping;
    }
    contact.reluctance = std::exp(log_price_[i]);
    contact.hold = grip_[i];
    out.push_back(contact);
  }
}

}  // namespace stunt
