#include "stunt/routine/return_shot.h"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <limits>

namespace stunt {
namespace {

constexpr double kShortest = 0.3, kLongest = 0.9, kApart = 0.015;  // s, of the flights that are tried
constexpr double kGentle = 0.55;   // s: a flight that leaves the other time to come
constexpr double kHurry = 6;       // 1/s, how much that counts
constexpr double kOver = 0.1;      // m, that the ball must have to spare above what it flies over
constexpr double kArrival = 0.08;  // s before the target, within which it may be lower

// The velocity with which the ball is at `target` after `time`.
Vec3 shoot(const BallFlight& flight, const Ball& ball, const Vec3& target, double time) {
  Ball start = ball;
  start.velocity = (target - ball.place) / time;
  for (int i = 0; i < 8; ++i) {
    const Vec3 miss = target - flight.through_air(start, time).place;
    start.velocity += miss / time;
    if (miss.norm() < 1e-4) break;
  }
  return start.velocity;
}

// Face and speed that send the ball off with `wanted`; false where Newton's method finds none.
bool solve(const BallFlight& flight, const Ball& ball, const Racket& racket, const Vec3& wanted, Shot& shot) {
  const auto leaves = [&](const Vec3& n, double s) {
    return flight.off(ball, n, s * racket.way, racket.restitution, racket.friction).velocity;
  };
  Vec3 n = (wanted - ball.velocity).normalized();
  const double along = racket.way.dot(n);
  if (along < 0.2) return false;  // it would have to be hit with a racket that goes aside
  double s = (wanted.dot(n) + racket.restitution * ball.velocity.dot(n)) / ((1 + racket.restitution) * along);
  for (int i = 0; i < 12; ++i) {
    const Vec3 off = wanted - leaves(n, s);
    if (off.norm() < 1e-3) {
      shot.face = n;
      shot.speed = s;
      return s > 0;
    }
    const Vec3 across = n.unitOrthogonal(), up = n.cross(across);
    constexpr double kSmall = 1e-4;
    Mat3 slope;
    slope << (leaves((n + kSmall * across).normalized(), s) - leaves(n, s)) / kSmall,
        (leaves((n + kSmall * up).normalized(), s) - leaves(n, s)) / kSmall,
        (leaves(n, s + kSmall) - leaves(n, s)) / kSmall;
    Vec3 step = slope.partialPivLu().solve(off);
    if (!step.allFinite()) return false;
    const double turn = step.head<2>().norm();
    if (turn > 0.3) step *= 0.3 / turn;
    n = (n + step[0] * across + step[1] * up).normalized();
    s += step[2];
  }
  return false;
}

// Nothing but the target is met on the way, with some room to spare.
bool clear(const BallFlight& flight, Ball ball, const Shot& shot, const Vec3& way_velocity) {
  ball.velocity = way_velocity;
  ball.place.z() -= kOver;
  for (double t = 0; t < shot.flight - kArrival; t += flight.timestep()) {
    if (flight.step(ball) >= 0) return false;
  }
  return true;
}

}  // namespace

std::optional<Shot> return_shot(const BallFlight& flight, const Ball& ball, const Racket& racket,
                                const Vec3& target) {
  std::optional<Shot> best;
  double least = std::numeric_limits<double>::infinity();
  for (double time = kShortest; time <= kLongest + 1e-9; time += kApart) {
    Shot shot{};
    shot.flight = time;
    const Vec3 wanted = shoot(flight, ball, target, time);
    if (!solve(flight, ball, racket, wanted, shot)) continue;
    if (shot.speed < racket.slow || shot.speed > racket.fast) continue;
    const double turned = std::acos(std::clamp(std::abs(shot.face.dot(racket.face)), 0.0, 1.0));
    const double cost = kHurry * std::abs(time - kGentle) +
                        racket.firm * std::abs(std::log(shot.speed / racket.speed)) + turned;
    if (cost >= least || !clear(flight, ball, shot, wanted)) continue;
    least = cost;
    best = shot;
  }
  return best;
}

}  // namespace stunt
