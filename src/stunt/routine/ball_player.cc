#include "stunt/routine/ball_player.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stunt/control/surroundings.h"
#include "stunt/reference/cleanup/clean_up.h"

namespace stunt {
namespace {

constexpr double kWatched = 1.5;                             // s, for which a ball's way is foreseen
constexpr double kSlowestSwing = 0.35, kFastestSwing = 1.3;  // times its own speed
constexpr double kSlowest = 0.3, kFastest = 2;               // pace
constexpr double kAway = 1.5;  // how much the whole reach counts, one radian of the face being 1

// m: where a ball comes down to the height of `target`.
Vec3 comes_down(const BallFlight& flight, Ball ball, const Vec3& target) {
  constexpr double kLongest = 2;  // s
  for (double t = 0; t < kLongest; t += flight.timestep()) {
    const Ball before = ball;
    ball = flight.through_air(ball, flight.timestep());
    if (ball.place.z() > target.z() || ball.velocity.z() > 0) continue;
    const double part = (before.place.z() - target.z()) / (before.place.z() - ball.place.z());
    return before.place + std::clamp(part, 0.0, 1.0) * (ball.place - before.place);
  }
  return ball.place;
}

}  // namespace

BallPlayer::BallPlayer(std::shared_ptr<const Segments> segments, Aim& aim)
    : segments_(std::move(segments)), aim_(aim) {
  path_.reserve(static_cast<std::size_t>(kWatched * kReferenceRate) + 2);
  places_.reserve(segments_->size());
  offset_ = zero_ = VecX::Zero((*segments_)[0].motion->actor()->nv());
}

void BallPlayer::look(const Surroundings& seen, const std::string& self) {
  self_ = self;
  for (const BallSlot& ball : seen.balls()) flights_.push_back(seen.flight(ball));
}

void BallPlayer::watch(const Observation& now, Memory& memory) const {
  constexpr double kComing = 0.5;  // m/s
  const Surroundings& seen = *now.surroundings;
  const auto comes = [&](int b) {
    const BallSlot& slot = seen.balls()[static_cast<std::size_t>(b)];
    if (!seen.flies(slot)) return false;
    const Ball ball = seen.ball(slot);
    Vec3 way = now.q.head<3>() - ball.place;
    way.z() = 0;
    return ball.velocity.dot(way.normalized()) > kComing;
  };
  if (memory.ball >= 0 && !comes(memory.ball)) memory = {};
  for (int b = 0; memory.ball < 0 && b < static_cast<int>(flights_.size()); ++b) {
    if (!comes(b)) continue;
    memory = {};
    memory.ball = b;
  }
  if (memory.ball < 0) return;
  const double up = seen.ball(seen.balls()[static_cast<std::size_t>(memory.ball)]).velocity.z();
  if (memory.falling > 0 && up > 0) ++memory.bounces;
  memory.falling = -up;
}

// Fills path_ from the first tick after now on.
void BallPlayer::foresee(const BallFlight& flight, Ball ball, int bounces) {
  path_.clear();
  double t = 0;
  for (int i = 1; i <= static_cast<int>(kWatched * kReferenceRate) && bounces < 2; ++i) {
    for (; t < i / kReferenceRate - 0.5 * flight.timestep(); t += flight.timestep())
      bounces += flight.step(ball) >= 0 ? 1 : 0;
    path_.push_back({ball, bounces});
  }
}

Ball BallPlayer::ball_at(double time, const Observation& now, const Memory& memory) const {
  const auto b = static_cast<std::size_t>(memory.ball);
  const BallFlight& flight = flights_[b];
  Ball ball = now.surroundings->ball(now.surroundings->balls()[b]);
  for (double t = now.time; t < time - 0.5 * flight.timestep(); t += flight.timestep()) flight.step(ball);
  return ball;
}

// As the swing goes by itself. `yaw`: of the segment's axes in the world.
Racket BallPlayer::racket_of(const Strike& strike, double yaw, const Surroundings& seen,
                             const BallSlot& ball) const {
  Racket racket;
  racket.way = yaw_rotation(yaw) * strike.velocity.normalized();
  racket.speed = strike.own_speed();
  racket.face = yaw_rotation(yaw) * strike.face;
  racket.slow = kSlowestSwing * racket.speed;
  racket.fast = kFastestSwing * racket.speed;
  racket.firm = 0.2;
  racket.restitution = racket.friction = 0;
  const CompiledScene& things = seen.things();
  const int body = seen.find(self_, strike.spec.with);
  for (int g = 0; g < things.model->ngeom; ++g) {
    if (things.model->geom_bodyid[g] != body || !(things.restitution[static_cast<std::size_t>(g)] > 0))
      continue;
    racket.restitution = things.restitution[static_cast<std::size_t>(g)];
    racket.friction = things.model->geom_friction[3 * g] * things.model->geom_friction[3 * ball.geom];
  }
  return racket;
}

// Way, speed and face as the tape would have them at the hit; as fast as practice found.
void BallPlayer::as_on_tape(const Strike& strike, double pace, const VecX& offset, double yaw, Tape& tape,
                            Racket& racket) {
  tape.at_hit(pace, offset, q_, v_);
  ActorDynamics& dynamics = aim_.dynamics();
  dynamics.set_state(q_, v_);
  const Vec3 velocity = dynamics.point_velocity(strike.body, dynamics.point(strike.body, strike.point));
  racket.speed = velocity.norm() * strike.own_speed() / strike.velocity.norm();
  racket.way = yaw_rotation(yaw) * velocity.normalized();
  racket.face = yaw_rotation(yaw) * (dynamics.body_rotation(strike.body) * strike.spec.face.normalized());
}

void BallPlayer::meet(const Ball& ball, const Shot& shot, Memory& memory) const {
  memory.flight = shot.flight;
  memory.face = shot.face;
  memory.meets = ball.place - flights_[static_cast<std::size_t>(memory.ball)].radius() * shot.face;
}

bool BallPlayer::is_time(const std::vector<int>& swings, const Vec3& to, const Vec3& scatter,
                         const Observation& now, const GroundTransform& to_tape, Tape& tape, Random& random,
                         Memory& memory) {
  if (memory.ball < 0) return false;
  if (memory.swing >= 0) return now.time >= memory.begins;
  if (now.time < memory.next_choice) return false;
  constexpr double kAgain = 0.1;  // s, when no swing was found
  constexpr int kEvery = 3;       // ticks
  constexpr double kEarly = 1.2;  // what aiming does to the pace is not known yet
  memory.next_choice = now.time + kAgain;
  memory.to = to;
  for (int k = 0; k < 3; ++k) memory.to[k] += random.uniform(-1, 1) * scatter[k];
  const Surroundings& seen = *now.surroundings;
  const auto b = static_cast<std::size_t>(memory.ball);
  const BallSlot& slot = seen.balls()[b];
  foresee(flights_[b], seen.ball(slot), memory.bounces);
  const Tape::Standing& standing = tape.standing_now(now.time);
  const GroundTransform to_world = to_tape.inverse();
  places_.clear();
  for (const int index : swings) {
    const auto& strike = (*segments_)[static_cast<std::size_t>(index)].strike;
    places_.push_back(strike ? to_world.apply(tape.placed(index, standing).apply(strike->place))
                             : Vec3(Vec3::Zero()));
  }
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < path_.size(); i += kEvery) {
    const Ball& ball = path_[i].ball;
    if (path_[i].bounces != 1) continue;
    int nearest = -1;
    double far = 1;
    for (std::size_t s = 0; s < swings.size(); ++s) {
      const auto& strike = (*segments_)[static_cast<std::size_t>(swings[s])].strike;
      if (!strike) continue;
      const double away = (ball.place - places_[s]).norm() / strike->spec.reach;
      if (away >= far) continue;
      far = away;
      nearest = swings[s];
    }
    if (nearest < 0 || kAway * far >= least) continue;
    const Strike& strike = *(*segments_)[static_cast<std::size_t>(nearest)].strike;
    const Racket racket = racket_of(strike, tape.placed(nearest, standing).yaw - to_tape.yaw, seen, slot);
    const auto shot = return_shot(flights_[b], ball, racket, memory.to);
    if (!shot) continue;
    const double time = static_cast<double>(i + 1) / kReferenceRate;
    const double lead = strike.scale_for(strike.pace_for(shot->speed)).taken(strike.at);
    if (lead > time) continue;
    const double cost = kAway * far + shot->cost;
    if (cost >= least) continue;
    least = cost;
    memory.swing = nearest;
    memory.meets_at = now.time + time;
    memory.begins = memory.meets_at - kEarly * lead;
    meet(ball, *shot, memory);
  }
  return memory.swing >= 0 && now.time >= memory.begins;
}

double BallPlayer::pace_for(const Observation& now, const GroundTransform& to_tape, Tape& tape,
                            Memory& memory) {
  constexpr int kRounds = 10;
  constexpr double kSettled = 0.02;  // of the speed
  const Strike& strike = *(*segments_)[static_cast<std::size_t>(tape.segment())].strike;
  const auto b = static_cast<std::size_t>(memory.ball);
  const double yaw = -to_tape.yaw;
  Racket racket =
      racket_of(strike, tape.place().yaw - to_tape.yaw, *now.surroundings, now.surroundings->balls()[b]);
  const Ball ball = ball_at(memory.meets_at, now, memory);
  double pace = tape.pace();
  offset_ = zero_;
  for (int round = 0; round < kRounds; ++round) {
    as_on_tape(strike, pace, offset_, yaw, tape, racket);
    const auto shot = return_shot(flights_[b], ball, racket, memory.to);
    if (!shot) break;
    meet(ball, *shot, memory);
    const double change = shot->speed / racket.speed;
    if (round > 1 && std::abs(change - 1) < kSettled) break;
    pace = std::clamp(pace * std::sqrt(change), kSlowest, kFastest);
    tape.at_hit(pace, zero_, q_, v_);
    aim_.reach_for(strike, tape.place(), q_, to_tape.apply(memory.meets),
                   yaw_rotation(to_tape.yaw) * memory.face, true, offset_);
  }
  return pace;
}

double BallPlayer::aim(const Observation& now, const GroundTransform& to_tape, Tape& tape, Memory& memory,
                       VecX& offset) {
  constexpr int kRounds = 10;
  constexpr double kClose = 0.005, kFarthest = 1;  // m
  const Strike& strike = *(*segments_)[static_cast<std::size_t>(tape.segment())].strike;
  const auto b = static_cast<std::size_t>(memory.ball);
  const BallFlight& flight = flights_[b];
  const double yaw = -to_tape.yaw;
  Racket racket =
      racket_of(strike, tape.place().yaw - to_tape.yaw, *now.surroundings, now.surroundings->balls()[b]);
  const Ball ball = ball_at(tape.hits(), now, memory);
  Vec3 target = memory.to;
  double away = 0;
  for (int round = 0; round < kRounds; ++round) {
    as_on_tape(strike, tape.pace(), offset, yaw, tape, racket);
    if (round > 0) {
      const Vec3 face = racket.face.dot(memory.face) < 0 ? Vec3(-racket.face) : racket.face;
      Vec3 off =
          comes_down(flight,
                     flight.off(ball, face, racket.speed * racket.way, racket.restitution, racket.friction),
                     memory.to) -
          memory.to;
      off.z() = 0;
      if (off.norm() < kClose) break;
      if (round > 1) target -= off * std::min(1.0, kFarthest / off.norm());
    }
    auto shot = return_shot_at_speed(flight, ball, racket, target, memory.flight);
    if (!shot) {
      constexpr double kFirm = 10;
      racket.firm = kFirm;
      racket.slow = 0.6 * racket.speed;
      racket.fast = 1.5 * racket.speed;
      shot = return_shot(flight, ball, racket, target);
    }
    if (shot) meet(ball, *shot, memory);
    tape.at_hit(tape.pace(), zero_, q_, v_);
    away = aim_.reach_for(strike, tape.place(), q_, to_tape.apply(memory.meets),
                          yaw_rotation(to_tape.yaw) * memory.face, true, offset);
  }
  return away;
}

}  // namespace stunt
