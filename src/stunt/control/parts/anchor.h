// The anchor moves the reference along with the feet that carry the body, so that drift over the ground is no
// error and a moving ground takes the reference with it. Position only: with heading it would wander.
//
//   offset += approach(dt, time) (w - offset), at most by `speed` dt
//   w         mean of (our place - the reference's without offset) over the points that stand in both bodies, over the
//             hands that hold on to something fixed, or, where no foot stands, over what lies or leans on the ground in both
#pragma once

#include <cstdint>
#include <span>

#include "stunt/actor/dynamics.h"
#include "stunt/control/controller.h"
#include "stunt/control/parts/feet.h"

namespace stunt {

struct AnchorSettings {
  double time;   // s, time constant
  double speed;  // m/s at most
};

class Anchor {
 public:
  explicit Anchor(const Vec3& offset = Vec3::Zero()) : offset_(offset) {}

  // `reference` is at the pose without the offset; `expected`: per contact point, 1 where that pose stands.
  // The height of a foot that caught a fall does not count: the reference may have it in the air. To be
  // called every dt (s).
  void follow(ActorDynamics& ours, ActorDynamics& reference, std::span<const ActorContact> contacts,
              std::span<const std::uint8_t> expected, std::span<const Foot> feet,
              const AnchorSettings& settings, double dt);
  // Goes along with ground of this velocity (m/s) for dt.
  void ride(const Vec3& velocity, double dt) { offset_ += dt * velocity; }

  const Vec3& offset() const { return offset_; }  // m, to be added to the reference's root

 private:
  Vec3 offset_;
};

}  // namespace stunt
