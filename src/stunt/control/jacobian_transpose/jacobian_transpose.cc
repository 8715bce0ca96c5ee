#include "stunt/control/jacobian_transpose/jacobian_transpose.h"

#include <algorithm>
#include <cmath>

#include "stunt/core/error.h"

namespace stunt {
namespace {

constexpr double kPlacementRate = 1000;  // Hz, where the step is not known
constexpr double kSoleUsed = 0.9;        // of the sole's length and width
constexpr double kLeastShare = 0.08;  // of a wrench, of a foot that goes on standing: it stays on the ground
constexpr double kCentringSpeed = 0.1;  // m/s, with which the centre of mass is moved over the soles' middle
constexpr double kLeastLoad = 0.2;      // of the weight: what the ground is reckoned to push with at least
constexpr double kFriction = 0.7;       // of the load, along the ground
constexpr double kCoupleFriction =
    0.3;  // likewise, of the foot that carries less, to turn the body with both feet
constexpr double kFlatGrip = 0.05;   // m: moment about the vertical that a flat sole passes on, per load
constexpr double kTipGrip = 0.01;    // m: likewise heel or toes alone, on which a foot spins
constexpr double kTipUsed = 2;       // of the sole's length, where the motion has only that end on the ground
constexpr double kReachSpeed = 0.2;  // m/s, with which a foot that should stand and does not is led down
constexpr double kLongestReach = 0.03;  // m
constexpr double kLookEvery = 0.01;     // s: whether the motion will step is asked
constexpr AnchorSettings kAnchor{.time = 0.1, .speed = 0.5};

// Foot placement as `mcsim` has it.
constexpr FootPlacementSettings kPlacement{.shift = true,
                                           .lift = true,
                                           .forward_velocity_gain = 0.35,
                                           .forward_position_gain = 0.30,
                                           .sideways_velocity_gain = 0.45,
                                           .sideways_position_gain = 0.50,
                                           .largest = 0.3,
                                           .clearance = 0.03,
                                           .settling = 0.2,
                                           .shift_rate = 70,
                                           .lift_rate = 80,
                                           .joint_speed = 0.7,
                                           .return_time = 0.1,
                                           .apart = 0};

// The ranges of table 6.2: the middle of its first values, and a quarter of their width.
void describe_weights(Fields& fields, BalanceWeights& weights) {
  const Limit wide = between(-10000, 10000);
  fields("com_position", weights.com_position,
         {.unit = "N/m",
          .bounds = wide,
          .help = "w_cp: draws the centre of mass to its place over the feet",
          .search = SearchRange{450, 75}});
  fields("com_velocity", weights.com_velocity,
         {.unit = "N s/m",
          .bounds = wide,
          .help = "w_cv: likewise its velocity",
          .search = SearchRange{450, 75}});
  fields("trunk", weights.trunk,
         {.unit = "Nm/rad",
          .bounds = wide,
          .help = "w_to: turns the trunk upright",
          .search = SearchRange{150, 25}});
  fields("momentum", weights.momentum,
         {.unit = "1/s",
          .bounds = wide,
          .help = "w_am: follows the angular momentum",
          .search = SearchRange{150, 25}});
}

}  // namespace

// Legs that stand on one foot and kick with the other need firmer hips than the middle of table 6.2.
JacobianTransposeSettings::JacobianTransposeSettings() {
  stiffness[JointGain::hip_roll] = stiffness[JointGain::hip_pitch] = 700;
  stiffness[JointGain::hip_yaw] = 500;
  damping[JointGain::hip_roll] = damping[JointGain::hip_pitch] = 70;
  damping[JointGain::hip_yaw] = 50;
  single.trunk = dual.trunk = 600;
}

JacobianTransposePaperSettings::JacobianTransposePaperSettings() {
  stiffness = JointGains(350);
  damping = JointGains(35);
  single.momentum = dual.momentum = 150;
  single.trunk = dual.trunk = 150;
  trunk_damping = 0;
  gravity = sole = reference_stance = placement = recovery = implicit = balance_reference = false;
  contact_memory = centred = 0;
}

void describe(Fields& fields, JacobianTransposeSettings& s) {
  const auto gains = [](const char* unit, const char* help, double mean, double spread) {
    return [about = About{.unit = unit,
                          .bounds = between(0, 10000),
                          .help = help,
                          .search = SearchRange{mean, spread}}](Fields& inner, JointGains& values) {
      describe(inner, values, about);
    };
  };
  fields.group("stiffness", s.stiffness, "of the springs in the joints, left and right alike", "",
               gains("Nm/rad", "k_p: larger follows more closely and reacts more stiffly", 350, 75));
  fields.group("damping", s.damping, "likewise", "", gains("Nm s/rad", "k_d: larger swings less", 35, 7.5));
  fields.group("single", s.single, "balance with one foot on the ground", "", describe_weights);
  fields.group("dual", s.dual, "balance with both feet on the ground", "", describe_weights);
  fields("torque_limit", s.torque_limit,
         {.unit = "Nm", .bounds = above(0), .help = "of every joint; the body's own strength counts too"});
  fields("gravity", s.gravity, {.help = "the weight is carried beforehand, not by the springs"});
  fields("foresight", s.foresight, {.help = "so is what the motion's own accelerations take"});
  fields("sole", s.sole, {.help = "the ground is asked for no more than the soles can pass on"});
  fields("reference_stance", s.reference_stance,
         {.help = "the feet that stand in the motion carry it, others only where none of those touches"});
  fields("contact_memory", s.contact_memory,
         {.unit = "s", .bounds = at_least(0), .help = "a foot that touched within this time touches"});
  fields(
      "trunk_damping", s.trunk_damping,
      {.unit = "s", .bounds = at_least(0), .help = "of the trunk's turning, per weight of its orientation"});
  fields(
      "centred", s.centred,
      {.bounds = between(0, 1),
       .help = "how far the centre of mass goes from where the motion has it to the middle between heels and "
               "toes, while both feet go on standing, which then both keep some load"});
  fields("placement", s.placement, {.help = "the swing foot steps to where the body falls"});
  fields("recovery", s.recovery, {.help = "a step is made where balance is lost and the motion has none"});
  fields("hurry", s.hurry,
         {.bounds = at_least(0), .help = "how much stiffer a leg is that makes such a step"});
  fields("implicit", s.implicit,
         {.help = "springs at the end of the step: allows long steps and strong damping"});
  fields("balance_reference", s.balance_reference,
         {.help = "the reference is made possible before it is followed"});
  fields("reference_balance", s.reference_balance,
         {.help = "no: the centre of mass goes over the feet, without angular momentum; for a body that the "
                  "motion was not made for"});
}

ReferenceWishes reference_wishes(const JacobianTransposeSettings& settings) {
  return {.balanced = settings.balance_reference};
}

std::unique_ptr<Controller> make_controller(const JacobianTransposeSettings& settings,
                                            const ControllerTask& task) {
  require_free_root(*task.reference->actor(), "jacobian_transpose");
  if (task.friction != 1)
    throw InputError("model.friction", "a controller that plans no friction", "controller mcsim with it");
  if (find_feet(*task.reference->actor()).size() != 2)
    throw InputError("controller", "a character without two legs", "two legs for jacobian_transpose");
  return std::make_unique<JacobianTransposeController>(settings, task.reference);
}

JacobianTransposeController::JacobianTransposeController(const JacobianTransposeSettings& settings,
                                                         ReferencePtr reference)
    : settings_(settings),
      reference_(std::move(reference)),
      actor_(reference_->actor()),
      feet_(find_feet(*actor_)),
      led_(feet_),
      trunk_(actor_->body(Role::chest) >= 0 ? actor_->body(Role::chest) : 0),
      memory_(*actor_, 0),
      ours_(actor_),
      theirs_(actor_) {
  const std::vector<int> which = joint_gains_of(*actor_);
  stiffness_ = spread(settings_.stiffness, which);
  damping_ = spread(settings_.damping, which);
  const int nv = actor_->nv();
  error_ = rate_ = ahead_ = foreseen_ = VecX::Zero(nv);
  support_.reserve(actor_->contact_points().size());
  firmness_ = VecX::Ones(nv);
  implicit_mass_ = MatX::Identity(nv, nv);
  factor_.compute(implicit_mass_);
  for (ReferenceSample* sample : {&target_, &later_}) reference_->sample(0, *sample);
  for (const Foot& foot : feet_) {
    const Vec3 side = foot.leg.sole_normal.cross(foot.leg.forward);  // to the left
    Sole sole{1e9, -1e9, 1e9, -1e9};
    for (const ContactPoint& point : actor_->contact_points()) {
      if (point.left != foot.leg.left) continue;
      Vec3 at = point.position;
      if (point.body == foot.leg.toes && foot.leg.toes >= 0)
        at += actor_->bodies()[static_cast<std::size_t>(foot.leg.toes)].offset;
      sole.back = std::min(sole.back, at.dot(foot.leg.forward));
      sole.front = std::max(sole.front, at.dot(foot.leg.forward));
      sole.right = std::min(sole.right, at.dot(side));
      sole.left = std::max(sole.left, at.dot(side));
    }
    soles_.push_back(sole);
  }
}

void JacobianTransposeController::reset(const Observation& start) {
  memory_ = Memory(*actor_, start.time);
  memory_.touched = {start.time, start.time};
  reference_->sample(start.time, target_);
  memory_.anchor = Anchor(start.q.head<3>() - target_.q.head<3>());
}

void JacobianTransposeController::actuate(const Observation& now, Actuation& out) {
  reference_->sample(now.time + (settings_.implicit ? now.timestep : 0.0), target_);
  ours_.set_state(now.q, now.v);
  move_reference(now);
  theirs_.set_state(target_.q, target_.v);
  expected_ = stance_of_reference(*actor_, feet_, target_);
  const Stance carries = feel_ground(now);
  if (settings_.placement || settings_.recovery) place_feet(now);
  if (settings_.centred > 0) move_over_soles(now);

  foresee();
  add_springs(now, out.torque);
  if (!carries.flight()) add_ground(carries, out.torque);
  out.torque += foreseen_;
  out.torque = out.torque.cwiseMax(-settings_.torque_limit).cwiseMin(settings_.torque_limit);
  out.torque.head<6>().setZero();
}

// The motion goes along with the feet, and has those on the ground that catch a fall.
void JacobianTransposeController::move_reference(const Observation& now) {
  for (Foot& foot : feet_) foot.stance = foot.lands_soon = stands(*actor_, foot.leg, target_);
  if (settings_.placement) memory_.footfalls.look_ahead(*reference_, now.time, feet_, later_);
  if (!settings_.recovery) return;
  memory_.recovery.expect_contacts(*actor_, feet_, now.time, target_, later_);
  for (std::size_t i = 0; i < feet_.size(); ++i) feet_[i].caught = memory_.recovery.planted(i);
  memory_.ground.feel(*actor_, now.contacts, now.timestep);
  theirs_.set_state(target_.q, target_.v);
  memory_.anchor.follow(ours_, theirs_, now.contacts, target_.contacts, feet_, kAnchor, now.timestep);
  target_.q.head<2>() += memory_.anchor.offset().head<2>();
}

// A step to come is made by the motion, and placed; where it keeps standing a fall can only be caught by one of our own.
bool JacobianTransposeController::keeps_standing(double time) {
  if (time < memory_.look_at) return memory_.keeps_standing;
  memory_.look_at = time + kLookEvery;
  memory_.keeps_standing = true;
  for (const double ahead : {0.2, 0.4}) {
    reference_->sample(time + ahead, later_);
    for (const Foot& foot : feet_) memory_.keeps_standing &= stands(*actor_, foot.leg, later_) == foot.stance;
  }
  return memory_.keeps_standing;
}

// Who goes on standing on both feet can be pushed from anywhere: between heels and toes is the best place.
void JacobianTransposeController::move_over_soles(const Observation& now) {
  Vec3 goal = Vec3::Zero();
  if (expected_.dual() && keeps_standing(now.time)) {
    Vec3 middle = Vec3::Zero(), forward = Vec3::Zero();
    for (std::size_t i = 0; i < feet_.size(); ++i) {
      const Leg& leg = feet_[i].leg;
      const Vec3 along = theirs_.body_rotation(leg.foot) * leg.forward;
      middle += 0.5 * (theirs_.body_position(leg.foot) + 0.5 * (soles_[i].front + soles_[i].back) * along);
      forward += Vec3(along.x(), along.y(), 0);
    }
    forward.normalize();
    goal = settings_.centred * forward.dot(middle - theirs_.com()) * forward;
  }
  const Vec3 way = goal - memory_.over_soles;
  const double most = kCentringSpeed * now.timestep;
  memory_.over_soles += way.norm() > most ? Vec3(way * (most / way.norm())) : way;
}

// eq. 6.4: which feet the balance works through.
Stance JacobianTransposeController::feel_ground(const Observation& now) {
  Stance felt = stance_of_contacts(feet_, now.contacts);
  for (std::size_t i = 0; i < feet_.size(); ++i) {
    if (felt.on[i]) memory_.touched[i] = now.time;
    felt.on[i] = now.time - memory_.touched[i] <= settings_.contact_memory;
  }
  if (!settings_.reference_stance) return felt;
  const Stance both{{felt.on[0] && expected_.on[0], felt.on[1] && expected_.on[1]}};
  return both.flight() ? felt : both;
}

// Feet that follow the motion are shifted and lifted; those that catch a fall go their own way.
void JacobianTransposeController::place_feet(const Observation& now) {
  const TrackedBody body{.now = now,
                         .target = target_,
                         .ours = ours_,
                         .reference = theirs_,
                         .com_error = theirs_.com() - ours_.com(),
                         .com_rate = theirs_.com_velocity() - ours_.com_velocity(),
                         .com_acceleration = Vec3::Zero(),
                         .rate = now.timestep > 0 ? 1 / now.timestep : kPlacementRate};
  RecoverySteps& recovery = memory_.recovery;
  FootPlacement& placement = memory_.placement;
  if (settings_.recovery && (keeps_standing(now.time) || recovery.steps(0) || recovery.steps(1)))
    recovery.update(body, feet_, memory_.ground, *reference_, later_);
  if (settings_.placement) {
    reach_down(now);
    placement.update(body, led_, kPlacement);
  }
  firmness_.setOnes();
  for (std::size_t i = 0; i < feet_.size(); ++i) {
    if (recovery.follows(i)) {
      if (settings_.placement) placement.put_foot(i, feet_[i].leg, body, kPlacement);
      continue;
    }
    placement.leave_foot(i);
    const Vec3 place = recovery.put_foot(i, feet_[i], body, memory_.ground);
    if (!recovery.steps(i)) continue;
    placement.start_from(i, place - theirs_.body_position(feet_[i].leg.foot));
    for (const int dof : feet_[i].leg.dofs) firmness_[dof] += settings_.hurry;
  }
}

// A foot that should stand but hovers keeps the other one pushing: it is led down until it touches.
void JacobianTransposeController::reach_down(const Observation& now) {
  for (std::size_t i = 0; i < feet_.size(); ++i) {
    led_[i] = feet_[i];
    const bool hovers = feet_[i].stance && now.time - memory_.touched[i] > settings_.contact_memory;
    double& reach = memory_.reach[i];
    reach = hovers ? std::min(reach + kReachSpeed * now.timestep, kLongestReach) : 0;
    if (!hovers) continue;
    led_[i].stance = false;
    led_[i].lands_soon = true;
    led_[i].nudge.z() = -reach;
  }
}

void JacobianTransposeController::add_springs(const Observation& now, VecX& torque) {
  const double dt = settings_.implicit ? now.timestep : 0.0;
  spring_ = stiffness_.cwiseProduct(firmness_);
  damper_ = damping_.cwiseProduct(firmness_.cwiseSqrt());
  difference(*actor_, now.q, target_.q, error_);
  error_ -= dt * now.v;
  rate_ = target_.v - now.v;
  torque = spring_.cwiseProduct(error_) + damper_.cwiseProduct(rate_);
  if (!settings_.implicit) return;
  // (M + dt D + dt^2 K) a = tau - h, then tau -= (dt D + dt^2 K) a (Tan et al. 2011, eq. 4). Somebody else carries the
  // weight, so gravity stays out of h.
  torque.head<6>().setZero();
  ahead_ = torque - ours_.bias() + (settings_.gravity ? foreseen_ : ours_.gravity_bias());
  implicit_mass_ = ours_.mass_matrix();
  damper_ = dt * damper_ + dt * dt * spring_;
  implicit_mass_.diagonal() += damper_;
  factor_.compute(implicit_mass_);
  factor_.solveInPlace(ahead_);
  torque -= damper_.cwiseProduct(ahead_);
}

// What the weight takes, and what the motion's own accelerations take of our body; the root's rows are what the ground must
// give.
void JacobianTransposeController::foresee() {
  if (!settings_.gravity) {
    foreseen_.setZero();
  } else if (settings_.foresight) {
    ours_.inverse_dynamics(target_.a, foreseen_);
  } else {
    foreseen_ = ours_.gravity_bias();
  }
}

// What the ground is to push with, and the torques of the legs that make it do so.
void JacobianTransposeController::add_ground(const Stance& carries, VecX& torque) {
  Wrench wrench = balance(carries);
  wrench.force += foreseen_.head<3>();
  wrench.moment += ours_.body_rotation(0) * foreseen_.segment<3>(3) +
                   (ours_.body_position(0) - ours_.com()).cross(foreseen_.head<3>());
  shares_ = shares(carries, wrench);
  if (settings_.gravity && settings_.sole) stay_on_soles(carries, wrench);
  for (std::size_t i = 0; i < feet_.size(); ++i) {
    if (!carries.on[i]) continue;
    if (settings_.sole) twist_gently(i, torque);
    push_ground(i, wrench, torque);
    if (settings_.sole) keep_sole_flat(i, torque);
  }
}

// eq. 6.8 to 6.11.
JacobianTransposeController::Wrench JacobianTransposeController::balance(const Stance& carries) {
  const BalanceWeights& w = carries.dual() ? settings_.dual : settings_.single;
  const Vec3 place = ours_.com() - base_of_support(ours_, feet_, expected_);
  Vec3 wanted = theirs_.com() + memory_.over_soles - base_of_support(theirs_, feet_, expected_);
  Vec3 momentum = theirs_.angular_momentum();
  if (!settings_.reference_balance) {
    wanted.head<2>().setZero();
    momentum.setZero();
  }
  const Vec3 turn = log_map(theirs_.body_rotation(trunk_) * ours_.body_rotation(trunk_).conjugate());
  const Vec3 turning = theirs_.body_angular_velocity(trunk_) - ours_.body_angular_velocity(trunk_);
  return {
      w.com_position * (wanted - place) + w.com_velocity * (theirs_.com_velocity() - ours_.com_velocity()),
      w.trunk * (turn + settings_.trunk_damping * turning) +
          w.momentum * (momentum - ours_.angular_momentum())};
}

// The centre of pressure: where on the ground, at this height, the wrench acts.
Vec2 JacobianTransposeController::pressure(const Wrench& wrench, double ground) {
  const Vec3 com = ours_.com();
  const double load = std::max(wrench.force.z(), kLeastLoad * actor_->mass() * actor_->gravity());
  const double height = com.z() - ground;
  return {com.x() - (height * wrench.force.x() + wrench.moment.y()) / load,
          com.y() - (height * wrench.force.y() - wrench.moment.x()) / load};
}

// How much of a force each foot passes on: by where the ground must push, along the line between the ankles. As long as
// nobody reckons with the weight, that is under the centre of mass.
std::array<double, 2> JacobianTransposeController::shares(const Stance& carries, const Wrench& wrench) {
  if (!carries.dual()) return {carries.on[0] ? 1.0 : 0.0, carries.on[1] ? 1.0 : 0.0};
  const Vec2 middle = settings_.gravity ? pressure(wrench, 0) : Vec2(ours_.com().head<2>());
  const Vec2 line = apart().head<2>(), at = middle - ours_.body_position(feet_[0].leg.foot).head<2>();
  const double least = settings_.centred > 0 && memory_.keeps_standing ? kLeastShare : 0;
  const double right_share = std::clamp(at.dot(line) / std::max(line.squaredNorm(), 1e-6), least, 1 - least);
  return {1 - right_share, right_share};
}

// m, from the left foot to the right, along the ground.
Vec3 JacobianTransposeController::apart() {
  const Vec3 line = ours_.body_position(feet_[1].leg.foot) - ours_.body_position(feet_[0].leg.foot);
  return {line.x(), line.y(), 0};
}

// What the soles cannot pass on the centre of mass does without, not the trunk: the next step catches the one, nothing the
// other.
void JacobianTransposeController::stay_on_soles(const Stance& carries, Wrench& wrench) {
  constexpr double kLowest = 0.3;  // m, of a centre of mass
  wrench.force.z() = std::max(wrench.force.z(), kLeastLoad * actor_->mass() * actor_->gravity());
  support_.clear();
  double ground = 1e9;
  for (std::size_t i = 0; i < feet_.size(); ++i) {
    if (!carries.on[i]) continue;
    support_.add_sole(feet_[i].leg, ours_);
    ground = std::min(ground, ours_.body_position(feet_[i].leg.foot).z() - feet_[i].ankle_height);
  }
  const Vec3 com = ours_.com();
  const Vec2 wanted = pressure(wrench, ground), kept = support_.nearest(wanted);
  wrench.force.head<2>() += (wanted - kept) * (wrench.force.z() / std::max(kLowest, com.z() - ground));
  const double most = kFriction * wrench.force.z(), along = wrench.force.head<2>().norm();
  if (along > most) wrench.force.head<2>() *= most / along;
  // About the vertical a foot slips first.
  double limit = 0;
  for (std::size_t i = 0; i < feet_.size(); ++i) limit += grip(i) * shares_[i];
  if (carries.dual()) limit += kCoupleFriction * std::min(shares_[0], shares_[1]) * apart().norm();
  limit *= wrench.force.z();
  const double tilted = (com - Vec3(kept.x(), kept.y(), ground)).cross(wrench.force).z();
  wrench.moment.z() = std::clamp(wrench.moment.z() + tilted, -limit, limit) - tilted;
}

// Torques in the leg with which its foot pushes the ground so that the ground answers with its share of the wrench. The
// root's rows are what the body then feels.
void JacobianTransposeController::push_ground(std::size_t i, const Wrench& wrench, VecX& torque) {
  const int foot = feet_[i].leg.foot;
  const Vec3 ankle = ours_.body_position(foot);
  const auto push = [&](const Vec3& force, const Vec3& moment, const Vec3& point) {
    const Vec3 down = -force, back = -moment;
    mj_applyFT(&actor_->model(), &ours_.data(), down.data(), back.data(), point.data(), foot + 1,
               torque.data());
  };
  const Vec3 force = shares_[i] * wrench.force;
  Vec3 moment = shares_[i] * wrench.moment, point = ours_.com();
  if (settings_.gravity) {  // each foot pushes beside the centre of mass as it stands beside the middle
    point += ankle;
    for (std::size_t j = 0; j < feet_.size(); ++j)
      point -= shares_[j] * ours_.body_position(feet_[j].leg.foot);
  }
  if (settings_.sole && shares_[0] > 0 && shares_[1] > 0) {  // what a foot cannot twist, two feet do together
    const double limit = grip(i) * wrench.force.z(), all = wrench.moment.z();
    const double twist = std::clamp(all, -limit, limit);
    const Vec3 line = apart(), across = Vec3::UnitZ().cross(line) / std::max(line.squaredNorm(), 0.01);
    moment.z() = shares_[i] * twist;
    push((i == 0 ? twist - all : all - twist) * across, Vec3::Zero(),
         ankle - Vec3(0, 0, feet_[i].ankle_height));
  }
  push(force, moment, point);
}

Vec3 JacobianTransposeController::joint_axis(const ActorJoint& joint, int dof) {
  if (joint.type == JointType::ball) return ours_.body_rotation(joint.body) * Vec3::Unit(dof);
  const std::size_t index = static_cast<std::size_t>(&joint - actor_->joints().data());
  return Vec3(ours_.data().xaxis + 3 * index);
}

// Nm, world axes: what the joints of a body turn it with.
Vec3 JacobianTransposeController::turning(int b, const VecX& torque) {
  Vec3 sum = Vec3::Zero();
  const ActorBody& body = actor_->bodies()[static_cast<std::size_t>(b)];
  for (int j = body.first_joint; j < body.first_joint + body.joint_count; ++j) {
    const ActorJoint& joint = actor_->joints()[static_cast<std::size_t>(j)];
    for (int d = 0; d < joint.dofs; ++d) sum += torque[joint.v_address + d] * joint_axis(joint, d);
  }
  return sum;
}

void JacobianTransposeController::turn(int b, const Vec3& change, VecX& torque) {
  const ActorBody& body = actor_->bodies()[static_cast<std::size_t>(b)];
  for (int j = body.first_joint; j < body.first_joint + body.joint_count; ++j) {
    const ActorJoint& joint = actor_->joints()[static_cast<std::size_t>(j)];
    for (int d = 0; d < joint.dofs; ++d) torque[joint.v_address + d] += joint_axis(joint, d).dot(change);
  }
}

// An ankle that turns harder than this lifts the heel or the toes: the centre of pressure would lie beyond the sole. Where
// the motion has lifted them it may.
void JacobianTransposeController::keep_sole_flat(std::size_t i, VecX& torque) {
  const Leg& leg = feet_[i].leg;
  const Sole& sole = soles_[i];
  const double load = shares_[i] * actor_->mass() * actor_->gravity();
  const Quat foot = ours_.body_rotation(leg.foot);
  const Vec3 forward = foot * leg.forward, side = foot * leg.sole_normal.cross(leg.forward);
  const Vec3 now = turning(leg.foot, torque);
  // About the axis to the left toes go down, about the axis forwards the left edge goes up.
  const double pitch = now.dot(side), roll = now.dot(forward);
  const bool heel = on_ground(leg.heel), toes = on_ground(leg.ball) || on_ground(leg.tip);
  const double front = load * sole.front * (toes && !heel ? kTipUsed : kSoleUsed);
  const double back = load * sole.back * (heel && !toes ? kTipUsed : kSoleUsed);
  const double allowed_pitch = std::clamp(pitch, back, front);
  const double allowed_roll = std::clamp(roll, -kSoleUsed * load * sole.left, -kSoleUsed * load * sole.right);
  turn(leg.foot, (allowed_pitch - pitch) * side + (allowed_roll - roll) * forward, torque);
}

// The motion has one of these contact points on the ground.
bool JacobianTransposeController::on_ground(const std::vector<int>& points) const {
  return std::any_of(points.begin(), points.end(),
                     [&](int p) { return target_.contacts[static_cast<std::size_t>(p)] != 0; });
}

// m: the moment about the vertical that a foot can pass on, per load. One that stands on heel or toes alone spins.
double JacobianTransposeController::grip(std::size_t i) const {
  const Leg& leg = feet_[i].leg;
  return on_ground(leg.heel) && (on_ground(leg.ball) || on_ground(leg.tip)) ? kFlatGrip : kTipGrip;
}

// Springs of a leg that stands do not turn its foot on the spot.
void JacobianTransposeController::twist_gently(std::size_t i, VecX& springs) {
  const Leg& leg = feet_[i].leg;
  const double limit = grip(i) * shares_[i] * actor_->mass() * actor_->gravity();
  for (const int body : {leg.thigh, leg.foot}) {
    const double twist = turning(body, springs).z();
    turn(body, Vec3(0, 0, std::clamp(twist, -limit, limit) - twist), springs);
  }
}

}  // namespace stunt
