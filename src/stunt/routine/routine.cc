#include "stunt/routine/routine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "stunt/control/surroundings.h"
#include "stunt/core/error.h"
#include "stunt/reference/cleanup/clean_up.h"

namespace stunt {
namespace {

constexpr double kSteady = 0.08;         // m, of the capture point against the tape's
constexpr double kAside = 0.04;          // m, that a foot may be off the tape while nothing is done
constexpr double kAimEvery = 0.05;       // s
constexpr double kAimUntil = 0.09;       // s before the hit
constexpr double kFollowThrough = 0.3;   // s after a hit
constexpr double kSettledBefore = 0.25;  // s before a ball is met
constexpr double kSkin = 0.08;        // m: a hit is fastest where it meets the skin, not in the body's middle
constexpr double kLargestLead = 0.1;  // m, by which a moving target is led
constexpr double kGuardLength = 0.35;  // m before the target that the guard must leave open
constexpr double kOpen = 0.11;         // m, from the way of the hit to an arm in its way
constexpr double kPatience = 3;        // s: who has waited so long hits at the guard, and goes nearer

double distance_to_line(const Vec3& point, const Vec3& from, const Vec3& to) {
  const Vec3 way = to - from;
  const double along = std::clamp((point - from).dot(way) / std::max(1e-12, way.squaredNorm()), 0.0, 1.0);
  return (point - from - along * way).norm();
}

// m: how far the capture point (control/parts/capture_point.h), seen from the feet, is from where the tape has its own.
double off_balance(ActorDynamics& dynamics, const std::vector<Foot>& feet, const Observation& now,
                   const ReferenceSample& tape) {
  const auto capture = [&](const VecX& q, const VecX& v) {
    dynamics.set_state(q, v);
    Vec2 middle = q.head<2>();
    if (feet.size() == 2) {
      middle =
          0.5 *
          (dynamics.body_position(feet[0].leg.foot) + dynamics.body_position(feet[1].leg.foot)).head<2>();
    }
    const double rate = pendulum_rate(dynamics.actor().gravity(), dynamics.com().z());
    return Vec2(capture_point(dynamics.com(), dynamics.com_velocity(), rate) - middle);
  };
  const Vec2 wanted = capture(tape.q, tape.v);
  return (capture(now.q, now.v) - wanted).norm();
}

}  // namespace

Routine::Routine(RoutineRules rules, std::string self, std::shared_ptr<const Segments> segments,
                 const GroundTransform& place, std::uint64_t seed)
    : settings_(std::move(rules)),
      self_(std::move(self)),
      segments_(std::move(segments)),
      place_(place),
      seed_(seed),
      tape_(std::make_shared<Tape>(segments_)),
      aim_(tape_->actor()),
      ball_player_(segments_, aim_),
      feet_(find_feet(*tape_->actor())) {
  // A segment, or all those of a blend.
  const auto indices_of = [&](const std::string& name, std::vector<int>& out) {
    const std::size_t before = out.size();
    for (std::size_t i = 0; i < segments_->size(); ++i) {
      if ((*segments_)[i].name == name || (*segments_)[i].blend == name) out.push_back(static_cast<int>(i));
    }
    if (out.size() == before) throw InputError("routine", "'" + name + "'", "one of its segments");
  };
  for (const Segment& segment : *segments_) {
    const std::string& name = segment.blend.empty() ? segment.name : segment.blend;
    if (states_.empty() || states_.back() != name) states_.push_back(name);
    state_of_.push_back(static_cast<int>(states_.size()) - 1);
  }
  if (!settings_.ready.empty()) {
    std::vector<int> found;
    indices_of(settings_.ready, found);
    ready_ = found[0];
  }
  for (const RuleSpec& spec : settings_.rules) {
    Rule rule;
    rule.when = spec.when == "in_reach"       ? When::in_reach
                : spec.when == "threatened"   ? When::threatened
                : spec.when == "out_of_place" ? When::out_of_place
                : spec.when == "ball"         ? When::ball
                                              : When::idle;
    for (const std::string& name : words(spec.play)) indices_of(name, rule.play);
    rule.pause = spec.pause;
    rule.chance = spec.chance;
    rule.to = spec.to;
    rule.scatter = spec.scatter;
    rules_.push_back(std::move(rule));
  }
  missed_.reserve(64);
  offset_ = zero_ = VecX::Zero(tape_->actor()->nv());
  support_.reserve(tape_->actor()->contact_points().size());
  memory_.random = Random(seed_);
  tape_->begin(ready_, place_);
  tape_->sample(0, here_);
}

void Routine::reset(const Observation& start) {
  memory_ = Memory();
  memory_.random = Random(seed_);
  memory_.next_tick = start.time;
  for (std::size_t i = 0; i < rules_.size() && i < memory_.rested.size(); ++i)
    memory_.rested[i] = start.time + rules_[i].pause * memory_.random.uniform(0.2, 1);
  tape_->begin(ready_, place_);
  missed_.clear();
}

std::any Routine::save() const { return std::pair(memory_, tape_->save()); }

void Routine::restore(const std::any& memory) {
  const auto& saved = std::any_cast<const std::pair<Memory, std::any>&>(memory);
  memory_ = saved.first;
  tape_->restore(saved.second);
  missed_.resize(std::min(missed_.size(), memory_.missed));
}

// Who is where in the scene: found once.
void Routine::look(const Observation& now) {
  looked_ = true;
  if (!now.surroundings) return;
  const Surroundings& seen = *now.surroundings;
  const auto add = [&](std::vector<int>& list, const std::string& who, const char* body) {
    if (const int found = seen.find(who, body); found >= 0) list.push_back(found);
  };
  for (const char* body : {"head", "chest"}) add(own_targets_, self_, body);
  own_root_ = seen.find(self_, "pelvis");
  ball_player_.look(seen, self_);
  if (settings_.opponent.empty()) return;
  for (const char* body : {"left_hand", "right_hand"}) add(their_hands_, settings_.opponent, body);
  for (const char* body : {"left_hand", "right_hand", "left_forearm", "right_forearm"})
    add(their_arms_, settings_.opponent, body);
  their_root_ = seen.find(settings_.opponent, "pelvis");
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    for (const std::string& body : words(settings_.rules[i].at)) {
      const int found = seen.find(settings_.opponent, body);
      if (found < 0)
        throw InputError(fmt::format("{}: routine.rules.{}.at", self_, i), "'" + body + "'",
                         "a body of '" + settings_.opponent + "'");
      rules_[i].at.push_back(found);
    }
  }
}

void Routine::update(const Observation& now) {
  if (!looked_) look(now);
  tape_->write(now.time);
  if (now.time < memory_.next_tick - 1e-9) return;
  memory_.next_tick += 1 / kReferenceRate;
  tape_->sample(now.time, here_);
  to_tape_ = ground_transform(now.q, here_.q);
  stands_ = stands_still(now);
  if (stands_) {
    tape_->stand(now.q, now.time);
  } else {
    tape_->stand_as_taped();
  }
  if (now.surroundings && ball_player_.sees_balls()) ball_player_.watch(now, memory_.ball);
  decide(now);
  if (now.time >= memory_.next_aim && tape_->hits() - now.time > kAimUntil) take_aim(now);
}

void Routine::decide(const Observation& now) {
  const Segment& current = (*segments_)[static_cast<std::size_t>(tape_->segment())];
  const bool blended = now.time >= tape_->started() + current.ease;
  const Segment& ready = (*segments_)[static_cast<std::size_t>(ready_)];
  const bool over = now.time >= tape_->ends() - ready.ease;
  const bool waits = tape_->segment() == ready_ && blended;
  // A ball does not wait until the ready pose is there, nor until the arm is back after a hit.
  const bool hit = tape_->segment() == ready_ || now.time > tape_->hits() + kFollowThrough;
  if (!over && !waits && !hit) return;
  const bool steady = is_steady(now);
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    const Rule& rule = rules_[i];
    if (!steady && rule.when != When::threatened && rule.when != When::ball) continue;
    if (!over && !waits && rule.when != When::ball) continue;
    double& rested = memory_.rested[std::min(i, memory_.rested.size() - 1)];
    if (now.time < rested) continue;
    chosen_ = -1;
    chosen_goal_ = {};
    step_ = {};
    if (!holds(rule, now)) continue;
    if (rule.chance < 1 && memory_.random.uniform() >= rule.chance) {
      constexpr double kOccasion = 0.4;  // s, for which the die stays cast
      rested = now.time + kOccasion;
      continue;
    }
    if (chosen_ < 0) {
      const auto n = rule.play.size();
      chosen_ = rule.play[static_cast<std::size_t>(memory_.random.uniform() * static_cast<double>(n))];
    }
    if (rule.when != When::ball) {
      play(chosen_, now, chosen_goal_, 0);
    } else if (!begin_swing(now)) {
      return;
    }
    const double done = rule.when == When::ball ? tape_->hits() + kFollowThrough : tape_->ends();
    rested = done + rule.pause * memory_.random.uniform(0.5, 1.5);
    if (!std::isfinite(rested)) rested = now.time + rule.pause;
    return;
  }
  const bool again = tape_->segment() == ready_ && std::isfinite(tape_->ends());
  // After a step that was not the tape's, it goes on from where the feet are.
  const bool aside = waits && steady && tape_->aside() > kAside;
  if ((over && (tape_->segment() != ready_ || again)) || aside) play(ready_, now, {}, 0);
}

bool Routine::stands_still(const Observation& now) {
  constexpr double kStill = 0.1;  // m/s
  if (feet_.size() != 2) return true;
  ActorDynamics& dynamics = aim_.dynamics();
  dynamics.set_state(now.q, now.v);
  return std::all_of(feet_.begin(), feet_.end(), [&](const Foot& foot) {
    return touches(foot.leg, now.contacts) &&
           dynamics.point_velocity(foot.leg.foot, dynamics.body_position(foot.leg.foot)).norm() < kStill;
  });
}

// Who is thrown about, or has a foot in the air, neither hits nor steps on purpose. Who stands otherwise than the tape, after
// steps that caught a fall, has to be at rest over its feet.
bool Routine::is_steady(const Observation& now) {
  constexpr double kAtRest = 0.1;  // m/s
  if (!stands_) return false;
  ActorDynamics& dynamics = aim_.dynamics();
  if (off_balance(dynamics, feet_, now, here_) < kSteady) return true;
  if (feet_.size() != 2) return false;
  dynamics.set_state(now.q, now.v);
  support_.clear();
  for (const Foot& foot : feet_) support_.add_sole(foot.leg, dynamics);
  const double rate = pendulum_rate(dynamics.actor().gravity(), dynamics.com().z());
  return dynamics.com_velocity().head<2>().norm() < kAtRest &&
         support_.distance(capture_point(dynamics.com(), dynamics.com_velocity(), rate)) == 0;
}

bool Routine::holds(const Rule& rule, const Observation& now) {
  switch (rule.when) {
    case When::idle:
      return true;
    case When::threatened:
      return now.surroundings && threatened(*now.surroundings);
    case When::out_of_place:
      return now.surroundings && out_of_place(rule, now);
    case When::in_reach:
      return now.surroundings && choose_hit(rule, now);
    case When::ball:
      if (!now.surroundings || !ball_player_.is_time(rule.play, rule.to, rule.scatter, now, to_tape_, *tape_,
                                                     memory_.random, memory_.ball))
        return false;
      chosen_ = memory_.ball.swing;
      chosen_goal_.kind = Goal::Kind::ball;
      return true;
  }
  return false;
}

// A hand comes fast, and would pass near.
bool Routine::threatened(const Surroundings& seen) const {
  constexpr double kFast = 1.5, kNear = 0.3, kSoon = 0.3;  // m/s, m, s
  for (const int hand : their_hands_) {
    const Vec3 from = seen.centre(hand);
    const Vec3 velocity = seen.velocity_at(hand, from);
    for (const int target : own_targets_) {
      const Vec3 place = seen.centre(target);
      const Vec3 relative = velocity - seen.velocity_at(target, place);
      const Vec3 way = place - from;
      const double speed = relative.norm();
      if (speed < kFast) continue;
      const double time = way.dot(relative) / (speed * speed);
      if (time <= 0 || time > kSoon) continue;
      if ((way - time * relative).norm() < kNear) return true;
    }
  }
  return false;
}

// 0 to 1: how long it has done nothing, as long as it likes to. Two who only wait for each other would stand for ever.
double Routine::impatience(double time) const {
  return tape_->segment() == ready_ ? std::min(1.0, (time - tape_->started()) / kPatience) : 0;
}

// Distance and facing to the opponent, and the feet against those of the ready stance. Chooses the segment whose own way is
// nearest to the one that would mend it, and leaves in step_ what is missing to it.
bool Routine::out_of_place(const Rule& rule, const Observation& now) {
  const Surroundings& seen = *now.surroundings;
  constexpr double kLongestStep = 0.3, kFurther = 0.12, kWidest = 0.35;  // m, m, rad: of one segment
  Vec3 shift = Vec3::Zero();                                             // m, world
  double turn = 0;
  const GroundTransform stands = tape_->placed_now(ready_, now.time);
  bool off = false;
  constexpr double kNarrowest = 0.3;  // of the tolerances, for who is impatient
  constexpr double kStance = 0.4;     // of the tolerance, for a foot: who stands badly is soon thrown about
  const double narrow = 1 - (1 - kNarrowest) * impatience(now.time);
  if (their_root_ >= 0) {
    Vec3 way = seen.position(their_root_) - now.q.head<3>();
    way.z() = 0;
    const double far = way.norm();
    if (settings_.distance > 0 && std::abs(far - settings_.distance) > narrow * settings_.tolerance) {
      // Half the way: the other may be stepping too.
      shift = way.normalized() * std::clamp(0.5 * (far - settings_.distance), -kLongestStep, kLongestStep);
      off = true;
    }
    // It faces where the motion's own forward is, with the feet where they are.
    turn = std::remainder(std::atan2(way.y(), way.x()) - stands.yaw + to_tape_.yaw, 2 * kPi);
    if (std::abs(turn) > narrow * radians(settings_.facing_deg)) off = true;
    turn = std::clamp(turn, -kWidest, kWidest);
  }
  if (tape_->out_of_stance(ready_, now.time) > kStance * settings_.tolerance) off = true;
  if (!off) return false;
  shift = yaw_rotation(to_tape_.yaw) * shift;  // as the tape has it
  double best = 1e9;
  for (const int segment : rule.play) {
    const Vec3 rest =
        shift - yaw_rotation(stands.yaw) * (*segments_)[static_cast<std::size_t>(segment)].travel;
    if (rest.norm() >= best) continue;
    best = rest.norm();
    chosen_ = segment;
    step_ = {turn, rest * std::min(1.0, kFurther / std::max(1e-9, rest.norm()))};
  }
  return true;
}

Vec3 Routine::goal_point(const Goal& goal, const Strike& strike, const GroundTransform& place,
                         const Observation& now, double lead) const {
  if (goal.kind == Goal::Kind::point) return goal.point;
  const Surroundings& seen = *now.surroundings;
  const Vec3 centre = seen.centre(goal.body);
  Vec3 ahead = lead * seen.velocity_at(goal.body, centre);
  if (ahead.norm() > kLargestLead) ahead *= kLargestLead / ahead.norm();
  // The skin on the side that the hit comes from.
  return centre + ahead - kSkin * (yaw_rotation(place.yaw - to_tape_.yaw) * strike.velocity.normalized());
}

Vec3 Routine::in_segment(const Vec3& world, const GroundTransform& place) const {
  return place.inverse().apply(to_tape_.apply(world));
}

// The hit and the target that the guard leaves most open, among those in reach; the longer it has waited, the less open.
bool Routine::choose_hit(const Rule& rule, const Observation& now) {
  if (rule.at.empty() || their_root_ < 0) return false;
  constexpr double kOutOfReach = 1.6;  // m
  if ((now.surroundings->position(their_root_) - now.q.head<3>()).head<2>().norm() > kOutOfReach)
    return false;
  const double least = kOpen * (1 - impatience(now.time));
  double best = -1;
  for (const int segment : rule.play) {
    const auto& strike = (*segments_)[static_cast<std::size_t>(segment)].strike;
    if (!strike) continue;
    const GroundTransform stands = tape_->placed_now(segment, now.time);
    for (const int body : rule.at) {
      Goal goal;
      goal.kind = Goal::Kind::body;
      goal.body = body;
      const Vec3 target = goal_point(goal, *strike, stands, now, 0);
      if ((in_segment(target, stands) - strike->place).norm() > strike->spec.reach) continue;
      const Vec3 back = yaw_rotation(stands.yaw - to_tape_.yaw) * strike->velocity.normalized();
      double open = 1;
      for (const int arm : their_arms_) {
        open = std::min(
            open, distance_to_line(now.surroundings->centre(arm), target - kGuardLength * back, target));
      }
      if (open < least) continue;
      const double worth =
          std::min(open, 0.25) + 0.15 * memory_.random.uniform() + (segment == memory_.last_hit ? 0 : 0.1);
      if (worth <= best) continue;
      best = worth;
      chosen_ = segment;
      chosen_goal_ = goal;
    }
  }
  return best >= 0;
}

void Routine::play(int segment, const Observation& now, const Goal& goal, double speed) {
  const auto& strike = (*segments_)[static_cast<std::size_t>(segment)].strike;
  const double pace = strike ? strike->pace_for(speed > 0 ? speed : strike->spec.speed) : 1;
  tape_->play(segment, now.time, pace, step_);
  step_ = {};
  begin_hit(now, goal);
}

// The swing that was chosen for a ball, if it has to begin now to be in time.
bool Routine::begin_swing(const Observation& now) {
  tape_->mark();
  tape_->play(chosen_, now.time);
  const double pace = ball_player_.pace_for(now, to_tape_, *tape_, memory_.ball);
  const double early = memory_.ball.meets_at - tape_->hits_at(pace);
  if (early > 0.5 / kReferenceRate) {
    tape_->undo();
    memory_.ball.begins = now.time + early - 1 / kReferenceRate;  // the pace may still change a little
    return false;
  }
  tape_->change_pace(now.time, pace);
  begin_hit(now, chosen_goal_);
  return true;
}

void Routine::begin_hit(const Observation& now, const Goal& goal) {
  memory_.goal = goal;
  memory_.next_aim = std::numeric_limits<double>::infinity();
  if (!(*segments_)[static_cast<std::size_t>(tape_->segment())].strike) return;
  memory_.last_hit = tape_->segment();
  memory_.hit = {tape_->segment(), tape_->hits(), Vec3::Zero(), 0};
  if (goal.kind != Goal::Kind::none) take_aim(now);
}

void Routine::take_aim(const Observation& now) {
  const Segment& segment = (*segments_)[static_cast<std::size_t>(tape_->segment())];
  if (!segment.strike || memory_.goal.kind == Goal::Kind::none) return;
  const Strike& strike = *segment.strike;
  if (memory_.goal.kind == Goal::Kind::ball) {
    memory_.next_aim = std::numeric_limits<double>::infinity();
    if (memory_.ball.swing != tape_->segment()) return;  // it comes no more
    offset_ = tape_->aimed();
    memory_.hit.short_by = ball_player_.aim(now, to_tape_, *tape_, memory_.ball, offset_);
    memory_.hit.target = memory_.ball.meets;
  } else {
    const Vec3 world = goal_point(memory_.goal, strike, tape_->place(), now, tape_->hits() - now.time);
    tape_->at_hit(tape_->pace(), zero_, hit_q_, hit_v_);
    memory_.hit.short_by = aim_.reach_for(strike, tape_->place(), hit_q_, to_tape_.apply(world),
                                          yaw_rotation(to_tape_.yaw) * memory_.goal.facing, false, offset_);
    memory_.hit.target = world;
  }
  tape_->aim(now.time, offset_);
  memory_.next_aim = now.time + kAimEvery;
  // A ball goes where it goes, and an arm that is still being moved aside is not as fast as it was planned.
  if (memory_.goal.kind == Goal::Kind::ball && tape_->hits() - memory_.next_aim < kSettledBefore)
    memory_.next_aim = std::numeric_limits<double>::infinity();
}

GroundTransform Routine::stands(const std::string& segment, const Observation& now) {
  tape_->write(now.time);
  tape_->sample(now.time, here_);
  to_tape_ = ground_transform(now.q, here_.q);
  for (std::size_t i = 0; i < segments_->size(); ++i) {
    if ((*segments_)[i].name == segment)
      return tape_->placed_now(static_cast<int>(i), now.time).then(to_tape_.inverse());
  }
  throw InputError("routine", "'" + segment + "'", "one of its segments");
}

void Routine::obey(const PlayOrder& order, const Observation& now, const std::string& place) {
  if (!looked_) look(now);
  std::vector<std::string> names;
  for (const Segment& segment : *segments_) names.push_back(segment.name);
  const auto found = std::find(names.begin(), names.end(), order.segment);
  if (found == names.end())
    throw InputError(place, "'" + order.segment + "'", fmt::format("one of: {}", fmt::join(names, ", ")));
  Goal goal;
  if (!order.body.empty()) {
    goal.kind = Goal::Kind::body;
    goal.body = now.surroundings ? now.surroundings->find(settings_.opponent, order.body) : -1;
    if (goal.body < 0) throw InputError(place, "'" + order.body + "'", "a body of its opponent");
  } else if (order.target) {
    goal.kind = Goal::Kind::point;
    goal.point = *order.target;
  }
  if (order.facing) goal.facing = order.facing->normalized();
  stands(order.segment, now);
  play(static_cast<int>(found - names.begin()), now, goal, order.speed);
  constexpr double kMissed = 0.01;  // m
  if (memory_.goal.kind != Goal::Kind::none && memory_.hit.short_by > kMissed &&
      missed_.size() < missed_.capacity())
    missed_.push_back(memory_.hit);
  memory_.missed = missed_.size();
}

}  // namespace stunt
