#include "stunt/control/mcsim/mcsim.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "stunt/control/parts/body_contacts.h"
#include "stunt/control/parts/capture_point.h"

namespace stunt {

static constexpr int kMostBodyContacts = 16;  // of hands, knees and trunk

void describe(Fields& fields, McSimSettings& s) {
  fields(
      "plan_rate", s.plan_rate,
      {.unit = "Hz", .bounds = between(10, 10000), .help = "plans per second; in between torques are held"});
  fields("stiffness", s.stiffness,
         {.unit = "1/s^2",
          .bounds = above(0),
          .help = "k_os of eq. 4: larger follows the pose more closely; damping is 2 sqrt(k_os)",
          .search = SearchRange{550, 200}});
  fields("flight_stiffness", s.flight_stiffness,
         {.unit = "1/s^2",
          .bounds = above(0),
          .help = "likewise where the motion flies or will soon: runs and jumps",
          .search = SearchRange{700, 200}});
  fields("hurry", s.hurry,
         {.bounds = at_least(0),
          .help = "how much stiffer a leg becomes that steps to another place than the reference"});
  fields("pd_scale", s.pd_scale,
         {.bounds = at_least(0), .help = "of the plan's stiffness: the PD term that answers between plans"});
  fields("root_linear_weight", s.root_linear_weight,
         {.bounds = above(0), .help = "how much the root's acceleration counts in the plan"});
  fields("root_angular_weight", s.root_angular_weight,
         {.bounds = above(0), .help = "likewise its turning: larger keeps the trunk upright"});
  fields("com_weight", s.com_weight,
         {.bounds = at_least(0), .help = "likewise the centre of mass: larger puts balance before pose"});
  fields("hold_weight", s.hold_weight, {.bounds = at_least(0), .help = "likewise feet that stand still"});
  fields("hold_damping", s.hold_damping, {.unit = "1/s", .bounds = at_least(0), .help = "of feet that slip"});
  fields("friction", s.friction, {.bounds = above(0), .help = "that the plan counts on"});
  fields("pendulum_gain", s.pendulum_gain,
         {.bounds = at_least(0),
          .help = "k of the balance: c'' = c_ref'' + w^2 (k-1) e + w k e', w = sqrt(g/z)",
          .search = SearchRange{3, 0.7}});
  fields("height_stiffness", s.height_stiffness,
         {.unit = "1/s^2", .bounds = at_least(0), .help = "of the centre of mass's height"});
  fields("height_damping", s.height_damping, {.unit = "1/s", .bounds = at_least(0), .help = "likewise"});
  fields("spin_weight", s.spin_weight,
         {.bounds = at_least(0), .help = "how much the spin of a flight counts before its take-off"});
  fields("spin_time", s.spin_time,
         {.unit = "s", .bounds = at_least(0), .help = "how long before the take-off"});
  describe(fields, static_cast<FootworkSettings&>(s));
  fields("flight_velocity_gain", s.flight_velocity_gain,
         {.unit = "s",
          .help = "placement: forward, of steps that end a flight",
          .search = SearchRange{0.42, 0.1}});
  fields("flight_lift_rate", s.flight_lift_rate,
         {.unit = "1/s",
          .bounds = above(0),
          .help = "lift_rate where the motion flies or will soon, and no settling_time"});
  fields.group("reaction", s.reaction, "how joints give way where a blow lands");
  fields("blows_known", s.blows_known, {.help = "the plan is told how blows push the body"});
  describe_nudges(fields, "nudges", s.nudges);
}

std::unique_ptr<Controller> make_controller(const McSimSettings& settings, const ControllerTask& task) {
  require_free_root(*task.reference->actor(), "mcsim");
  McSimSettings own = settings;
  own.friction *= task.friction;
  return std::make_unique<McSimController>(own, task.reference);
}

McSimController::Memory::Memory(const Actor& actor, double time)
    : next_plan(time),
      foot_contacts(actor.contact_points().size()),
      footfalls(time),
      placement(actor),
      recovery(actor, time),
      take_off(time),
      torque(VecX::Zero(actor.nv())),
      pd_stiffness(VecX::Zero(actor.nv())),
      pd_damping(VecX::Zero(actor.nv())),
      reactions(actor) {}

McSimController::McSimController(const McSimSettings& settings, ReferencePtr reference)
    : settings_(settings),
      reference_(std::move(reference)),
      actor_(reference_->actor()),
      memory_(*actor_),
      feet_(find_feet(*actor_)),
      dynamics_(actor_),
      reference_dynamics_(actor_),
      planner_(*actor_,
               std::max<int>(16, static_cast<int>(actor_->contact_points().size())) + kMostBodyContacts) {
  const int nv = actor_->nv();
  targets_.weight = VecX::Ones(nv);
  targets_.weight.head<3>().setConstant(settings_.root_linear_weight);
  targets_.weight.segment<3>(3).setConstant(settings_.root_angular_weight);
  targets_.com_weight.setConstant(settings_.com_weight);
  targets_.hold_weight = settings_.hold_weight;
  targets_.hold_damping = settings_.hold_damping;
  targets_.friction = settings_.friction;
  targets_.acceleration = error_ = stiffness_ = softness_ = VecX::Zero(nv);
  contacts_.reserve(actor_->contact_points().size() + kMostBodyContacts);
  reference_->sample(0, memory_.target);
  reference_->sample(0, later_);
  timing_.microseconds.reserve(1 << 14);
}

void McSimController::reset(const Observation& start) {
  memory_ = Memory(*actor_, start.time);
  reference_->sample(start.time, memory_.target);
  memory_.anchor = Anchor(start.q.head<3>() - memory_.target.q.head<3>());
  timing_.microseconds.clear();
  timing_.relaxed = 0;
}

void McSimController::actuate(const Observation& now, Actuation& out) {
  memory_.reactions.feel(*actor_, now, settings_.reaction);
  if (now.time >= memory_.next_plan - 1e-9) {
    const auto begin = std::chrono::steady_clock::now();
    plan(now);
    timing_.microseconds.push_back(
        std::chrono::duration<float, std::micro>(std::chrono::steady_clock::now() - begin).count());
    memory_.next_plan = std::max(memory_.next_plan + 1 / settings_.plan_rate, now.time);
  }
  out.torque = memory_.torque;
  if (settings_.pd_scale > 0) {
    // McSim eq. 8 to 10, with the plan's own targets and the diagonal of the joint-space inertia.
    const ReferenceSample& target = memory_.target;
    difference(*actor_, now.q, target.q, error_);
    out.torque += memory_.pd_stiffness.cwiseProduct(error_);
    out.torque += memory_.pd_damping.cwiseProduct(target.v - now.v);
  }
  out.torque.head<6>().setZero();
}

void McSimController::plan(const Observation& now) {
  dynamics_.set_state(now.q, now.v);
  sample_reference(now);
  sense_contacts(now);
  move_anchor(now);
  nudge(settings_.nudges.at(now.time + 0.5 / settings_.plan_rate), feet_, reference_dynamics_,
        memory_.target);
  memory_.take_off.look_ahead(*reference_, now.time, reference_dynamics_, later_);
  flies_ = memory_.take_off.flies_soon(now.time);
  const TrackedBody body = compare(now);
  const std::size_t of_feet = contacts_.size();
  add_body_contacts(dynamics_, now.contacts, reference_dynamics_, contacts_);
  const bool lies = contacts_.size() > of_feet;
  add_grip_contacts(now.contacts, contacts_);
  const bool holds =
      std::any_of(now.contacts.begin(), now.contacts.end(), [](const ActorContact& c) { return c.held; });
  hangs_ = (holds || lies) && std::none_of(feet_.begin(), feet_.end(),
                                           [](const Foot& foot) { return foot.stance || foot.lands_soon; });
  memory_.loads.feel(now.contacts, 1 / settings_.plan_rate);
  memory_.loads.generalised_force(dynamics_, jacobian_, targets_.load);
  if (settings_.recovery) memory_.recovery.update(body, feet_, memory_.ground, *reference_, later_);
  place_feet(body);
  choose_targets(body);
  solve();
}

// What to follow, in the middle of the time that the plan is held, and what it has on the ground: as in the
// reference, but for feet that catch a fall.
void McSimController::sample_reference(const Observation& now) {
  ReferenceSample& target = memory_.target;
  const double dt = 1 / settings_.plan_rate;
  reference_->sample(now.time + 0.5 * dt, target);
  reference_->sample(now.time + settings_.look_ahead, ahead_);
  for (Foot& foot : feet_) {
    foot.stance = stands(*actor_, foot.leg, target);
    foot.lands_soon = stands(*actor_, foot.leg, ahead_);
  }
  memory_.footfalls.look_ahead(*reference_, now.time, feet_, later_);
  memory_.recovery.expect_contacts(*actor_, feet_, now.time, target, ahead_);
  for (std::size_t i = 0; i < feet_.size(); ++i) feet_[i].caught = memory_.recovery.planted(i);
}

void McSimController::sense_contacts(const Observation& now) {
  const double dt = 1 / settings_.plan_rate;
  memory_.ground.feel(*actor_, now.contacts, dt);
  memory_.foot_contacts.find(dynamics_, now.contacts, memory_.ground, memory_.target.contacts,
                             ahead_.contacts, settings_.for_contacts(), dt, contacts_);
  memory_.recovery.let_go(*actor_, feet_, memory_.target, contacts_);
}

void McSimController::move_anchor(const Observation& now) {
  ReferenceSample& target = memory_.target;
  if (settings_.anchor) {
    const double dt = 1 / settings_.plan_rate;
    reference_dynamics_.set_state(target.q, target.v);
    memory_.anchor.follow(dynamics_, reference_dynamics_, now.contacts, target.contacts, feet_,
                          settings_.for_anchor(), dt);
    memory_.anchor.ride(memory_.ground.velocity(), dt);
  }
  target.q.head<3>() += memory_.anchor.offset();
  target.v.head<3>() += memory_.ground.velocity();
}

TrackedBody McSimController::compare(const Observation& now) {
  ReferenceSample& target = memory_.target;
  reference_dynamics_.set_state(target.q, target.v);
  // What moves it is weight and the force that its root would need.
  reference_dynamics_.inverse_dynamics(target.a, error_);
  const Vec3 acceleration = error_.head<3>() / actor_->mass() - Vec3(0, 0, actor_->gravity());
  return {.now = now,
          .target = target,
          .ours = dynamics_,
          .reference = reference_dynamics_,
          .com_error = reference_dynamics_.com() - dynamics_.com(),
          .com_rate = reference_dynamics_.com_velocity() - dynamics_.com_velocity(),
          .com_acceleration = acceleration,
          .rate = settings_.plan_rate};
}

// Feet that follow the reference are shifted and lifted; those that catch a fall go their own way.
void McSimController::place_feet(const TrackedBody& body) {
  RecoverySteps& recovery = memory_.recovery;
  FootPlacement& placement = memory_.placement;
  FootPlacementSettings gains = settings_.for_placement();
  if (flies_) {
    gains.forward_velocity_gain = settings_.flight_velocity_gain;
    gains.lift_rate = settings_.flight_lift_rate;
    gains.settling = 0;
  }
  if (hangs_) gains.shift = gains.lift = false;
  placement.update(body, feet_, gains);
  for (std::size_t i = 0; i < feet_.size(); ++i) {
    if (recovery.follows(i)) {
      placement.put_foot(i, feet_[i].leg, body, gains);
      continue;
    }
    placement.leave_foot(i);
    const Vec3 place = recovery.put_foot(i, feet_[i], body, memory_.ground);
    if (recovery.steps(i)) placement.start_from(i, place - body.reference.body_position(feet_[i].leg.foot));
  }
}

// McSim eq. 4 for the joints and the root's orientation; the centre of mass as an inverted pendulum that
// converges with rate w and k w.
void McSimController::choose_targets(const TrackedBody& body) {
  const ReferenceSample& target = body.target;
  stiffen_legs();
  memory_.reactions.softness(*actor_, body.now.time, settings_.reaction, softness_);
  stiffness_.array() *= softness_.array();
  difference(*actor_, body.now.q, target.q, error_);
  targets_.acceleration = softness_.cwiseProduct(target.a) + stiffness_.cwiseProduct(error_) +
                          2 * stiffness_.cwiseSqrt().cwiseProduct(target.v - body.now.v);

  const double w = pendulum_rate(actor_->gravity(), memory_.ground.height(dynamics_.com()));
  const double gain = settings_.pendulum_gain;
  Vec3 correction = w * w * (gain - 1) * body.com_error + w * gain * body.com_rate;
  // More than friction can give would be sought in the trunk, which bends until it falls over.
  const double most = settings_.friction * actor_->gravity(), size = correction.head<2>().norm();
  if (size > most) correction.head<2>() *= most / size;
  correction.z() =
      settings_.height_stiffness * body.com_error.z() + settings_.height_damping * body.com_rate.z();
  targets_.com_acceleration = body.com_acceleration + correction;
  targets_.acceleration.head<3>() = target.a.head<3>() + correction;
  const RootWrench blows = memory_.reactions.take_root_wrench();
  if (settings_.blows_known) targets_.root_wrench = blows;
  prepare_take_off(body.now.time);
}

// A leg that steps to another place than the reference must hurry.
void McSimController::stiffen_legs() {
  stiffness_.setConstant(flies_ ? settings_.flight_stiffness : settings_.stiffness);
  for (std::size_t i = 0; i < feet_.size(); ++i) {
    const RecoverySteps& recovery = memory_.recovery;
    if (recovery.planted(i) || (recovery.follows(i) && feet_[i].stance)) continue;
    const double far = recovery.steps(i) ? 1 : memory_.placement.detour(i);
    for (const int dof : feet_[i].leg.dofs) stiffness_[dof] *= 1 + settings_.hurry * far;
  }
}

void McSimController::prepare_take_off(double time) {
  targets_.spin_weight = 0;
  if (settings_.spin_weight == 0) return;
  const auto rate = memory_.take_off.spin_rate(time, dynamics_.angular_momentum(), settings_.spin_time);
  if (!rate) return;
  targets_.spin_weight = settings_.spin_weight;
  targets_.spin_rate = *rate;
}

// A plan that fails leaves the torques of the last.
void McSimController::solve() {
  const PlanResult& result = planner_.solve(dynamics_, targets_, contacts_);
  if (!result.converged || !result.torque.allFinite()) ++timing_.relaxed;
  if (result.torque.allFinite()) memory_.torque = result.torque;
  const double k = settings_.pd_scale * settings_.stiffness;
  memory_.pd_stiffness = k * dynamics_.mass_matrix().diagonal().cwiseProduct(softness_);
  memory_.pd_damping =
      2 * std::sqrt(k) * dynamics_.mass_matrix().diagonal().cwiseProduct(softness_.cwiseSqrt());
}

}  // namespace stunt
