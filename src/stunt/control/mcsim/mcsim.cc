#include "stunt/control/mcsim/mcsim.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace stunt {
namespace {

constexpr double kPlacementFilter = 0.03;  // s
constexpr double kStepTime = 0.28;         // s, of a recovery step
constexpr double kStepHeight = 0.06;       // m
constexpr double kGroundFilter = 0.05;     // s, of the velocity of the ground underfoot

// How fast an inverted pendulum of this height falls (1/s).
double pendulum_rate(double gravity, double height) {
  return std::sqrt(std::max(0.5, gravity) / std::max(0.3, height));
}

double ease(double dt, double time_constant) { return 1 - std::exp(-dt / time_constant); }

}  // namespace

void describe(Fields& fields, McSimSettings& s) {
  fields(
      "plan_rate", s.plan_rate,
      {.unit = "Hz", .bounds = between(10, 10000), .help = "plans per second; in between torques are held"});
  fields("stiffness", s.stiffness,
         {.unit = "1/s^2",
          .bounds = above(0),
          .help = "k_os of eq. 4: larger follows the pose more closely; damping is 2 sqrt(k_os)",
          .search = SearchRange{1000, 300}});
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
  fields("anchor", s.anchor, {.help = "the reference moves with the feet that carry it"});
  fields("placement", s.placement, {.help = "the swing foot steps to where the body falls"});
  fields("clearance", s.clearance, {.help = "the swing foot is lifted a little"});
  fields("balance_reference", s.balance_reference,
         {.help = "the reference is made possible before it is followed"});
  fields("recovery", s.recovery, {.help = "a step is made where balance is lost"});
  fields("anchor_time", s.anchor_time,
         {.unit = "s", .bounds = above(0), .help = "how slowly the anchor follows the feet"});
  fields("anchor_speed", s.anchor_speed, {.unit = "m/s", .bounds = at_least(0), .help = "at most"});
  fields("contact_distance", s.contact_distance,
         {.unit = "m",
          .bounds = at_least(0),
          .help = "a foot that the reference has on the ground may push from this height on"});
  fields("contact_rise", s.contact_rise,
         {.unit = "s", .bounds = at_least(0), .help = "how gradually a new contact is trusted with load"});
  fields("leaving_reluctance", s.leaving_reluctance,
         {.bounds = above(0),
          .help = "factor on the cost of pushing with a foot that the reference has in the air"});
  fields(
      "look_ahead", s.look_ahead,
      {.unit = "s", .bounds = at_least(0), .help = "a foot that lands within this time counts as landing"});
  fields("forward_velocity_gain", s.forward_velocity_gain,
         {.unit = "s",
          .help = "placement: step further by this per error of speed",
          .search = SearchRange{0.35, 0.1}});
  fields("forward_position_gain", s.forward_position_gain,
         {.help = "placement: likewise per error of position", .search = SearchRange{0.3, 0.1}});
  fields("sideways_velocity_gain", s.sideways_velocity_gain,
         {.unit = "s", .help = "the same sideways", .search = SearchRange{0.45, 0.1}});
  fields("sideways_position_gain", s.sideways_position_gain,
         {.help = "the same sideways", .search = SearchRange{0.5, 0.1}});
  fields("largest_placement", s.largest_placement,
         {.unit = "m", .bounds = at_least(0), .help = "of a step's change"});
  fields("clearance_height", s.clearance_height,
         {.unit = "m", .bounds = at_least(0), .help = "by which the swing foot is lifted"});
}

std::unique_ptr<Controller> make_controller(const McSimSettings& settings, const ControllerTask& task) {
  McSimSettings own = settings;
  own.friction *= task.friction;
  return std::make_unique<McSimController>(own, task.reference);
}

McSimController::McSimController(const McSimSettings& settings, ReferencePtr reference)
    : settings_(settings),
      reference_(std::move(reference)),
      actor_(reference_->actor()),
      dynamics_(actor_),
      reference_dynamics_(actor_),
      planner_(*actor_, std::max<int>(16, static_cast<int>(actor_->contact_points().size()))) {
  const int nv = actor_->nv();
  for (const bool left : {true, false}) {
    if (auto leg = find_leg(*actor_, left)) {
      Foot foot;
      foot.leg = *leg;
      foot.ankle_height = ankle_height(*actor_, *leg);
      foot.last_q = actor_->rest_q();
      feet_.push_back(std::move(foot));
    }
  }
  targets_.weight = VecX::Ones(nv);
  targets_.weight.head<3>().setConstant(settings_.root_linear_weight);
  targets_.weight.segment<3>(3).setConstant(settings_.root_angular_weight);
  targets_.com_weight.setConstant(settings_.com_weight);
  targets_.hold_weight = settings_.hold_weight;
  targets_.hold_damping = settings_.hold_damping;
  targets_.friction = settings_.friction;
  targets_.acceleration = error_ = torque_ = VecX::Zero(nv);
  pd_inertia_ = VecX::Zero(nv);
  trust_.resize(actor_->contact_points().size());
  grip_ = trust_;
  contacts_.reserve(actor_->contact_points().size());
  support_.reserve(actor_->contact_points().size());
  reference_->sample(0, later_);
  timing_.microseconds.reserve(1 << 14);
}

void McSimController::reset(const Observation& start) {
  next_plan_ = start.time;
  reference_->sample(start.time, target_);
  offset_ = start.q.head<3>() - target_.q.head<3>();
  timing_.microseconds.clear();
  timing_.relaxed = 0;
  for (Foot& foot : feet_) {
    foot.mode = Foot::Mode::follow;
    foot.shift.setZero();
    foot.lift = 0;
  }
  std::fill(trust_.begin(), trust_.end(), 1.0);
  grip_ = trust_;
  ground_normal_ = Vec3::UnitZ();
  ground_point_.setZero();
  ground_velocity_.setZero();
  calm_until_ = start.time;
}

void McSimController::actuate(const Observation& now, Actuation& out) {
  if (now.time >= next_plan_ - 1e-9) {
    const auto begin = std::chrono::steady_clock::now();
    plan(now);
    timing_.microseconds.push_back(
        std::chrono::duration<float, std::micro>(std::chrono::steady_clock::now() - begin).count());
    next_plan_ = std::max(next_plan_ + 1 / settings_.plan_rate, now.time);
  }
  out.torque = torque_;
  if (settings_.pd_scale > 0) {
    // McSim eq. 8 to 10, with the plan's own targets and the diagonal of the joint-space inertia.
    difference(*actor_, now.q, target_.q, error_);
    const double k = settings_.pd_scale * settings_.stiffness, d = 2 * std::sqrt(k);
    out.torque += pd_inertia_.cwiseProduct(k * error_ + d * (target_.v - now.v));
  }
  out.torque.head<6>().setZero();
}

void McSimController::plan(const Observation& now) {
  const double dt = 1 / settings_.plan_rate;
  reference_->sample(now.time + 0.5 * dt, target_);
  reference_->sample(now.time + settings_.look_ahead, ahead_);
  dynamics_.set_state(now.q, now.v);
  expect_contacts(now);
  read_contacts(now);
  if (settings_.anchor) move_anchor(now);
  if (settings_.anchor) offset_ += dt * ground_velocity_;
  target_.q.head<3>() += offset_;
  target_.v.head<3>() += ground_velocity_;

  reference_dynamics_.set_state(target_.q, target_.v);
  reference_com_ = reference_dynamics_.com();
  reference_com_velocity_ = reference_dynamics_.com_velocity();
  reference_dynamics_.com_jacobian(com_jacobian_);
  reference_com_acceleration_ = com_jacobian_ * target_.a + reference_dynamics_.com_bias_acceleration();
  com_error_ = reference_com_ - dynamics_.com();
  com_rate_ = reference_com_velocity_ - dynamics_.com_velocity();

  if (settings_.recovery) recover(now);
  place_swing_feet(now);
  choose_targets(now);
  const PlanResult& result = planner_.solve(dynamics_, targets_, contacts_);
  if (!result.converged || !result.torque.allFinite()) ++timing_.relaxed;
  if (result.torque.allFinite()) torque_ = result.torque;
  pd_inertia_ = dynamics_.mass_matrix().diagonal();
}

// How far a point is above the plane that the feet have felt (m, vertically).
double McSimController::height_over_ground(const Vec3& point) const {
  return ground_normal_.dot(point - ground_point_) / ground_normal_.z();
}

// What the reference has on the ground, but for feet that catch a fall.
void McSimController::expect_contacts(const Observation& now) {
  constexpr double kComesDown = 0.7;  // of a step
  const auto& points = actor_->contact_points();
  for (Foot& foot : feet_) {
    foot.stance = stands(foot, target_);
    foot.lands_soon = stands(foot, ahead_);
    if (foot.mode == Foot::Mode::follow) continue;
    if (foot.mode == Foot::Mode::planted) {
      if (foot.has_stood && !foot.stance) {  // the reference takes over
        foot.mode = Foot::Mode::follow;
        continue;
      }
      foot.has_stood = foot.has_stood || foot.stance;
    }
    const bool down = foot.mode == Foot::Mode::planted || now.time > foot.since + kComesDown * kStepTime;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (points[i].left != foot.leg.left) continue;
      target_.contacts[i] = ahead_.contacts[i] = down;
    }
  }
}

bool McSimController::stands(const Foot& foot, const ReferenceSample& sample) const {
  const auto& points = actor_->contact_points();
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].left == foot.leg.left && sample.contacts[i]) return true;
  }
  return false;
}

// The reference goes on for a while with the feet on the ground that it has there now.
bool McSimController::keeps_standing(double time) {
  for (const double later : {0.15, 0.3, 0.45}) {
    reference_->sample(time + later, later_);
    for (const Foot& foot : feet_) {
      if (stands(foot, later_) != foot.stance) return false;
    }
  }
  return true;
}

void McSimController::add_sole(const Foot& foot, ActorDynamics& body) {
  for (const auto* group : {&foot.leg.heel, &foot.leg.ball, &foot.leg.tip}) {
    for (const int i : *group) {
      const ContactPoint& point = actor_->contact_points()[i];
      support_.push_back(body.point(point.body, point.position).head<2>());
    }
  }
}

// Begins a step when the capture point has left the support, leads it to where that point will be, and ends
// it on touch.
void McSimController::recover(const Observation& now) {
  constexpr double kLost = 0.04;                                    // m, outside the support
  constexpr double kLostForSure = 0.12;                             // m, too far to wait for a step to come
  constexpr double kIntended = 0.02;                                // m, the same of the reference
  constexpr double kTouchFrom = 0.5, kGiveUp = 1.8, kSteer = 0.75;  // of a step
  constexpr double kPause = 0.15;                                   // s
  if (feet_.size() != 2) return;
  Foot* stepping = nullptr;
  for (Foot& foot : feet_) {
    if (foot.mode == Foot::Mode::step) stepping = &foot;
  }
  const auto touches = [&](const Foot& foot) {
    return std::any_of(now.contacts.begin(), now.contacts.end(), [&](const ActorContact& c) {
      return c.support && (c.body == foot.leg.foot || c.body == foot.leg.toes);
    });
  };
  const double part = stepping ? (now.time - stepping->since) / kStepTime : 0;
  if (stepping && ((part > kTouchFrom && touches(*stepping)) || part > kGiveUp)) {
    stepping->mode = Foot::Mode::planted;
    stepping->has_stood = stepping->stance;
    stepping->to = dynamics_.body_position(stepping->leg.foot);
    calm_until_ = now.time + kPause;
    return;
  }
  if (!stepping && now.time < calm_until_) return;

  // The soles of the feet that should stand, whole: a body that tips over its toes touches the ground with
  // these alone.
  support_.clear();
  bool carried = false;
  for (const Foot& foot : feet_) {
    if (&foot == stepping || !(foot.stance || foot.mode == Foot::Mode::planted)) continue;
    carried = carried || touches(foot);
    add_sole(foot, dynamics_);
  }
  if (!carried) return;
  const double rate = pendulum_rate(actor_->gravity(), height_over_ground(dynamics_.com()));
  const Vec2 capture =
      dynamics_.com().head<2>() + (dynamics_.com_velocity() - ground_velocity_).head<2>() / rate;
  const Vec2 nearest = nearest_in_hull(support_, capture);
  if (!stepping) {
    const double lost = (capture - nearest).norm();
    if (lost < kLost || (lost < kLostForSure && !keeps_standing(now.time))) return;
    // A motion that leans out by itself, over our feet and over its own, is left alone.
    const Vec2 intended = capture + com_error_.head<2>() + com_rate_.head<2>() / rate;
    const auto held = [&] { return (nearest_in_hull(support_, intended) - intended).norm() < kIntended; };
    if (!held()) {
      support_.clear();
      for (const Foot& foot : feet_) {
        if (foot.stance) add_sole(foot, reference_dynamics_);
      }
      if (support_.empty() || !held()) return;
    }
  } else if (part > kSteer) {
    return;
  }
  const double yaw = heading(quat_from_wxyz(&now.q[3]));
  StandingFoot feet[2];
  for (int i = 0; i < 2; ++i) {
    const Leg& leg = feet_[i].leg;
    feet[i] = {dynamics_.body_position(leg.foot).head<2>(), dynamics_.body_position(leg.thigh).head<2>(),
               leg.left,
               stepping ? stepping == &feet_[i] : !feet_[i].stance && feet_[i].mode == Foot::Mode::follow};
  }
  const RecoveryPlan chosen =
      plan_recovery(feet, capture, nearest, Vec2(std::cos(yaw), std::sin(yaw)), rate, (1 - part) * kStepTime);
  Foot& foot = feet_[chosen.foot];
  if (!stepping) {
    foot.mode = Foot::Mode::step;
    foot.since = now.time;
    foot.from = dynamics_.body_position(foot.leg.foot);
    foot.yaw = yaw;
  }
  foot.to = Vec3(chosen.place.x(), chosen.place.y(), 0);
}

// Where the feet may push: at points that touch, and at points that the reference has on the ground and that
// are about to touch. They are held still only where the reference holds them too; hard no-slip on every
// touch could not lift off.
void McSimController::read_contacts(const Observation& now) {
  constexpr double kSamePlace = 0.03;     // m between a reported contact and the contact point it belongs to
  constexpr double kNormalFilter = 0.05;  // per plan
  Vec3 normal = Vec3::Zero(), place = Vec3::Zero(), velocity = Vec3::Zero();
  int touching = 0;
  for (const ActorContact& contact : now.contacts) {
    if (!contact.support || !actor_->is_foot(contact.body)) continue;
    normal += contact.normal;
    place += contact.point;
    velocity += contact.surface_velocity;
    ++touching;
  }
  if (touching > 0) {
    ground_normal_ = ((1 - kNormalFilter) * ground_normal_ + kNormalFilter * normal / touching).normalized();
    ground_point_ = place / touching;
    const double follow = ease(1 / settings_.plan_rate, kGroundFilter);
    ground_velocity_ += follow * (Vec3(velocity.x(), velocity.y(), 0) / touching - ground_velocity_);
  }

  contacts_.clear();
  const double rise = settings_.contact_rise > 0 ? ease(1 / settings_.plan_rate, settings_.contact_rise) : 1;
  const auto& points = actor_->contact_points();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3 centre = dynamics_.point(points[i].body, points[i].position);
    PlanContact contact{points[i].body, centre - points[i].radius * ground_normal_};
    contact.normal = ground_normal_;
    bool reported = false;
    for (const ActorContact& felt : now.contacts) {
      if (felt.body != points[i].body || !felt.support || (felt.point - contact.point).norm() > kSamePlace)
        continue;
      reported = true;
      contact.normal = felt.normal;
      contact.surface_velocity = felt.surface_velocity;
      break;
    }
    const bool expected = target_.contacts[i] != 0;
    if (!reported && !(expected && height_over_ground(contact.point) < settings_.contact_distance)) {
      trust_[i] = grip_[i] = 0;
      continue;
    }
    // Contacts come gradually, or every touch would be a jolt. A foot that should be leaving may push only at
    // a price; one that lands early is welcome.
    const bool leaves = !expected && !ahead_.contacts[i];
    const double dearest = settings_.leaving_reluctance;
    trust_[i] += rise * ((leaves ? 0 : 1) - trust_[i]);
    grip_[i] += rise * ((expected ? 1 : 0) - grip_[i]);
    contact.reluctance = std::pow(dearest, 1 - trust_[i]);
    contact.hold = grip_[i];
    contacts_.push_back(contact);
  }
}

// Moves the reference along so that its standing feet are where ours stand. Position only: with heading it
// would wander.
void McSimController::move_anchor(const Observation& now) {
  reference_dynamics_.set_state(target_.q, target_.v);
  Vec3 wanted = Vec3::Zero();
  int count = 0;
  const auto& points = actor_->contact_points();
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!target_.contacts[i]) continue;
    const Vec3 ours = dynamics_.point(points[i].body, points[i].position);
    const bool touches = std::any_of(now.contacts.begin(), now.contacts.end(), [&](const ActorContact& c) {
      return c.support && c.body == points[i].body && (c.point - ours).norm() < points[i].radius + 0.03;
    });
    if (!touches) continue;
    Vec3 apart = ours - reference_dynamics_.point(points[i].body, points[i].position);
    // A foot that caught a fall says nothing about the height: the reference may have it in the air.
    const bool caught = std::any_of(feet_.begin(), feet_.end(), [&](const Foot& foot) {
      return foot.leg.left == points[i].left && foot.mode == Foot::Mode::planted;
    });
    if (caught) apart.z() = offset_.z();
    wanted += apart;
    ++count;
  }
  if (count == 0) return;
  const double dt = 1 / settings_.plan_rate;
  Vec3 step = ease(dt, settings_.anchor_time) * (wanted / count - offset_);
  const double most = settings_.anchor_speed * dt;
  if (step.norm() > most) step *= most / step.norm();
  offset_ += step;
}

// The swing foot goes to where the body will need it: its place moves with the errors of the centre of mass,
// measured from the standing foot, in the pelvis' heading (in the spirit of McSim eq. 11, for both planes).
// It is lifted a little on the way. The changed foot goes into the reference by inverse kinematics from the
// reference's pelvis.
void McSimController::place_swing_feet(const Observation& now) {
  const double dt = 1 / settings_.plan_rate;
  const double yaw = heading(quat_from_wxyz(&target_.q[3]));
  for (std::size_t f = 0; f < feet_.size(); ++f) {
    Foot& foot = feet_[f];
    const Foot* standing = nullptr;
    for (const Foot& other : feet_) {
      if (&other != &foot && other.stance) standing = &other;
    }
    Vec3 wanted = Vec3::Zero();
    if (settings_.placement && !foot.stance && standing) {
      const Vec3 ours = dynamics_.com() - dynamics_.body_position(standing->leg.foot);
      const Vec3 theirs = reference_com_ - reference_dynamics_.body_position(standing->leg.foot);
      const Vec3 place = yaw_rotation(-yaw) * (ours - theirs);
      const Vec3 rate = yaw_rotation(-yaw) * Vec3(-com_rate_);
      wanted.x() = settings_.forward_velocity_gain * rate.x() + settings_.forward_position_gain * place.x();
      wanted.y() = settings_.sideways_velocity_gain * rate.y() + settings_.sideways_position_gain * place.y();
      wanted.z() = 0;
      if (wanted.norm() > settings_.largest_placement) wanted *= settings_.largest_placement / wanted.norm();
      wanted = yaw_rotation(yaw) * wanted;
    }
    const double sag = std::max(0.0, target_.q[2] - now.q[2]);
    const double lift =
        settings_.clearance && !foot.stance && !foot.lands_soon ? settings_.clearance_height + sag : 0;
    foot.shift += ease(dt, foot.stance ? settings_.anchor_time : kPlacementFilter) * (wanted - foot.shift);
    foot.lift += ease(dt, kPlacementFilter) * (lift - foot.lift);
  }
  for (Foot& foot : feet_) {
    if (foot.mode != Foot::Mode::follow) {
      put_foot(now, foot);
      continue;
    }
    const Vec3 move = foot.shift + Vec3(0, 0, foot.lift);
    if (move.squaredNorm() < 1e-8) continue;
    const Leg& leg = foot.leg;
    place_foot(*actor_, leg, reference_dynamics_.body_position(leg.thigh),
               reference_dynamics_.body_rotation(actor_->bodies()[leg.thigh].parent),
               reference_dynamics_.body_position(leg.foot) + move,
               reference_dynamics_.body_rotation(leg.foot), target_.q);
  }
}

// The leg of a foot that catches a fall, or has caught one: the sole level, on its way or where it stands.
void McSimController::put_foot(const Observation& now, Foot& foot) {
  const Leg& leg = foot.leg;
  Vec3 place = foot.to;
  if (foot.mode == Foot::Mode::step) {
    const double part = (now.time - foot.since) / kStepTime;
    const double x = std::clamp(part / 0.9, 0.0, 1.0);
    place = foot.from + x * x * (3 - 2 * x) * (foot.to - foot.from);
    // On the plane under the feet, raised on the way; a floor that does not come is searched for.
    const Vec3 flat(place.x(), place.y(), 0);
    const double lift = part < 1 ? kStepHeight * std::sin(kPi * part) : -0.2 * (part - 1) * kStepTime;
    place.z() = -height_over_ground(flat) + foot.ankle_height + lift;
    foot.shift = place - reference_dynamics_.body_position(leg.foot);
    foot.shift.z() = 0;
  }
  // A step goes to a place in the world, from where the body really is.
  ActorDynamics& body = foot.mode == Foot::Mode::step ? dynamics_ : reference_dynamics_;
  place_foot(*actor_, leg, body.body_position(leg.thigh),
             body.body_rotation(actor_->bodies()[leg.thigh].parent), place, level_foot(leg, foot.yaw),
             target_.q);
  // Speeds by difference from the last plan; the first has none.
  for (const int dof : leg.dofs) {
    target_.a[dof] = 0;
    target_.v[dof] = 0;
  }
  if (foot.mode == Foot::Mode::step && now.time > foot.since + 1.5 / settings_.plan_rate) {
    difference(*actor_, foot.last_q, target_.q, error_);
    for (const int dof : leg.dofs) target_.v[dof] = error_[dof] * settings_.plan_rate;
  }
  foot.last_q = target_.q;
}

// McSim eq. 4 for the joints and the root's orientation; the centre of mass as an inverted pendulum that
// converges with rate w and k w.
void McSimController::choose_targets(const Observation& now) {
  const double k = settings_.stiffness, d = 2 * std::sqrt(k);
  difference(*actor_, now.q, target_.q, error_);
  targets_.acceleration = target_.a + k * error_ + d * (target_.v - now.v);

  const double w = pendulum_rate(actor_->gravity(), height_over_ground(dynamics_.com()));
  const double gain = settings_.pendulum_gain;
  Vec3 correction = w * w * (gain - 1) * com_error_ + w * gain * com_rate_;
  correction.z() = settings_.height_stiffness * com_error_.z() + settings_.height_damping * com_rate_.z();
  targets_.com_acceleration = reference_com_acceleration_ + correction;
  targets_.acceleration.head<3>() = target_.a.head<3>() + correction;
}

}  // namespace stunt
