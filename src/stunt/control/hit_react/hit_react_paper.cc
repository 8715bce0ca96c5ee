#include "stunt/control/hit_react/hit_react_paper.h"

#include "stunt/core/error.h"

namespace stunt {
namespace {

// A vector in world axes as numbers of the joints that move a body: its part along each of their axes. `J` is work space.
void add_to_joints(ActorDynamics& body, int moved, const Vec3& vector, Jacobian& J, VecX& out) {
  const ActorBody& part = body.actor().bodies()[static_cast<std::size_t>(moved)];
  body.rotation_jacobian(moved, J);
  for (int i = 0; i < part.joint_count; ++i) {
    const ActorJoint& joint = body.actor().joints()[static_cast<std::size_t>(part.first_joint + i)];
    if (joint.type == JointType::slide) continue;
    for (int dof = joint.v_address; dof < joint.v_address + joint.dofs; ++dof)
      out[dof] += J.col(dof).dot(vector);
  }
}

// The middle of a sole, on the ground plane.
Vec2 sole_middle(ActorDynamics& body, const Leg& leg) {
  Vec2 sum = Vec2::Zero();
  int count = 0;
  for (const auto* group : {&leg.heel, &leg.ball, &leg.tip}) {
    for (const int i : *group) {
      const ContactPoint& point = body.actor().contact_points()[static_cast<std::size_t>(i)];
      sum += body.point(point.body, point.position).head<2>();
      ++count;
    }
  }
  return count > 0 ? Vec2(sum / count) : Vec2(body.body_position(leg.foot).head<2>());
}

}  // namespace

HitReactPaperSettings::HitReactPaperSettings() { tracking.reference_velocity = false; }

void describe(Fields& fields, HitReactPaperSettings& s) {
  fields(
      "balance", s.balance,
      {.help = "by torques in the standing legs (eq. 4), by offsets of their desired angles (eq. 5), or not",
       .choices = {"virtual_actuator", "offsets", "none"}});
  fields("center", s.center,
         {.help = "where the centre of mass should be: over the centre of the support, or as in the data",
          .choices = {"support", "data"}});
  fields("force_gain", s.force_gain,
         {.unit = "1/s^2", .bounds = at_least(0), .help = "k_v of eq. 3, per kilogram of the body"});
  fields("force_damping", s.force_damping,
         {.unit = "1/s", .bounds = at_least(0), .help = "b_v of eq. 3, per kilogram of the body"});
  fields("hip_gain", s.hip_gain, {.unit = "rad/m", .bounds = at_least(0), .help = "k_h of eq. 5"});
  fields("hip_damping", s.hip_damping, {.unit = "rad s/m", .bounds = at_least(0), .help = "b_h of eq. 5"});
  fields("ankle_gain", s.ankle_gain, {.unit = "rad/m", .bounds = at_least(0), .help = "k_a of eq. 5"});
  fields("ankle_damping", s.ankle_damping,
         {.unit = "rad s/m", .bounds = at_least(0), .help = "b_a of eq. 5"});
  describe(fields, s.tracking);
}

std::unique_ptr<Controller> make_controller(const HitReactPaperSettings& settings,
                                            const ControllerTask& task) {
  require_free_root(*task.reference->actor(), "hit_react");
  if (task.friction != 1)
    throw InputError("model.friction", "a controller that plans no friction", "controller mcsim with it");
  HitReactPaperSettings own = settings;
  if (task.on_pedestal) {
    own.balance = "none";
    own.tracking.feet_carry = false;
  }
  return std::make_unique<HitReactPaperController>(own, task.reference);
}

HitReactPaperController::HitReactPaperController(const HitReactPaperSettings& settings,
                                                 ReferencePtr reference)
    : settings_(settings),
      reference_(std::move(reference)),
      actor_(reference_->actor()),
      tracking_(settings_.tracking, reference_),
      feet_(find_feet(*actor_)),
      ours_(actor_),
      theirs_(actor_),
      turn_(VecX::Zero(actor_->nv())),
      turned_q_(actor_->rest_q()),
      jacobian_(Jacobian::Zero(3, actor_->nv())) {}

void HitReactPaperController::actuate(const Observation& now, Actuation& out) {
  tracking_.sample(now, target_);
  int standing = 0;
  for (Foot& foot : feet_) {
    foot.stance = touches(foot.leg, now.contacts);
    standing += foot.stance;
  }
  const bool balances = standing > 0 && settings_.balance != "none";
  if (balances) ours_.set_state(now.q, now.v);
  const Vec2 away = balances ? Vec2(wanted_center(standing) - ours_.com().head<2>()) : Vec2::Zero();
  const Vec2 velocity = balances ? Vec2(ours_.com_velocity().head<2>()) : Vec2::Zero();
  if (balances && settings_.balance == "offsets") offset_angles(away, velocity);
  tracking_.follow(now, target_, out);
  if (balances && settings_.balance == "virtual_actuator") {
    const Vec2 force = actor_->mass() * (settings_.force_gain * away - settings_.force_damping * velocity);
    add_virtual_force({force.x(), force.y(), 0}, standing, out.torque);
  }
}

// x_d.
Vec2 HitReactPaperController::wanted_center(int standing) {
  const bool of_data = settings_.center == "data";
  if (of_data) theirs_.set_state(target_.q, target_.v);
  Vec2 center = Vec2::Zero();
  for (const Foot& foot : feet_) {
    if (!foot.stance) continue;
    center += sole_middle(ours_, foot.leg) / standing;
    if (of_data) center -= sole_middle(theirs_, foot.leg) / standing;
  }
  if (of_data) center += theirs_.com().head<2>();
  return center;
}

// Eq. 5: about the axis that lies to the left of the way to go.
void HitReactPaperController::offset_angles(const Vec2& away, const Vec2& velocity) {
  const auto turn = [&](double gain, double damping) {
    const Vec2 offset = gain * away - damping * velocity;
    return Vec3(Vec3::UnitZ().cross(Vec3(offset.x(), offset.y(), 0)));
  };
  turn_.setZero();
  for (const Foot& foot : feet_) {
    if (!foot.stance) continue;
    add_to_joints(ours_, foot.leg.thigh, turn(settings_.hip_gain, settings_.hip_damping), jacobian_, turn_);
    add_to_joints(ours_, foot.leg.foot, -turn(settings_.ankle_gain, settings_.ankle_damping), jacobian_,
                  turn_);
  }
  turned_q_ = target_.q;
  integrate(*actor_, turned_q_, turn_, 1, target_.q);
}

// Eq. 4.
void HitReactPaperController::add_virtual_force(const Vec3& force, int standing, VecX& torque) {
  const Vec3 com = ours_.com();
  for (const Foot& foot : feet_) {
    if (!foot.stance) continue;
    for (const int body : {foot.leg.thigh, foot.leg.shank, foot.leg.foot}) {
      const Vec3 r = ours_.body_position(body) - com;
      add_to_joints(ours_, body, -force.cross(r) / standing, jacobian_, torque);
    }
  }
}

}  // namespace stunt
