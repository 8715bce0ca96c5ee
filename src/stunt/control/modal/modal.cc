#include "stunt/control/modal/modal.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>

#include "stunt/core/error.h"
#include "stunt/core/random.h"

namespace stunt {

namespace {
constexpr int kMostFrames = kModalMostFrames;
constexpr int kMostGrips = 4;
constexpr double kSlowest = 0.05;      // m/s: slower bodies have the longest window
constexpr double kLateLanding = 0.02;  // s until a foot lands that should have landed already
constexpr double kQuietAfter = 0.1;    // s without a push, after which another one surprises
}  // namespace

std::unique_ptr<Controller> make_controller(const ModalSettings& settings, const ControllerTask& task) {
  require_free_root(*task.reference->actor(), "modal");
  if (settings.high_window > settings.window && settings.window_reach == 0)
    throw InputError("controller.high_window", std::to_string(settings.high_window),
                     "at most the window of " + std::to_string(settings.window));
  if (settings.window_reach > 0 && settings.longest_window < settings.window)
    throw InputError("controller.longest_window", std::to_string(settings.longest_window),
                     "at least the window of " + std::to_string(settings.window));
  ModalSettings own = settings;
  own.friction *= task.friction;
  return std::make_unique<ModalController>(own, task.reference);
}

ModalController::Memory::Memory(const Actor& actor, double time)
    : next_plan(time),
      foot_contacts(actor.contact_points().size()),
      footfalls(time),
      placement(actor),
      recovery(actor, time),
      take_off(time),
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
      arrived_dynamics_(actor_),
      modes_(*actor_, paper_joint_stiffness(*actor_)),
      contacts_(static_cast<int>(actor_->contact_points().size()) + kMostGrips, kMostFrames),
      planner_(*actor_, std::max<int>(16, static_cast<int>(actor_->contact_points().size()) + kMostGrips)) {
  targets_.weight = VecX::Constant(actor_->nv(), settings_.joint_weight);
  targets_.weight.head<6>().setConstant(settings_.root_weight);
  targets_.com_weight.setConstant(settings_.com_weight);
  targets_.spin_weight = settings_.spin_weight;
  targets_.hold_weight = settings_.hold_weight;
  targets_.hold_damping = settings_.hold_damping;
  targets_.friction = settings_.friction;
  targets_.acceleration = VecX::Zero(actor_->nv());
  touching_.reserve(actor_->contact_points().size() + kMostGrips);
  grips_.reserve(kMostGrips);
  all_along_.assign(kMostFrames, 1);
  carried_.setZero();
  targets_.load = VecX::Zero(actor_->nv());
  const int nv = actor_->nv(), joints = nv - Modes::kRigid,
            points = static_cast<int>(actor_->contact_points().size());
  touches_.assign(static_cast<std::size_t>(points) * kMostFrames, 0);
  change_ = goal_change_ = VecX::Zero(nv);
  p_rate_ = p_next_ = p_next_rate_ = p_goal_ = p_goal_rate_ = bias_ = force_ = acceleration_ =
      VecX::Zero(joints);
  point_shapes_ = MatX::Zero(ContactPlan::kEdges * (points + kMostGrips), joints);
  mode_impulses_ = MatX::Zero(kMostFrames, joints);
  responses_.resize(kMostFrames);
  rate_now_ = give_ = expected_ = VecX::Zero(joints);
  yield_.setZero(joints, 3);
  scattered_.assign(static_cast<std::size_t>(joints), 0);
  if (settings_.scattered_modes > 0) {
    std::fill_n(scattered_.begin(), std::min(settings_.low_modes, joints), 1);
    Random random(static_cast<std::uint64_t>(settings_.scattered_modes));
    for (int m = joints - 1; m > 0; --m)
      std::swap(scattered_[m], scattered_[random.next() % static_cast<std::uint64_t>(m + 1)]);
  }
  jacobian_.setZero(3, nv);
  momentum_matrix_.setZero(3, nv);
  for (ReferenceSample* sample : {&present_, &next_, &goal_, &later_, &soon_}) reference_->sample(0, *sample);
  before_ = arrived_q_ = goal_.q;
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
  if (settings_.answer_contacts || now.time >= memory_.next_plan - 1e-9) {
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
  feel_pushes(now);
  sample_reference(now);
  move_anchor(now);
  feel_grips(now);
  place_feet(now);
  modes_.compute(dynamics_);
  plan_contacts();
  plan_modes(now);
  if (settings_.hold_contacts) hold_contacts(now);
}

// The linearisation holds as long as the body has not gone far: so long is the window.
void ModalController::choose_window() {
  window_ = settings_.window;
  if (settings_.window_reach > 0) {
    const double speed =
        std::max({dynamics_.com_velocity().norm(), present_dynamics_.com_velocity().norm(), kSlowest});
    const double frames = settings_.window_reach / (speed * settings_.frame_time);
    window_ = static_cast<int>(std::clamp<double>(frames, settings_.window, settings_.longest_window));
  }
  high_window_ = std::min(settings_.high_window, window_);
}

// Section 6: a push is not answered before `reaction_delay` has passed.
void ModalController::feel_pushes(const Observation& now) {
  const bool pushed = std::any_of(now.contacts.begin(), now.contacts.end(), [](const ActorContact& contact) {
    return !contact.support && !contact.held;
  });
  if (pushed) {
    if (now.time > memory_.pushed_at + kQuietAfter) memory_.numb_until = now.time + settings_.reaction_delay;
    memory_.pushed_at = now.time;
  }
  numb_ = now.time < memory_.numb_until;
}

void ModalController::sample_reference(const Observation& now) {
  const double dt = settings_.frame_time;
  const std::size_t points = actor_->contact_points().size();
  reference_->sample(now.time, present_);
  present_dynamics_.set_state(present_.q, present_.v);
  choose_window();
  const int n = window_;
  reference_->sample(now.time + settings_.look_ahead, soon_);
  reference_->sample(now.time + high_window_ * dt, next_);
  reference_->sample(now.time + n * dt, goal_);
  for (Foot& foot : feet_) {
    foot.stance = stands(*actor_, foot.leg, present_);
    foot.lands_soon = stands(*actor_, foot.leg, goal_);
  }
  memory_.footfalls.look_ahead(*reference_, now.time, feet_, later_);
  for (Foot& foot : feet_) foot.lands_in -= n * dt;  // seen from the goal
  memory_.take_off.look_ahead(*reference_, now.time, arrived_dynamics_, later_);
  memory_.recovery.expect_contacts(*actor_, feet_, now.time, present_, soon_);
  for (std::size_t i = 0; i < feet_.size(); ++i) feet_[i].caught = memory_.recovery.planted(i);
  for (int k = 0; k < n; ++k) {
    reference_->sample(now.time + (k + 0.5) * dt, later_);
    for (std::size_t i = 0; i < points; ++i) touches_[i * n + k] = later_.contacts[i];
  }
  // Feet that catch a fall go their own way, and push nothing before they land, late as they may be: torques for a force
  // that is not there are taken from the swing of the leg, which overshoots and hangs in the air.
  const RecoverySteps& recovery = memory_.recovery;
  for (std::size_t f = 0; f < feet_.size(); ++f) {
    if (recovery.follows(f)) continue;
    const bool steps = recovery.steps(f);
    const double lands_in = std::max(recovery.lands_at(f) - now.time, kLateLanding);
    for (std::size_t i = 0; i < points; ++i) {
      if (actor_->contact_points()[i].left != feet_[f].leg.left) continue;
      for (int k = 0; k < n; ++k)
        touches_[i * n + k] = steps ? (k + 0.5) * dt > lands_in : present_.contacts[i];
    }
  }
  if (settings_.detected_contacts) find_touches(now);
}

// The contacts of the first frame, as they are.
void ModalController::find_touches(const Observation& now) {
  constexpr double kSame = 0.02;  // m
  const auto& points = actor_->contact_points();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3 place = dynamics_.point(points[i].body, points[i].position);
    touches_[i * window_] =
        std::any_of(now.contacts.begin(), now.contacts.end(), [&](const ActorContact& contact) {
          return contact.support && contact.body == points[i].body &&
                 (contact.point - place + points[i].radius * contact.normal).norm() < kSame;
        });
  }
}

void ModalController::move_anchor(const Observation& now) {
  const double dt = 1 / settings_.plan_rate;
  memory_.ground.feel(*actor_, now.contacts, dt);
  if (settings_.anchor) {
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
  ActorDynamics& felt = numb_ ? present_dynamics_ : dynamics_;
  TrackedBody body{.now = now,
                   .target = present_,
                   .ours = felt,
                   .reference = present_dynamics_,
                   .com_error = present_dynamics_.com() - felt.com(),
                   .com_rate = present_dynamics_.com_velocity() - felt.com_velocity(),
                   .com_acceleration = Vec3::Zero(),
                   .rate = settings_.plan_rate};
  RecoverySteps& recovery = memory_.recovery;
  FootPlacement& placement = memory_.placement;
  if (settings_.recovery && !numb_) recovery.update(body, feet_, memory_.ground, *reference_, later_);
  FootPlacementSettings gains = settings_.for_placement();
  if (memory_.take_off.flies_soon(now.time)) gains.settling = 0;  // runners keep their clearance
  if (hangs_) gains.shift = gains.lift = false;
  placement.update(body, feet_, gains);
  // The moves are made at the end of the window, and the short one gets the same.
  ahead_.time = now.time + window_ * settings_.frame_time;
  ahead_.q = numb_ ? present_.q : now.q;
  ahead_.v = numb_ ? present_.v : now.v;
  before_ = goal_.q;
  goal_change_ = goal_.v;
  // By then the body has moved on; a step that catches a fall is made from there.
  arrived_q_ = ahead_.q;
  arrived_q_.head<3>() += window_ * settings_.frame_time * felt.com_velocity();
  arrived_dynamics_.set_state(arrived_q_, ahead_.v);
  TrackedBody then{.now = ahead_,
                   .target = goal_,
                   .ours = arrived_dynamics_,
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

void ModalController::feel_grips(const Observation& now) {
  grips_.clear();
  add_grip_contacts(now.contacts, grips_);
  hangs_ = !grips_.empty() && std::none_of(feet_.begin(), feet_.end(),
                                           [](const Foot& foot) { return foot.stance || foot.lands_soon; });
  memory_.loads.feel(now.contacts, 1 / settings_.plan_rate);
  memory_.loads.generalised_force(dynamics_, jacobian_, targets_.load);
}

// Section 5.1.
void ModalController::plan_contacts() {
  const int n = window_;
  const double T = n * settings_.frame_time, root_mass = modes_.root_mass();
  const Vec3 gravity(0, 0, -actor_->gravity());
  difference(*actor_, ahead_.q, goal_.q, goal_change_);
  ContactPlan::Vec6 gap, gap_rate;
  ActorDynamics& felt = numb_ ? present_dynamics_ : dynamics_;
  const Vec3 com_rate = felt.com_velocity(), spin = felt.angular_momentum();
  dynamics_.angular_momentum_matrix(momentum_matrix_);
  Vec3 way, goal_rate, goal_spin;
  if (settings_.true_momentum) {
    way = goal_dynamics_.com() - felt.com();
    goal_rate = goal_dynamics_.com_velocity();
    goal_spin = goal_dynamics_.angular_momentum();
  } else {
    dynamics_.com_jacobian(jacobian_);
    way = jacobian_ * goal_change_;
    goal_rate = jacobian_ * goal_.v;
    goal_spin = momentum_matrix_ * goal_.v;
  }
  gap.head<3>() = root_mass * (way - T * com_rate - 0.5 * T * T * gravity);
  gap_rate.head<3>() = root_mass * (goal_rate - com_rate - T * gravity);
  gap.tail<3>() = modes_.turn(momentum_matrix_ * goal_change_ - T * spin);
  gap_rate.tail<3>() = modes_.turn(goal_spin - spin);

  carried_ = modes_.rigid_shapes().transpose() * targets_.load.head<6>();
  gap -= 0.5 * T * T * carried_;
  gap_rate -= T * carried_;

  contacts_.begin(n, settings_.frame_time,
                  settings_.impulses_at_once ? ContactPlan::Impulse::at_once : ContactPlan::Impulse::spread,
                  settings_.frames_per_force);
  const auto& points = actor_->contact_points();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::span<const std::uint8_t> touches(&touches_[i * n], n);
    if (std::none_of(touches.begin(), touches.end(), [](std::uint8_t t) { return t != 0; })) continue;
    const Vec3 normal = memory_.ground.normal();
    const Vec3 point = dynamics_.point(points[i].body, points[i].position) - points[i].radius * normal;
    expect_contact(points[i].body, point, friction_cone(normal, settings_.friction), touches);
  }
  for (const PlanContact& grip : grips_)
    expect_contact(grip.body, grip.point, push_directions(grip, settings_.friction), all_along_);
  contacts_.solve(gap, gap_rate,
                  {.position = settings_.com_position_weight,
                   .turn = settings_.turn_weight,
                   .velocity = settings_.com_velocity_weight,
                   .turn_rate = settings_.turn_rate_weight,
                   .force = settings_.force_weight},
                  memory_.dual);
  if (!contacts_.converged()) ++timing_.relaxed;
}

void ModalController::expect_contact(int body, const Vec3& point, const ContactPlan::Edges& edges,
                                     std::span<const std::uint8_t> touches) {
  const int column = ContactPlan::kEdges * contacts_.points();
  contacts_.add_point(modes_.wrench(point), edges, touches);
  dynamics_.point_jacobian(body, point, jacobian_);
  for (int e = 0; e < ContactPlan::kEdges; ++e) {
    change_.noalias() = jacobian_.transpose() * contacts_.edge(column + e);
    point_shapes_.row(column + e).noalias() = change_.transpose() * modes_.shapes();
  }
}

// Sections 5.2 and 5.3.
void ModalController::plan_modes(const Observation& now) {
  const int n = window_, columns = ContactPlan::kEdges * contacts_.points();
  const double dt = settings_.frame_time;
  const int joints = modes_.size() - Modes::kRigid;
  mode_impulses_.topRows(n).noalias() = contacts_.impulses() * point_shapes_.topRows(columns);
  modes_.to_modes(ahead_.v, p_rate_);
  modes_.to_modes(goal_change_, p_goal_);
  modes_.to_modes(goal_.v, p_goal_rate_);
  modes_.to_modes(now.v, rate_now_);
  difference(*actor_, now.q, next_.q, change_);
  modes_.to_modes(change_, p_next_);
  modes_.to_modes(next_.v, p_next_rate_);
  change_ = (settings_.velocity_forces ? dynamics_.bias() : dynamics_.gravity_bias()) - targets_.load;
  modes_.force_to_modes(change_, bias_);
  expected_.noalias() = mode_impulses_.row(0).transpose() / dt;
  for (int m = 0; m < joints; ++m) {
    const double k = modes_.squared_frequency(m);
    const Mode mode{k, settings_.mass_damping + settings_.stiffness_damping * k};
    const bool low = looks_ahead(m);
    const int frames = low ? n : high_window_;
    const double rate = low ? p_rate_[m] : rate_now_[m];
    const ModeResponse step = mode.response(dt);
    ModeResponse at = settings_.impulses_at_once ? step : mode.response(0.5 * dt), end = step;
    for (int j = 0; j < frames; ++j) {
      responses_[j] = at;
      at = mode.after(at, step);
      if (j > 0) end = mode.after(end, step);
    }
    ModeState reached = advance(mode, end, {0, rate}, settings_.carry_load ? 0 : -bias_[m]);
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
    acceleration_[m] = impulse / dt - mode.damping * rate - (settings_.carry_load ? 0 : load);
    force_[m] = acceleration_[m] + load;
    // Eq. 25 to 27 with W_l = 1: P = a^2, Q = a^2 Z. High modes go on as planned.
    const double weight = step.a * step.a * step.a * step.a;
    give_[m] = low ? -weight / (weight + settings_.answer_cost) : -1;
  }
  modes_.to_torques(force_, change_);
  if (change_.allFinite()) memory_.torque = change_;
}

bool ModalController::looks_ahead(int mode) const {
  if (settings_.scattered_modes > 0) return scattered_[mode] != 0;
  if (settings_.low_frequency > 0) return modes_.squared_frequency(mode) < settings_.low_frequency;
  const int away = mode - settings_.first_low_mode;
  return away >= 0 && away < settings_.low_modes;
}

// Eq. 27: torques of the modes change by x Z df, with df the forces less those that were planned.
void ModalController::answer(std::span<const AnsweredPoint> points, Eigen::Ref<MatX> X,
                             Eigen::Ref<VecX> constant) {
  force_ = -give_.cwiseProduct(expected_);
  modes_.to_torques(force_, change_);
  constant = change_;
  for (std::size_t i = 0; i < points.size(); ++i) {
    dynamics_.point_jacobian(points[i].body, points[i].point, jacobian_);
    yield_.noalias() = modes_.shapes().transpose() * jacobian_.transpose();
    for (int axis = 0; axis < 3; ++axis) {
      force_ = give_.cwiseProduct(yield_.col(axis));
      modes_.to_torques(force_, change_);
      X.col(3 * static_cast<int>(i) + axis) = change_;
    }
  }
}

// In the place of section 5.4: the planned accelerations, of the joints, of the centre of mass and of the angular
// momentum, as nearly as feet that do not slip allow.
void ModalController::hold_contacts(const Observation& now) {
  memory_.foot_contacts.find(dynamics_, now.contacts, memory_.ground, present_.contacts, soon_.contacts,
                             settings_.for_contacts(), 1 / settings_.plan_rate, touching_);
  memory_.recovery.let_go(*actor_, feet_, present_, touching_);
  touching_.insert(touching_.end(), grips_.begin(), grips_.end());
  ContactPlan::Vec6 rigid = contacts_.first_impulse() / settings_.frame_time + carried_;
  targets_.com_acceleration = rigid.head<3>() / modes_.root_mass() - Vec3(0, 0, actor_->gravity());
  targets_.spin_rate = modes_.angular(rigid.tail<3>());
  const Modes::Rigid shapes = modes_.rigid_shapes();
  rigid -= shapes.transpose() * dynamics_.bias().head<6>();
  targets_.acceleration.noalias() = modes_.shapes() * acceleration_;
  targets_.acceleration.head<6>() += shapes * rigid;
  const PlanResult& result = planner_.solve(dynamics_, targets_, touching_);
  if (!result.converged || !result.torque.allFinite()) ++timing_.relaxed;
  if (!result.torque.allFinite()) return;
  memory_.torque = result.torque;
  if (!settings_.answer_contacts) return;
  change_.setZero();
  for (std::size_t i = 0; i < touching_.size(); ++i) {
    dynamics_.point_jacobian(touching_[i].body, touching_[i].point, jacobian_);
    change_.noalias() += jacobian_.transpose() * result.force[i];
  }
  modes_.force_to_modes(change_, expected_);
}

}  // namespace stunt
