#include "stunt/control/mcsim/mcsim_paper.h"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace stunt {
namespace {

// Table 2 for characters of pins only, else table 3.
double table_stiffness(Role role, bool pins_only) {
  switch (role) {
    case Role::left_foot:
    case Role::right_foot:
      return pins_only ? 4000 : 1000;
    case Role::left_clavicle:
    case Role::right_clavicle:
    case Role::left_upper_arm:
    case Role::right_upper_arm:
    case Role::left_thigh:
    case Role::right_thigh:
    case Role::left_shank:
    case Role::right_shank:
    case Role::left_toes:
    case Role::right_toes:
      return 4000;
    default:  // thorax, head, lower arm, hand
      return 3000;
  }
}

// "The square root of each element of the matrix" (section 5): in the principal axes, where only the diagonal
// is left. In other axes a slender limb has negative elements, without roots; with roots of their magnitudes,
// of either sign, the damping about the limb's own axis would be negative or many times too large.
Mat3 root(const Mat3& inertia) {
  Eigen::SelfAdjointEigenSolver<Mat3> axes;
  axes.computeDirect(inertia);
  return axes.eigenvectors() * axes.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal() *
         axes.eigenvectors().transpose();
}

}  // namespace

void describe(Fields& fields, McSimPaperSettings& s) {
  fields("plan_rate", s.plan_rate, {.unit = "Hz", .bounds = between(40, 100), .help = "plans per second"});
  fields("stiffness", s.stiffness,
         {.unit = "1/s^2", .bounds = above(0), .help = "k_os of eq. 4; table 1 has 300 to 1000"});
  fields("pd_scale", s.pd_scale,
         {.bounds = at_least(0),
          .help = "k, of the joints' own stiffness (tables 2 and 3); table 1 has 0.005 to 0.2"});
  fields("friction", s.friction, {.bounds = above(0), .help = "that the plan counts on"});
  fields("reference_velocity", s.reference_velocity,
         {.help = "no: pins are damped towards rest, as eq. 8 is printed"});
  fields("hip_distance_gain", s.hip_distance_gain,
         {.unit = "rad/m",
          .help = "c_d of eq. 11: the swing hip against the root's distance from the support foot"});
  fields("hip_velocity_gain", s.hip_velocity_gain,
         {.unit = "rad s/m", .help = "c_v of eq. 11: likewise against its velocity"});
}

std::unique_ptr<Controller> make_controller(const McSimPaperSettings& settings, const ControllerTask& task) {
  require_free_root(*task.reference->actor(), "mcsim");
  McSimPaperSettings own = settings;
  own.friction *= task.friction;
  return std::make_unique<McSimPaperController>(own, task.reference);
}

VecX paper_stiffness(const Actor& actor) {
  const auto& joints = actor.joints();
  const bool pins_only = std::none_of(joints.begin(), joints.end(),
                                      [](const ActorJoint& j) { return j.type == JointType::ball; });
  std::vector<double> of_body(actor.bodies().size(), 3000.0);
  for (std::size_t i = 0; i < actor.bodies().size(); ++i) {
    if (actor.bodies()[i].parent >= 0) of_body[i] = of_body[actor.bodies()[i].parent];
    for (int role = 0; role < kRoleCount; ++role) {
      if (actor.body(static_cast<Role>(role)) == static_cast<int>(i))
        of_body[i] = table_stiffness(static_cast<Role>(role), pins_only);
    }
  }
  VecX stiffness = VecX::Zero(actor.nv());
  for (const ActorJoint& joint : joints) {
    if (joint.type != JointType::free)
      stiffness.segment(joint.v_address, joint.dofs).setConstant(of_body[joint.body]);
  }
  return stiffness;
}

McSimPaperController::McSimPaperController(const McSimPaperSettings& settings, ReferencePtr reference)
    : settings_(settings),
      reference_(std::move(reference)),
      actor_(reference_->actor()),
      dynamics_(actor_),
      planner_(*actor_),
      stiffness_(settings.pd_scale * paper_stiffness(*actor_)) {
  for (const bool left : {true, false}) {
    if (auto leg = find_leg(*actor_, left)) legs_.push_back(*leg);
  }
  error_ = desired_ = memory_.torque = VecX::Zero(actor_->nv());
  contacts_.reserve(32);
  timing_.microseconds.reserve(1 << 14);
}

void McSimPaperController::reset(const Observation& start) {
  memory_.next_plan = start.time;
  memory_.torque.setZero();
  timing_.microseconds.clear();
  timing_.relaxed = 0;
}

void McSimPaperController::actuate(const Observation& now, Actuation& out) {
  reference_->sample(now.time, target_);
  dynamics_.set_state(now.q, now.v);
  turn_swing_hip(now);
  difference(*actor_, now.q, target_.q, error_);
  if (now.time >= memory_.next_plan - 1e-9) {
    const auto begin = std::chrono::steady_clock::now();
    plan(now);
    timing_.microseconds.push_back(
        std::chrono::duration<float, std::micro>(std::chrono::steady_clock::now() - begin).count());
    memory_.next_plan = std::max(memory_.next_plan + 1 / settings_.plan_rate, now.time);
  }
  out.torque = memory_.torque;  // eq. 1
  if (settings_.pd_scale > 0) add_feedback(now, out.torque);
  out.torque.head<6>().setZero();
}

// Eq. 11, in the plane of the reference's heading. A foot is the swing foot while only the other one touches
// something.
void McSimPaperController::turn_swing_hip(const Observation& now) {
  if ((settings_.hip_distance_gain == 0 && settings_.hip_velocity_gain == 0) || legs_.size() != 2) return;
  bool touches[2] = {false, false};
  for (const ActorContact& contact : now.contacts) {
    for (int i = 0; i < 2; ++i) {
      touches[i] =
          touches[i] || (contact.support && (contact.body == legs_[i].foot || contact.body == legs_[i].toes));
    }
  }
  if (touches[0] == touches[1]) return;
  const Leg& support = legs_[touches[0] ? 0 : 1];
  const ActorBody& thigh = actor_->bodies()[legs_[touches[0] ? 1 : 0].thigh];
  const Quat pelvis = quat_from_wxyz(&target_.q[3]);
  const Quat turn = yaw_rotation(heading(pelvis));
  const Vec3 forward = turn * Vec3::UnitX(), left = turn * Vec3::UnitY();
  const double distance = forward.dot(now.q.head<3>() - dynamics_.body_position(support.foot));
  const double velocity = forward.dot(now.v.head<3>());
  const double flexion = settings_.hip_distance_gain * distance + settings_.hip_velocity_gain * velocity;
  const Quat base = pelvis * thigh.rest;
  for (int j = thigh.first_joint; j < thigh.first_joint + thigh.joint_count; ++j) {
    const ActorJoint& joint = actor_->joints()[j];
    const Vec3 axis = base.conjugate() * left;  // a turn about the left takes the knee back
    if (joint.type == JointType::hinge) target_.q[joint.q_address] -= flexion * joint.axis.dot(axis);
    if (joint.type == JointType::ball) {
      quat_to_wxyz(axis_angle(axis, -flexion) * quat_from_wxyz(&target_.q[joint.q_address]),
                   &target_.q[joint.q_address]);
    }
  }
}

void McSimPaperController::plan(const Observation& now) {
  // Eq. 4.
  const double k_os = settings_.stiffness, k_od = 2 * std::sqrt(k_os);
  desired_ = target_.a + k_os * error_ + k_od * (target_.v - now.v);
  desired_.head<3>() -= k_os * error_.head<3>();

  contacts_.clear();
  for (const ActorContact& contact : now.contacts) {
    if (!contact.support || !actor_->is_foot(contact.body)) continue;
    PlanContact corner{contact.body, contact.point};
    corner.normal = contact.normal;
    contacts_.push_back(corner);
  }
  const PlanResult& result = planner_.solve(dynamics_, desired_, settings_.friction, contacts_);
  if (!result.converged) ++timing_.relaxed;
  if (result.torque.allFinite()) memory_.torque = result.torque;
}

// Eq. 8 for pins, eq. 9 and 10 for ball joints; the ball's vectors are in the child's axes, its inertia in
// the world's.
void McSimPaperController::add_feedback(const Observation& now, VecX& torque) {
  for (std::size_t j = 0; j < actor_->joints().size(); ++j) {
    const ActorJoint& joint = actor_->joints()[j];
    const int at = joint.v_address;
    const double k = stiffness_[at];
    if (joint.type == JointType::hinge || joint.type == JointType::slide) {
      const double wanted = settings_.reference_velocity ? target_.v[at] : 0;
      torque[at] += k * error_[at] + 2 * std::sqrt(k) * (wanted - now.v[at]);
    } else if (joint.type == JointType::ball) {
      const Mat3 inertia = k * dynamics_.composite_inertia(static_cast<int>(j));
      const Quat axes = dynamics_.body_rotation(joint.body);
      const Vec3 spring = inertia * (axes * Vec3(error_.segment<3>(at)));
      const Vec3 damper = 2 * root(inertia) * (axes * Vec3((target_.v - now.v).segment<3>(at)));
      torque.segment<3>(at) += axes.conjugate() * (spring + damper);
    }
  }
}

}  // namespace stunt
