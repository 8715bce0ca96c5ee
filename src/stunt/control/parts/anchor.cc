#include "stunt/control/parts/anchor.h"

#include <algorithm>

#include "stunt/core/easing.h"

namespace stunt {

void Anchor::follow(ActorDynamics& ours, ActorDynamics& reference, std::span<const ActorContact> contacts,
                    std::span<const std::uint8_t> expected, std::span<const Foot> feet,
                    const AnchorSettings& settings, double dt) {
  constexpr double kSamePlace = 0.03;  // m between a contact and the surface of the point it belongs to
  constexpr double kLiesToo = 0.08;    // m from the surface, in the reference
  constexpr double kMoves = 0.1;       // m/s, in the reference: it is on its way
  Vec3 wanted = Vec3::Zero();
  int count = 0;
  const auto& points = ours.actor().contact_points();
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!expected[i]) continue;
    const Vec3 place = ours.point(points[i].body, points[i].position);
    const bool touching = std::any_of(contacts.begin(), contacts.end(), [&](const ActorContact& c) {
      return c.support && c.body == points[i].body &&
             (c.point - place).norm() < points[i].radius + kSamePlace;
    });
    if (!touching) continue;
    Vec3 apart = place - reference.point(points[i].body, points[i].position);
    const bool caught = std::any_of(feet.begin(), feet.end(), [&](const Foot& foot) {
      return foot.leg.left == points[i].left && foot.caught;
    });
    if (caught) apart.z() = offset_.z();
    wanted += apart;
    ++count;
  }
  const bool stands = count > 0;
  for (const ActorContact& contact : contacts) {
    if (!contact.support || ours.actor().is_foot(contact.body) || (stands && !contact.held)) continue;
    const Vec3 spot =
        ours.body_rotation(contact.body).conjugate() * (contact.point - ours.body_position(contact.body));
    const Vec3 place = reference.point(contact.body, spot), apart = contact.point - place;
    if (!contact.held && (std::abs((apart - offset_).dot(contact.normal)) > kLiesToo ||
                          reference.point_velocity(contact.body, place).norm() > kMoves))
      continue;
    wanted += apart;
    ++count;
  }
  if (count == 0) return;
  Vec3 step = approach(dt, settings.time) * (wanted / count - offset_);
  const double most = settings.speed * dt;
  if (step.norm() > most) step *= most / step.norm();
  offset_ += step;
}

}  // namespace stunt
