#include "stunt/control/modal/modal.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>

#include "stunt/core/error.h"

namespace stunt {

namespace {
constexpr int kMostFrames = 64;
}

void describe(Fields& fields, ModalSettings& s) {
  fields("plan_rate", s.plan_rate, {.unit = "Hz", .bounds = above(0), .help = "how often a plan is made"});
  fields("frame_time", s.frame_time, {.unit = "s", .bounds = above(0), .help = "of one frame of the window"});
  fields("window", s.window, {.bounds = between(1, kMostFrames), .help = "frames that a plan looks ahead"});
  fields("high_window", s.high_window,
         {.bounds = between(1, kMostFrames),
          .help = "frames in which the stiff modes are matched; 1: as published"});
  fields("frames_per_force", s.frames_per_force,
         {.bounds = between(1, kMostFrames), .help = "frames of the window that share one contact force"});
  fields("low_modes", s.low_modes,
         {.bounds = at_least(0),
          .help = "how many of the modes, from the softest on, look ahead the whole window"});
  fields("first_low_mode", s.first_low_mode,
         {.bounds = at_least(0), .help = "the softest of these; 0: the softest of all"});
  fields("carry_load", s.carry_load,
         {.help = "effort is counted from the forces that carry the body; no: as published, modes sag"});
  fields("hold_contacts", s.hold_contacts,
         {.help = "torques that keep the feet that touch in place; no: the modes' own"});
  fields("com_position_weight", s.com_position_weight,
         {.bounds = above(0), .help = "W_1 of the centre of mass: larger brings it back sooner"});
  fields("com_velocity_weight", s.com_velocity_weight,
         {.bounds = above(0), .help = "W_2 of the centre of mass"});
  fields("turn_weight", s.turn_weight, {.bounds = above(0), .help = "W_1 of the body's mean rotation"});
  fields("turn_rate_weight", s.turn_rate_weight,
         {.bounds = above(0), .help = "W_2 of the body's mean rotation"});
  fields("force_weight", s.force_weight, {.bounds = above(0), .help = "W_3: larger pushes less"});
  fields("position_weight", s.position_weight,
         {.bounds = above(0), .help = "w_4: modes end where the reference is"});
  fields("velocity_weight", s.velocity_weight, {.bounds = above(0), .help = "w_5: and as fast"});
  fields("impulse_weight", s.impulse_weight, {.bounds = above(0), .help = "W_6: larger is softer"});
  fields("mass_damping", s.mass_damping,
         {.unit = "1/s", .bounds = at_least(0), .help = "alpha: modes are damped by alpha M + beta K"});
  fields("stiffness_damping", s.stiffness_damping, {.unit = "s", .bounds = at_least(0), .help = "beta"});
  fields("friction", s.friction, {.bounds = above(0), .help = "of the planned contacts"});
  fields("joint_weight", s.joint_weight,
         {.bounds = above(0), .help = "hold_contacts: of the joints' accelerations"});
  fields("root_weight", s.root_weight, {.bounds = above(0), .help = "hold_contacts: of the root's"});
  fields("com_weight", s.com_weight,
         {.bounds = at_least(0), .help = "hold_contacts: of the centre of mass's"});
  fields("spin_weight", s.spin_weight,
         {.bounds = at_least(0), .help = "hold_contacts: of the rate of the angular momentum"});
  fields("hold_weight", s.hold_weight,
         {.bounds = at_least(0), .help = "hold_contacts: of feet that must not slip"});
  fields("hold_damping", s.hold_damping,
         {.unit = "1/s", .bounds = at_least(0), .help = "how fast a slipping foot is stopped"});
  describe(fields, static_cast<FootworkSettings&>(s));
}

std::unique_ptr<Controller> make_controller(const ModalSettings& settings, const ControllerTask& task) {
  require_free_root(*task.reference->actor(), "modal");
  if (settings.high_window > settings.window)
    throw InputError("controller.high_window", std::to_string(settings.high_window),
                     "at most the window of " + std::to_string(settings.window));
  ModalSettings own = settings;
  own.friction *= task.friction;
  return std::make_unique<ModalController>(own, task.reference);
}

ModalController::Memory::Memory(const Actor& actor, double time)
    : next_plan(time),
      foot_contacts(actor.contact_points().size()),
      placement(actor),
      recovery(actor, time),
      torque(VecX::Zero(actor.nv())) {}

ModalController::ModalController(const ModalSettings& settings, ReferencePtr reference)
    : settings_(settings),
      reference_(std::move(reference)),
      actor_(reference_->actor()),
      memory_(*actor_),
      feet_(find_feet(*actor_)),
      dynamics_(actor_),
      present_dynamics_(actor_),
      goal_dynamics_(actor_),
      modes_(*actor_, paper_joint_stiffness(*actor_)),
      contacts_(static_cast<int>(actor_->contact_points().size()), kMostFrames),
      planner_(*actor_, std::max<int>(16, static_cast<int>(actor_->contact_points().size()))) {
  targets_.weight = VecX::Constant(actor_->nv(), settings_.joint_weight);
  targets_.weight.head<6>().setConstant(settings_.root_weight);
  targets_.com_weight.setConstant(settings_.com_weight);
  targets_.spin_weight = settings_.spin_weight;
  targets_.hold_weight = settings_.hold_weight;
  targets_.hold_damping = settings_.hold_damping;
  targets_.friction = settings_.friction;
  targets_.acceleration = VecX::Zero(actor_->nv());
  touching_.reserve(actor_->contact_points().size());
  const int nv = actor_->nv(), joints = nv - Modes::kRigid,
            points = static_cast<int>(actor_->contact_points().size());
  touches_.assign(static_cast<std::size_t>(points) * kMostFrames, 0);
  change_ = goal_change_ = VecX::Zero(nv);
  p_rate_ = p_next_ = p_next_rate_ = p_goal_ = p_goal_rate_ = bias_ = force_ = acceleration_ =
      VecX::Zero(joints);
  point_shapes_ = MatX::Zero(ContactPlan::kEdges * points, joints);
  mode_impulses_ = MatX::Zero(kMostFrames, joints);
  responses_.resize(kMostFrames);
  jacobian_.setZero(3, nv);
  momentum_matrix_.setZero(3, nv);
  for (ReferenceSample* sample : {&present_, &next_, &goal_, &later_, &soon_}) reference_->sample(0, *sample);
  before_ = goal_.q;
  ahead_ = {.time = 0, .timestep = 0, .q = goal_.q, .v = goal_.v, .contacts = {}, .events = {}};
  timing_.microseconds.reserve(1 << 14);
}

void ModalController::reset(const Observation& start) {
  memory_ = Memory(*actor_, start.time);
  reference_->sample(start.time, present_);
  memory_.anchor = Anchor(start.q.head<3>() - present_.q.head<3>());
  timing_.microseconds.clear();
  timing_.relaxed = 0;
}

void ModalController::actuate(const Observation& now, Actuation& out) {
  if (now.time >= memory_.next_plan - 1e-9) {
    const auto begin = std::chrono::steady_clock::now();
    plan(now);
    timing_.microseconds.push_back(
        std::chrono::duration<float, std::micro>(std::chrono::steady_clock::now() - begin).count());
    memory_.next_plan = std::max(memory_.next_plan + 1 / settings_.plan_rate, now.time);
  }
  out.torque = memory_.torque;
}

void ModalController::plan(const Observation& now) {
  dynamics_.set_state(now.q, now.v);
  sample_reference(now);
  move_anchor(now);
  place_feet(now);
  modes_.compute(dynamics_);
  plan_contacts();
  plan_modes();
  if (settings_.hold_contacts) hold_contacts(now);
}

void ModalController::sample_reference(const Observation& now) {
  const double dt = settings_.frame_time;
  const int n = settings_.window;
  const std::size_t points = actor_->contact_points().size();
  reference_->sample(now.time, present_);
  reference_->sample(now.time + settings_.look_ahead, soon_);
  reference_->sample(now.time + settings_.high_window * dt, next_);
  reference_->sample(now.time + n * dt, goal_);
  for (Foot& foot : feet_) {
    foot.stance = stands(*actor_, foot.leg, present_);
    foot.lands_soon = stands(*actor_, foot.leg, goal_);
  }
  memory_.recovery.expect_contacts(*actor_, feet_, now.time, present_, soon_);
  for (std::size_t i = 0; i < feet_.size(); ++i) feet_[i].caught = memory_.recovery.planted(i);
  for (int k = 0; k < n; ++k) {
    reference_->sample(now.time + (k + 0.5) * dt, later_);
    for (std::size_t i = 0; i < points; ++i) touches_[i * n + k] = later_.contacts[i];
  }
  // Feet that catch a fall go their own way.
  for (std::size_t f = 0; f < feet_.size(); ++f) {
    if (memory_.recovery.follows(f)) continue;
    for (std::size_t i = 0; i < points; ++i) {
      if (actor_->contact_points()[i].left == feet_[f].leg.left)
        std::fill_n(touches_.begin() + i * n, n, present_.contacts[i]);
    }
  }
}

void ModalController::move_anchor(const Observation& now) {
  const double dt = 1 / settings_.plan_rate;
  memory_.ground.feel(*actor_, now.contacts, dt);
  if (settings_.anchor) {
    present_dynamics_.set_state(present_.q, present_.v);
    memory_.anchor.follow(dynamics_, present_dynamics_, now.contacts, present_.contacts, feet_,
                          settings_.for_anchor(), dt);
    memory_.anchor.ride(memory_.ground.velocity(), dt);
  }
  for (ReferenceSample* sample : {&present_, &next_, &goal_}) {
    sample->q.head<3>() += memory_.anchor.offset();
    sample->v.head<3>() += memory_.ground.velocity();
  }
}

// Feet that follow the reference are shifted and lifted; those that catch a fall go their own way.
void ModalController::place_feet(const Observation& now) {
  present_dynamics_.set_state(present_.q, present_.v);
  goal_dynamics_.set_state(goal_.q, goal_.v);
  TrackedBody body{.now = now,
                   .target = present_,
                   .ours = dynamics_,
                   .reference = present_dynamics_,
                   .com_error = present_dynamics_.com() - dynamics_.com(),
                   .com_rate = present_dynamics_.com_velocity() - dynamics_.com_velocity(),
                   .com_acceleration = Vec3::Zero(),
                   .rate = settings_.plan_rate};
  RecoverySteps& recovery = memory_.recovery;
  FootPlacement& placement = memory_.placement;
  if (settings_.recovery) recovery.update(body, feet_, memory_.ground, *reference_, later_);
  const FootPlacementSettings gains = settings_.for_placement();
  placement.update(body, feet_, gains);
  // The moves are made at the end of the window, and the short one gets the same.
  ahead_.time = now.time + settings_.window * settings_.frame_time;
  ahead_.q = now.q;
  ahead_.v = now.v;
  before_ = goal_.q;
  goal_change_ = goal_.v;
  TrackedBody then{.now = ahead_,
                   .target = goal_,
                   .ours = dynamics_,
                   .reference = goal_dynamics_,
                   .com_error = body.com_error,
                   .com_rate = body.com_rate,
                   .com_acceleration = Vec3::Zero(),
                   .rate = settings_.plan_rate};
  for (std::size_t i = 0; i < feet_.size(); ++i) {
    if (recovery.follows(i)) {
      placement.put_foot(i, feet_[i].leg, then, gains);
      continue;
    }
    placement.leave_foot(i);
    const Vec3 place = recovery.put_foot(i, feet_[i], then, memory_.ground);
    if (recovery.steps(i)) placement.start_from(i, place - goal_dynamics_.body_position(feet_[i].leg.foot));
  }
  next_.v += goal_.v - goal_change_;
  difference(*actor_, before_, goal_.q, change_);
  before_ = next_.q;
  integrate(*actor_, before_, change_, 1, next_.q);
}

// Section 5.1, with the true centre of mass and momentum of the reference.
void ModalController::plan_contacts() {
  const int n = settings_.window;
  const double T = n * settings_.frame_time, root_mass = modes_.root_mass();
  const Vec3 gravity(0, 0, -actor_->gravity());
  difference(*actor_, ahead_.q, goal_.q, goal_change_);
  ContactPlan::Vec6 gap, gap_rate;
  const Vec3 com_rate = dynamics_.com_velocity(), spin = dynamics_.angular_momentum();
  gap.head<3>() = root_mass * (goal_dynamics_.com() - modes_.com() - T * com_rate - 0.5 * T * T * gravity);
  gap_rate.head<3>() = root_mass * (goal_dynamics_.com_velocity() - com_rate - T * gravity);
  dynamics_.angular_momentum_matrix(momentum_matrix_);
  gap.tail<3>() = modes_.turn(momentum_matrix_ * goal_change_ - T * spin);
  gap_rate.tail<3>() = modes_.turn(goal_dynamics_.angular_momentum() - spin);

  contacts_.begin(n, settings_.frame_time, ContactPlan::Impulse::spread, settings_.frames_per_force);
  const auto& points = actor_->contact_points();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::span<const std::uint8_t> touches(&touches_[i * n], n);
    if (std::none_of(touches.begin(), touches.end(), [](std::uint8_t t) { return t != 0; })) continue;
    const Vec3 normal = memory_.ground.normal();
    const Vec3 point = dynamics_.point(points[i].body, points[i].position) - points[i].radius * normal;
    const int column = ContactPlan::kEdges * contacts_.points();
    contacts_.add_point(modes_.wrench(point), normal, settings_.friction, touches);
    dynamics_.point_jacobian(points[i].body, point, jacobian_);
    for (int e = 0; e < ContactPlan::kEdges; ++e) {
      change_.noalias() = jacobian_.transpose() * contacts_.edge(column + e);
      point_shapes_.row(column + e).noalias() = change_.transpose() * modes_.shapes();
    }
  }
  contacts_.solve(gap, gap_rate,
                  {.position = settings_.com_position_weight,
                   .turn = settings_.turn_weight,
                   .velocity = settings_.com_velocity_weight,
                   .turn_rate = settings_.turn_rate_weight,
                   .force = settings_.force_weight},
                  memory_.dual);
  if (!contacts_.converged()) ++timing_.relaxed;
}

// Sections 5.2 and 5.3.
void ModalController::plan_modes() {
  const int n = settings_.window, columns = ContactPlan::kEdges * contacts_.points();
  const double dt = settings_.frame_time;
  const int joints = modes_.size() - Modes::kRigid;
  mode_impulses_.topRows(n).noalias() = contacts_.impulses() * point_shapes_.topRows(columns);
  modes_.to_modes(ahead_.v, p_rate_);
  modes_.to_modes(goal_change_, p_goal_);
  modes_.to_modes(goal_.v, p_goal_rate_);
  difference(*actor_, ahead_.q, next_.q, change_);
  modes_.to_modes(change_, p_next_);
  modes_.to_modes(next_.v, p_next_rate_);
  modes_.force_to_modes(dynamics_.bias(), bias_);
  for (int m = 0; m < joints; ++m) {
    const double k = modes_.squared_frequency(m);
    const Mode mode{k, settings_.mass_damping + settings_.stiffness_damping * k};
    const int away = m - settings_.first_low_mode;
    const bool low = away >= 0 && away < settings_.low_modes;
    const int frames = low ? n : settings_.high_window;
    const ModeResponse step = mode.response(dt);
    ModeResponse at = mode.response(0.5 * dt), end = step;
    for (int j = 0; j < frames; ++j) {
      responses_[j] = at;
      at = mode.after(at, step);
      if (j > 0) end = mode.after(end, step);
    }
    ModeState reached = advance(mode, end, {0, p_rate_[m]}, settings_.carry_load ? 0 : -bias_[m]);
    for (int f = 0; f < frames && !settings_.carry_load; ++f) {
      reached.p += responses_[frames - 1 - f].a * mode_impulses_(f, m);
      reached.v += responses_[frames - 1 - f].a_dot * mode_impulses_(f, m);
    }
    const ModeState gap = low ? ModeState{p_goal_[m] - reached.p, p_goal_rate_[m] - reached.v}
                              : ModeState{p_next_[m] - reached.p, p_next_rate_[m] - reached.v};
    double impulse = gap.p / step.a;  // eq. 22
    if (frames > 1) {
      const ModePlan plan = plan_mode({responses_.data(), static_cast<std::size_t>(frames)}, gap,
                                      {.position = settings_.position_weight,
                                       .velocity = settings_.velocity_weight,
                                       .impulse = settings_.impulse_weight});
      impulse = plan.impulse(responses_[frames - 1]);
    }
    const double load = bias_[m] - mode_impulses_(0, m) / dt;
    acceleration_[m] = impulse / dt - mode.damping * p_rate_[m] - (settings_.carry_load ? 0 : load);
    force_[m] = acceleration_[m] + load;
  }
  modes_.to_torques(force_, change_);
  if (change_.allFinite()) memory_.torque = change_;
}

// In the place of section 5.4: the planned accelerations, of the joints, of the centre of mass and of the angular
// momentum, as nearly as feet that do not slip allow.
void ModalController::hold_contacts(const Observation& now) {
  memory_.foot_contacts.find(dynamics_, now.contacts, memory_.ground, present_.contacts, soon_.contacts,
                             settings_.for_contacts(), 1 / settings_.plan_rate, touching_);
  ContactPlan::Vec6 rigid = contacts_.first_impulse() / settings_.frame_time;
  targets_.com_acceleration = rigid.head<3>() / modes_.root_mass() - Vec3(0, 0, actor_->gravity());
  targets_.spin_rate = modes_.angular(rigid.tail<3>());
  const Modes::Rigid shapes = modes_.rigid_shapes();
  rigid -= shapes.transpose() * dynamics_.bias().head<6>();
  targets_.acceleration.noalias() = modes_.shapes() * acceleration_;
  targets_.acceleration.head<6>() += shapes * rigid;
  const PlanResult& result = planner_.solve(dynamics_, targets_, touching_);
  if (!result.converged || !result.torque.allFinite()) ++timing_.relaxed;
  if (result.torque.allFinite()) memory_.torque = result.torque;
}

}  // namespace stunt
