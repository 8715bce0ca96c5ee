// The ground under the feet as they have felt it so far: a plane, and how fast it moves. In the air the last
// one is kept.
#pragma once

#include <span>

#include "stunt/control/controller.h"

namespace stunt {

class GroundSense {
 public:
  // Contacts of feet with something to stand on count. To be called every dt (s). The plane goes through the
  // mean contact; its normal follows by 1/20 of the way per call, its velocity with a time constant of 0.05
  // s.
  void feel(const Actor& actor, std::span<const ActorContact> contacts, double dt);

  double height(const Vec3& point) const;             // m, vertically over the plane
  const Vec3& normal() const { return normal_; }      // unit, up
  const Vec3& velocity() const { return velocity_; }  // m/s, horizontal

 private:
  Vec3 normal_ = Vec3::UnitZ(), point_ = Vec3::Zero(), velocity_ = Vec3::Zero();
};

}  // namespace stunt
