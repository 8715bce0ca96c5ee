// Where a ball is going: its flight and its bounces off what stands fixed in the scene, by the laws of bouncing.h, so that
// somebody who watches the ball can be there first.
#pragma once

#include <vector>

#include "stunt/world/engine.h"

namespace stunt {

struct Ball {
  Vec3 place = Vec3::Zero();     // m, its centre
  Vec3 velocity = Vec3::Zero();  // m/s
  Vec3 spin = Vec3::Zero();      // rad/s, world axes
};

// A bouncing ball of the scene as it is now.
Ball ball_now(const Engine& engine, const BallSlot& slot);
// It was not thrown yet: it is where it was parked, to the last bit.
bool waits(const Engine& engine, const BallSlot& slot);

// The impulse (N s) on whatever touches at a point, after which the velocity `u` (m/s, relative) along the unit normal n is
// `back`; A: m/s per N s there. Coulomb: sticks if the impulse across n is within `friction` times that along it.
Vec3 bounce_impulse(const Mat3& A, const Vec3& n, const Vec3& u, double back, double friction);

class BallFlight {
 public:
  // `timestep` (s): with the engine's own the bounces come out as the engine will have them.
  BallFlight(const CompiledScene& scene, const BallSlot& slot, double timestep);

  double timestep() const { return h_; }
  double radius() const { return radius_; }

  // One step on. Returns the geom that it bounced off, or -1.
  int step(Ball& ball) const;
  // `seconds` on through the air, whatever is in the way.
  Ball through_air(Ball ball, double seconds) const;
  // Off a surface that moves with `velocity` (m/s); normal: unit, towards the ball.
  Ball off(Ball ball, const Vec3& normal, const Vec3& velocity, double restitution, double friction) const;
  // Velocity of a point of its surface per impulse there; arm (m): from the centre.
  Mat3 mobility(const Vec3& arm) const;

 private:
  struct Surface {
    int geom;
    Vec3 place;
    Quat rotation;
    double restitution, friction;
  };
  Vec3 acceleration(const Vec3& velocity) const { return gravity_ - slowing_ * velocity.norm() * velocity; }
  void hit(Ball& ball, const Vec3& impulse, const Vec3& arm) const;

  const mjModel* model_;
  double h_, radius_, mass_, inertia_;
  double slowing_;  // 1/m: air drag is -slowing |v| v
  Vec3 gravity_;
  std::vector<Surface> surfaces_;
};

}  // namespace stunt
