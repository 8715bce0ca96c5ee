#include "stunt/routine/return_shot.h"

#include <Eigen/LU>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace stunt {
namespace {

constexpr double kShortest = 0.3, kLongest = 0.9, kApart = 0.015;  // s, of the flights that are tried
constexpr double kGentle = 0.55;  // s: a flight that leaves the other time to come
constexpr double kHurry = 6;      // 1/s, how much that counts
// Near the slowest racket that gets the ball there, a racket that is slower still does not.
constexpr double kSpare = 0.06;    // of that speed
constexpr double kEdge = 0.5;      // how much it counts
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

double turned(const Racket& racket, const Shot& shot) {  // rad
  return std::acos(std::clamp(std::abs(shot.face.dot(racket.face)), 0.0, 1.0));
}

}  // namespace

std::optional<Shot> return_shot(const BallFlight& flight, const Ball& ball, const Racket& racket,
                                const Vec3& target) {
  constexpr int kTimes = static_cast<int>((kLongest - kShortest) / kApart) + 1;
  struct Way {
    Shot shot;
    Vec3 velocity;
  };
  std::array<Way, kTimes> ways;
  std::size_t count = 0;
  double slowest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kTimes; ++i) {
    Way& way = ways[count];
    way.shot.flight = kShortest + i * kApart;
    way.velocity = shoot(flight, ball, target, way.shot.flight);
    if (!solve(flight, ball, racket, way.velocity, way.shot)) continue;
    slowest = std::min(slowest, way.shot.speed);
    ++count;
  }
  std::optional<Shot> best;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < count; ++i) {
    const Shot& shot = ways[i].shot;
    if (shot.speed < racket.slow || shot.speed > racket.fast) continue;
    const double spare = std::clamp((shot.speed / slowest - 1) / kSpare, 0.0, 1.0);
    const double cost = kHurry * std::abs(shot.flight - kGentle) +
                        racket.firm * std::abs(std::log(shot.speed / racket.speed)) + turned(racket, shot) +
                        kEdge * (1 - spare);
    if (cost >= least || !clear(flight, ball, shot, ways[i].velocity)) continue;
    least = cost;
    best = shot;
    best->cost = cost;
  }
  return best;
}

std::optional<Shot> return_shot_at_speed(const BallFlight& flight, const Ball& ball, const Racket& racket,
                                         const Vec3& target, double time_wanted) {
  // The speed that a flight of this length takes, less the racket's; where its sign changes there is a shot.
  Vec3 wanted;
  const auto off = [&](double time, Shot& shot, double& difference) {
    shot.flight = time;
    wanted = shoot(flight, ball, target, time);
    if (!solve(flight, ball, racket, wanted, shot)) return false;
    difference = shot.speed - racket.speed;
    return true;
  };
  std::optional<Shot> best;
  double least = std::numeric_limits<double>::infinity();
  double before = 0;
  bool known = false;
  for (double time = kShortest; time <= kLongest + 1e-9; time += kApart) {
    Shot shot{};
    double here = 0;
    const bool was_known = known;
    const double was = before;
    known = off(time, shot, here);
    before = here;
    if (!known || !was_known || (was > 0) == (here > 0)) continue;
    double low = time - kApart, high = time, at_low = was, at_high = here;
    constexpr double kSame = 1e-3;  // m/s
    for (int i = 0; i < 20 && std::abs(shot.speed - racket.speed) > kSame; ++i) {
      const double between = low + (high - low) * std::clamp(at_low / (at_low - at_high), 0.1, 0.9);
      double value = 0;
      if (!off(between, shot, value)) break;
      ((value > 0) == (at_low > 0) ? low : high) = between;
      ((value > 0) == (at_low > 0) ? at_low : at_high) = value;
    }
    const double cost = std::abs(shot.flight - time_wanted);
    if (std::abs(shot.speed - racket.speed) > kSame || cost >= least || !clear(flight, ball, shot, wanted))
      continue;
    least = cost;
    best = shot;
  }
  return best;
}

}  // namespace stunt
