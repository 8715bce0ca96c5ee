#include "stunt/control/parts/reaction.h"

#include <algorithm>
#include <cmath>

namespace stunt {
namespace {

double joint_ratio(BodyRegion region, bool neck, const ReactionSettings& settings) {
  switch (region) {
    case BodyRegion::left_arm:
    case BodyRegion::right_arm:
      return settings.arm;
    case BodyRegion::left_leg:
    case BodyRegion::right_leg:
      return settings.leg;
    default:
      return neck ? settings.neck : settings.trunk;
  }
}

// A touch of two bodies of one's own is felt from both sides.
bool touches_itself(const ActorContact& contact, std::span<const ActorContact> all) {
  return std::any_of(all.begin(), all.end(), [&](const ActorContact& other) {
    return other.body != contact.body && other.point == contact.point && other.force == -contact.force;
  });
}

// Something that comes from outside and is not stood on.
bool is_blow(const Actor& actor, const ActorContact& contact, std::span<const ActorContact> all) {
  return !contact.support && !contact.held && !actor.is_foot(contact.body) && !touches_itself(contact, all);
}

}  // namespace

void describe(Fields& fields, ReactionSettings& s) {
  fields("on", s.on, {.help = "joints give way where a blow lands"});
  fields("least_force", s.least_force,
         {.unit = "N", .bounds = at_least(0), .help = "on a region of the body: less is no blow"});
  fields("full_force", s.full_force,
         {.unit = "N", .bounds = at_least(0), .help = "from here on the region gives way fully"});
  fields("trunk", s.trunk,
         {.bounds = between(0, 1),
          .help = "stiffness left in back and waist after a blow to trunk or head (k_r / k_t)"});
  fields("neck", s.neck, {.bounds = between(0, 1), .help = "likewise in the neck"});
  fields("arm", s.arm, {.bounds = between(0, 1), .help = "likewise in an arm that is hit, or hits"});
  fields("leg", s.leg, {.bounds = between(0, 1), .help = "likewise in a leg"});
  fields("delay", s.delay, {.unit = "s", .bounds = at_least(0), .help = "t_e: how long it stays soft"});
  fields("ramp", s.ramp,
         {.unit = "s", .bounds = at_least(0), .help = "t_f: how gradually the stiffness comes back"});
}

std::vector<BodyRegion> body_regions(const Actor& actor) {
  std::vector<BodyRegion> regions(actor.bodies().size(), BodyRegion::trunk);
  const auto starts = [&](Role role, BodyRegion region) {
    if (actor.body(role) > 0) regions[static_cast<std::size_t>(actor.body(role))] = region;
  };
  starts(Role::left_clavicle, BodyRegion::left_arm);
  starts(Role::left_upper_arm, BodyRegion::left_arm);
  starts(Role::right_clavicle, BodyRegion::right_arm);
  starts(Role::right_upper_arm, BodyRegion::right_arm);
  starts(Role::left_thigh, BodyRegion::left_leg);
  starts(Role::right_thigh, BodyRegion::right_leg);
  for (std::size_t b = 1; b < regions.size(); ++b) {  // a parent comes before its children
    const BodyRegion above = regions[static_cast<std::size_t>(actor.bodies()[b].parent)];
    if (regions[b] == BodyRegion::trunk) regions[b] = above;
  }
  return regions;
}

Reactions::Reactions(const Actor& actor) : regions_(body_regions(actor)), is_neck_(regions_.size(), 0) {
  const int first = actor.body(Role::neck) > 0 ? actor.body(Role::neck) : actor.body(Role::head);
  for (std::size_t b = 1; first > 0 && b < is_neck_.size(); ++b) {
    const int parent = actor.bodies()[b].parent;
    is_neck_[b] = static_cast<int>(b) == first || is_neck_[static_cast<std::size_t>(parent)];
  }
}

void Reactions::feel(const Actor& actor, const Observation& now, const ReactionSettings& settings) {
  std::array<double, kBodyRegions> force{};  // N
  Vec3 push = Vec3::Zero(), moment = Vec3::Zero();
  for (const ActorContact& contact : now.contacts) {
    if (!is_blow(actor, contact, now.contacts)) continue;
    // A push from outside is known, but nothing gives way to it: who gives way to a push falls sooner.
    if (contact.other >= 0)
      force[static_cast<std::size_t>(regions_[static_cast<std::size_t>(contact.body)])] +=
          contact.force.norm();
    if (!actor.has_free_root()) continue;
    push += contact.force;
    moment += (contact.point - Vec3(now.q.head<3>())).cross(contact.force);
  }
  if (actor.has_free_root()) {
    impulse_.head<3>() += push;
    impulse_.tail<3>() += quat_from_wxyz(&now.q[3]).conjugate() * moment;
  }
  ++steps_;
  if (!settings.on) return;
  for (int i = 0; i < kBodyRegions; ++i) {
    if (force[i] <= settings.least_force) continue;
    const double range = settings.full_force - settings.least_force;
    const double strength = range > 0 ? std::min(1.0, (force[i] - settings.least_force) / range) : 1;
    const auto region = static_cast<BodyRegion>(i);
    // A harder blow is not made up for by a weaker one.
    if (strength >= yielding(region, now.time, settings)) blows_[i] = {now.time, strength};
  }
}

double Reactions::yielding(BodyRegion region, double time, const ReactionSettings& settings) const {
  const Blow& blow = blows_[static_cast<std::size_t>(region)];
  const double since = time - blow.time - settings.delay;
  if (since <= 0) return blow.strength;
  if (since >= settings.ramp) return 0;
  return 0.5 * (1 + std::cos(kPi * since / settings.ramp)) * blow.strength;
}

void Reactions::softness(const Actor& actor, double time, const ReactionSettings& settings, VecX& out) const {
  out.setOnes(actor.nv());
  for (const ActorJoint& joint : actor.joints()) {
    if (joint.type == JointType::free) continue;
    const auto body = static_cast<std::size_t>(joint.body);
    const double ratio = joint_ratio(regions_[body], is_neck_[body] != 0, settings);
    out.segment(joint.v_address, joint.dofs)
        .setConstant(1 - yielding(regions_[body], time, settings) * (1 - ratio));
  }
}

Eigen::Matrix<double, 6, 1> Reactions::take_root_wrench() {
  const Eigen::Matrix<double, 6, 1> mean = impulse_ / std::max(1, steps_);
  impulse_.setZero();
  steps_ = 0;
  return mean;
}

}  // namespace stunt
