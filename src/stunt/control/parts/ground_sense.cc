#include "stunt/control/parts/ground_sense.h"

#include "stunt/core/easing.h"

namespace stunt {

void GroundSense::feel(const Actor& actor, std::span<const ActorContact> contacts, double dt) {
  constexpr double kNormalFilter = 0.05;    // per call
  constexpr double kVelocityFilter = 0.05;  // s
  Vec3 normal = Vec3::Zero(), place = Vec3::Zero(), velocity = Vec3::Zero();
  int touching = 0;
  for (const ActorContact& contact : contacts) {
    if (!contact.support || !actor.is_foot(contact.body)) continue;
    normal += contact.normal;
    place += contact.point;
    velocity += contact.surface_velocity;
    ++touching;
  }
  if (touching == 0) return;
  normal_ = ((1 - kNormalFilter) * normal_ + kNormalFilter * normal / touching).normalized();
  point_ = place / touching;
  const double follow = approach(dt, kVelocityFilter);
  velocity_ += follow * (Vec3(velocity.x(), velocity.y(), 0) / touching - velocity_);
}

double GroundSense::height(const Vec3& point) const { return normal_.dot(point - point_) / normal_.z(); }

}  // namespace stunt
