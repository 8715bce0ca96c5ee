// How a racket has to meet a ball so that the ball goes where it is wanted (hit-and-react section 8): which way the face
// points, and how fast the racket goes along its own way.
//
// The flight to the target takes T. Its first velocity is found by shooting (with drag), and the face n and the speed s
// by Newton's method on the law of the bounce, off(ball, n, s way).velocity = that velocity: three equations, n having two
// unknowns. T is chosen so that s is one that the swing can have, and n near the face that the swing has by itself.
#pragma once

#include <optional>

#include "stunt/world/ball_flight.h"

namespace stunt {

struct Racket {
  Vec3 way;           // unit, world: where the swing goes when it meets the ball
  double speed;       // m/s, that it has by itself
  Vec3 face;          // unit, world: where its face points by itself; either side will do
  double slow, fast;  // m/s, between which its speed may be chosen
  double
      firm;  // how much it counts when that differs by a factor of e from `speed`, one radian of the face being 1
  double restitution, friction;
};

struct Shot {
  Vec3 face;      // unit, world, towards the ball
  double speed;   // m/s, of the racket along its way
  double flight;  // s, until the ball is at its target
  double cost;    // of what it takes, of return_shot alone; less is better
};

// `ball`: as it meets the racket; `target` (m): where its centre is to come down. Nothing where no speed of the racket,
// or no way over what stands between, brings it there.
std::optional<Shot> return_shot(const BallFlight& flight, const Ball& ball, const Racket& racket,
                                const Vec3& target);
// The same with the speed that it has by itself, to 1 mm/s: what is left is the face. Of two ways, the one that
// takes more nearly `time` (s).
std::optional<Shot> return_shot_at_speed(const BallFlight& flight, const Ball& ball, const Racket& racket,
                                         const Vec3& target, double time);

}  // namespace stunt
