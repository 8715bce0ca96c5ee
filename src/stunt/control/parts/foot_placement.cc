#include "stunt/control/parts/foot_placement.h"

#include <algorithm>

#include "stunt/core/easing.h"
#include "stunt/reference/legs/leg_ik.h"

namespace stunt {

void FootPlacement::update(const TrackedBody& body, std::span<const Foot> feet,
                           const FootPlacementSettings& settings) {
  constexpr double kFilter = 0.03;  // s
  const double dt = 1 / body.rate;
  const double yaw = heading(quat_from_wxyz(&body.target.q[3]));
  for (std::size_t i = 0; i < feet.size(); ++i) {
    const Foot& foot = feet[i];
    Move& move = moves_[i];
    const Foot* standing = nullptr;
    for (const Foot& other : feet) {
      if (&other != &foot && other.stance) standing = &other;
    }
    Vec3 wanted = Vec3::Zero();
    if (settings.shift && !foot.stance && standing) {
      const Vec3 ours = body.ours.com() - body.ours.body_position(standing->leg.foot);
      const Vec3 theirs = body.reference.com() - body.reference.body_position(standing->leg.foot);
      const Vec3 place = yaw_rotation(-yaw) * (ours - theirs);
      const Vec3 rate = yaw_rotation(-yaw) * Vec3(-body.com_rate);
      wanted.x() = settings.forward_velocity_gain * rate.x() + settings.forward_position_gain * place.x();
      wanted.y() = settings.sideways_velocity_gain * rate.y() + settings.sideways_position_gain * place.y();
      wanted.z() = 0;
      if (wanted.norm() > settings.largest) wanted *= settings.largest / wanted.norm();
      wanted = yaw_rotation(yaw) * wanted;
    }
    const double sag = std::max(0.0, body.target.q[2] - body.now.q[2]);
    const double lift = settings.lift && !foot.stance && !foot.lands_soon ? settings.clearance + sag : 0;
    move.shift += approach(dt, foot.stance ? settings.return_time : kFilter) * (wanted - move.shift);
    move.lift += approach(dt, kFilter) * (lift - move.lift);
  }
}

void FootPlacement::put_foot(std::size_t i, const Leg& leg, const TrackedBody& body) const {
  const Vec3 move = moves_[i].shift + Vec3(0, 0, moves_[i].lift);
  if (move.squaredNorm() < 1e-8) return;
  const Actor& actor = body.ours.actor();
  place_foot(actor, leg, body.reference.body_position(leg.thigh),
             body.reference.body_rotation(actor.bodies()[leg.thigh].parent),
             body.reference.body_position(leg.foot) + move, body.reference.body_rotation(leg.foot),
             body.target.q);
}

}  // namespace stunt
