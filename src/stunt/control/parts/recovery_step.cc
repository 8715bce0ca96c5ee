#include "stunt/control/parts/recovery_step.h"

#include <algorithm>
#include <cmath>

#include "stunt/control/parts/recovery.h"
#include "stunt/reference/legs/leg_ik.h"

namespace stunt {
namespace {

constexpr double kStepTime = 0.25;    // s
constexpr double kStepHeight = 0.06;  // m

// The reference goes on for a while with the feet on the ground that it has there now.
bool keeps_standing(const Actor& actor, std::span<const Foot> feet, double time, const Reference& reference,
                    ReferenceSample& later) {
  for (const double ahead : {0.15, 0.3, 0.45}) {
    reference.sample(time + ahead, later);
    for (const Foot& foot : feet) {
      if (stands(actor, foot.leg, later) != foot.stance) return false;
    }
  }
  return true;
}

// m, of the joint of a foot that stands there on the plane under the feet.
double standing_height(const Vec3& place, const Foot& foot, const GroundSense& ground) {
  return place.z() - ground.height(place) + foot.ankle_height;
}

// Who kicks has a foot high up on purpose: it cannot be down in time, and trying to spoils the kick.
bool has_foot_high_up(const TrackedBody& body, std::span<const Foot> feet, const GroundSense& ground) {
  constexpr double kHigh = 0.3;  // m, over where it would stand: higher than any step of a walk
  return std::any_of(feet.begin(), feet.end(), [&](const Foot& foot) {
    return !foot.stance &&
           ground.height(body.reference.body_position(foot.leg.foot)) > foot.ankle_height + kHigh;
  });
}

bool carried_otherwise(const Actor& actor, std::span<const ActorContact> contacts) {
  constexpr double kOfTheWeight = 0.05;
  return std::any_of(contacts.begin(), contacts.end(), [&](const ActorContact& contact) {
    return contact.support && !actor.is_foot(contact.body) &&
           contact.force.z() > kOfTheWeight * actor.mass() * actor.gravity();
  });
}

// A leg is in something that is not there to stand on.
bool bumps(std::span<const Foot> feet, std::span<const ActorContact> contacts) {
  return std::any_of(contacts.begin(), contacts.end(), [&](const ActorContact& contact) {
    if (contact.support || contact.held || contact.other < 0) return false;
    return std::any_of(feet.begin(), feet.end(), [&](const Foot& foot) {
      const Leg& leg = foot.leg;
      return contact.body == leg.foot || contact.body == leg.toes || contact.body == leg.shank;
    });
  });
}

}  // namespace

RecoverySteps::RecoverySteps(const Actor& actor, double time) : calm_until_(time), inside_at_(time) {
  for (Step& step : steps_) step.last_q = actor.rest_q();
  support_.reserve(actor.contact_points().size());
  change_ = VecX::Zero(actor.nv());
}

void RecoverySteps::expect_contacts(const Actor& actor, std::span<const Foot> feet, double time,
                                    ReferenceSample& target, ReferenceSample& ahead) {
  constexpr double kComesDown = 0.7;  // of a step
  const auto& points = actor.contact_points();
  for (std::size_t f = 0; f < feet.size(); ++f) {
    Step& step = steps_[f];
    if (step.mode == Mode::follow) continue;
    if (step.mode == Mode::planted) {
      if (step.has_stood && !feet[f].stance) {  // the reference takes over
        step.mode = Mode::follow;
        continue;
      }
      step.has_stood = step.has_stood || feet[f].stance;
    }
    const bool down = step.mode == Mode::planted || time > step.since + kComesDown * kStepTime;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (points[i].left == feet[f].leg.left) target.contacts[i] = ahead.contacts[i] = down;
    }
  }
}

double RecoverySteps::lands_at(std::size_t foot) const { return steps_[foot].since + kStepTime; }

void RecoverySteps::let_go(const Actor& actor, std::span<const Foot> feet, const ReferenceSample& target,
                           std::span<PlanContact> contacts) const {
  constexpr double kDearer = 100;
  for (std::size_t f = 0; f < feet.size(); ++f) {
    const Leg& leg = feet[f].leg;
    if (!steps(f) || stands(actor, leg, target)) continue;
    for (PlanContact& contact : contacts) {
      if (contact.body == leg.foot || contact.body == leg.toes) contact.reluctance *= kDearer;
    }
  }
}

void RecoverySteps::update(const TrackedBody& body, std::span<const Foot> feet, const GroundSense& ground,
                           const Reference& reference, ReferenceSample& later) {
  constexpr double kLost = 0.04;                                    // m, outside the support
  constexpr double kEdge = 0.005, kTeeters = 0.15;                  // m, s: or so little for so long
  constexpr double kLostForSure = 0.12;                             // m, too far to wait for a step to come
  constexpr double kTouchFrom = 0.5, kGiveUp = 1.8, kSteer = 0.75;  // of a step
  constexpr double kPause = 0.05, kRises = 0.3, kInTheWay = 0.5;    // s
  if (feet.size() != 2) return;
  const Observation& now = body.now;
  int stepping = -1;
  for (int i = 0; i < 2; ++i) {
    if (steps(i)) stepping = i;
  }
  const double part = stepping >= 0 ? (now.time - steps_[stepping].since) / kStepTime : 0;
  if (stepping >= 0 && ((part > kTouchFrom && touches(feet[stepping].leg, now.contacts)) || part > kGiveUp)) {
    Step& step = steps_[stepping];
    step.mode = Mode::planted;
    step.has_stood = feet[stepping].stance;
    step.to = body.ours.body_position(feet[stepping].leg.foot);
    step.to.z() =
        standing_height(step.to, feet[stepping], ground);  // flat, though it may touch with its toes
    calm_until_ = inside_at_ = now.time + kPause;
    return;
  }
  // In flight there is nothing to fall from: both feet come down as the motion has them, placed.
  const auto up = [&](const Foot& foot) { return !foot.stance && !touches(foot.leg, now.contacts); };
  if (stepping >= 0 && std::all_of(feet.begin(), feet.end(), up)) {
    steps_[stepping].mode = Mode::follow;
    return;
  }
  // Who sits, kneels or lies does not fall, and gets up with the weight still behind the feet.
  if (stepping < 0 && carried_otherwise(body.ours.actor(), now.contacts)) calm_until_ = now.time + kRises;
  if (bumps(feet, now.contacts)) bumped_until_ = now.time + kInTheWay;
  if (stepping < 0 && now.time < calm_until_) return;

  support_.clear();
  bool carried = false;
  for (int i = 0; i < 2; ++i) {
    if (i == stepping || !(feet[i].stance || planted(i))) continue;
    carried = carried || touches(feet[i].leg, now.contacts);
    support_.add_sole(feet[i].leg, body.ours);
  }
  if (!carried) return;
  const double rate = pendulum_rate(body.ours.actor().gravity(), ground.height(body.ours.com()));
  const Vec2 capture = capture_point(body.ours.com(), body.ours.com_velocity() - ground.velocity(), rate);
  const Vec2 nearest = support_.nearest(capture);
  if (stepping < 0) {
    const double lost = (capture - nearest).norm();
    if (lost < kEdge) inside_at_ = now.time;
    if (lost < kLost && now.time < inside_at_ + kTeeters) return;
    // Who walks goes on with the next step as it comes, the more so when something is in the way: a leg that hangs
    // in it cannot carry, and the other one must not be lifted.
    if ((lost < kLostForSure || now.time < bumped_until_) &&
        !keeps_standing(body.ours.actor(), feet, now.time, reference, later))
      return;
    const Vec2 intended = capture + body.com_error.head<2>() + body.com_rate.head<2>() / rate;
    if (!holds(intended, body, feet) || has_foot_high_up(body, feet, ground)) return;
  } else if (part > kSteer) {
    return;
  }

  const double yaw = heading(quat_from_wxyz(&now.q[3]));
  StandingFoot standing[2];
  for (int i = 0; i < 2; ++i) {
    const Leg& leg = feet[i].leg;
    support_.clear();
    support_.add_sole(leg, body.ours);
    standing[i] = {body.ours.body_position(leg.foot).head<2>(), body.ours.body_position(leg.thigh).head<2>(),
                   support_.nearest(capture), leg.left,
                   stepping >= 0 ? stepping == i : !feet[i].stance && follows(i)};
  }
  const RecoveryPlan chosen =
      plan_recovery(standing, capture, Vec2(std::cos(yaw), std::sin(yaw)), rate, (1 - part) * kStepTime,
                    stepping, stepping >= 0 && steps_[stepping].past);
  Step& step = steps_[chosen.foot];
  if (stepping < 0) {
    step.mode = Mode::step;
    step.since = now.time;
    step.from = body.ours.body_position(feet[chosen.foot].leg.foot);
    step.yaw = yaw;
    step.past = chosen.past;
    step.around = Vec3(chosen.around.x(), chosen.around.y(), 0);
  }
  step.to = Vec3(chosen.place.x(), chosen.place.y(), 0);
}

// The reference's own capture point is inside our support, or inside its own: it does not mean to lean out.
bool RecoverySteps::holds(const Vec2& intended, const TrackedBody& body, std::span<const Foot> feet) {
  constexpr double kIntended = 0.02;  // m, outside the support
  if (support_.distance(intended) < kIntended) return true;
  support_.clear();
  for (const Foot& foot : feet) {
    if (foot.stance) support_.add_sole(foot.leg, body.reference);
  }
  return !support_.empty() && support_.distance(intended) < kIntended;
}

Vec3 RecoverySteps::put_foot(std::size_t i, const Foot& foot, const TrackedBody& body,
                             const GroundSense& ground) {
  Step& step = steps_[i];
  const Leg& leg = foot.leg;
  const Actor& actor = body.ours.actor();
  const Observation& now = body.now;
  ReferenceSample& target = body.target;
  Vec3 place = step.to;
  if (step.mode == Mode::step) {
    const double part = (now.time - step.since) / kStepTime;
    const double x = std::clamp(part / 0.9, 0.0, 1.0);
    place = step.from + x * x * (3 - 2 * x) * (step.to - step.from) +
            std::pow(std::sin(kPi * x), 2) * step.around;
    // On the plane under the feet, raised on the way; a floor that does not come is searched for.
    const double lift = part < 1 ? kStepHeight * std::sin(kPi * part) : -0.2 * (part - 1) * kStepTime;
    place.z() = standing_height(place, foot, ground) + lift;
  }
  // A step goes to a place in the world, from where the body really is.
  ActorDynamics& from = step.mode == Mode::step ? body.ours : body.reference;
  place_foot(actor, leg, from.body_position(leg.thigh), from.body_rotation(actor.bodies()[leg.thigh].parent),
             place, level_foot(leg, step.yaw), target.q);
  // Speeds by difference from the last target; the first has none.
  for (const int dof : leg.dofs) {
    target.a[dof] = 0;
    target.v[dof] = 0;
  }
  if (step.mode == Mode::step && now.time > step.since + 1.5 / body.rate) {
    difference(actor, step.last_q, target.q, change_);
    for (const int dof : leg.dofs) target.v[dof] = change_[dof] * body.rate;
  }
  step.last_q = target.q;
  return place;
}

}  // namespace stunt
