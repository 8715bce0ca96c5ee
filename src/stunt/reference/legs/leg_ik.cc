#include "stunt/reference/legs/leg_ik.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>

#include "stunt/actor/fit/hinges.h"

namespace stunt {

bool place_foot(const Actor& actor, const Leg& leg, const Vec3& hip, const Quat& pelvis,
                const Vec3& foot_position, const Quat& foot_rotation, VecX& q) {
  const ActorBody& thigh = actor.bodies()[leg.thigh];
  const ActorBody& shank = actor.bodies()[leg.shank];
  const ActorBody& foot = actor.bodies()[leg.foot];
  const ActorJoint& hip_joint = actor.joints()[thigh.first_joint];
  const ActorJoint& knee = actor.joints()[shank.first_joint];
  const ActorJoint* ankles = &actor.joints()[foot.first_joint];
  if (thigh.joint_count != 1 || hip_joint.type != JointType::ball || shank.joint_count != 1 ||
      knee.type != JointType::hinge || foot.joint_count < 1 || foot.joint_count > 3) {
    return false;
  }
  const bool ball_ankle = foot.joint_count == 1 && ankles->type == JointType::ball;
  const bool hinge_ankle = std::all_of(ankles, ankles + foot.joint_count, [](const ActorJoint& joint) {
    return joint.type == JointType::hinge;
  });
  if (!ball_ankle && !hinge_ankle) return false;

  // Knee: |hip to ankle|^2 = c0 + c1 cos(angle) + c2 sin(angle), on the side of straight that it
  // bends to: a captured knee that goes a little beyond straight would else jump from one side to the other.
  const Vec3 axis = shank.rest * knee.axis;
  const Vec3 k = shank.offset, a = shank.rest * foot.offset;
  const double along = k.dot(axis) * a.dot(axis);
  const double c1 = 2 * (k.dot(a) - along), c2 = 2 * k.dot(axis.cross(a));
  const double c0 = k.squaredNorm() + a.squaredNorm() + 2 * along;
  const double size = std::hypot(c1, c2), straight = std::atan2(c2, c1);
  const Vec3 way = foot_position - hip;
  const double shortest = 0.3 * (k.norm() + a.norm());
  const double far = std::max(way.norm(), shortest);
  const double bend = std::acos(std::clamp((far * far - c0) / size, -1.0, 1.0));
  const double side = (knee.limited ? 0.5 * (knee.lower + knee.upper) : q[knee.q_address]) - straight;
  double angle = straight + (std::remainder(side, 2 * kPi) < 0 ? -bend : bend);
  if (knee.limited) angle = std::clamp(angle, knee.lower, knee.upper);

  // Thigh: the shortest turn that points the ankle at the target.
  const Vec3 ankle = k + axis_angle(axis, angle) * a;  // in the thigh's axes
  const Quat thigh_now = pelvis * thigh.rest * quat_from_wxyz(&q[hip_joint.q_address]);
  const Quat thigh_new = rotation_between(thigh_now * ankle, way) * thigh_now;
  const Quat hip_new = (pelvis * thigh.rest).conjugate() * thigh_new;
  quat_to_wxyz(same_hemisphere(hip_new.normalized(), quat_from_wxyz(&q[hip_joint.q_address])),
               &q[hip_joint.q_address]);
  q[knee.q_address] = angle;

  // Ankle: what remains to the wanted foot.
  const Quat shank_new = thigh_new * shank.rest * axis_angle(knee.axis, angle);
  const Quat turn = (shank_new * foot.rest).conjugate() * foot_rotation;
  if (ball_ankle) {
    quat_to_wxyz(turn, &q[ankles->q_address]);
    return true;
  }
  Mat3 axes = Mat3::Identity();
  Vec3 near = Vec3::Zero();
  for (int i = 0; i < foot.joint_count; ++i) {
    axes.col(i) = ankles[i].axis;
    near[i] = q[ankles[i].q_address];
  }
  if (foot.joint_count == 1) axes.col(1) = ankles[0].axis.unitOrthogonal();
  if (foot.joint_count <= 2) axes.col(2) = axes.col(0).cross(axes.col(1));
  const double handed = axes.determinant() < 0 ? -1 : 1;  // hinge_angles wants right-handed axes
  axes.col(2) *= handed;
  Vec3 angles = hinge_angles(turn, axes, Vec3(near[0], near[1], handed * near[2]));
  angles[2] *= handed;
  for (int i = 0; i < foot.joint_count; ++i) {
    double value = unwrap(angles[i], near[i]);
    if (ankles[i].limited) value = std::clamp(value, ankles[i].lower, ankles[i].upper);
    q[ankles[i].q_address] = value;
  }
  return true;
}

double reach(ActorDynamics& dynamics, const Leg& leg, const FootPose& target, VecX& q) {
  constexpr int kIterations = 12;
  constexpr double kRotationWeight = 0.2;  // m per rad: a foot's length
  constexpr double kDamping = 1e-6, kClose = 1e-5;
  const Actor& actor = dynamics.actor();
  const int n = static_cast<int>(leg.dofs.size());
  static thread_local Jacobian position_jacobian, rotation_jacobian;
  VecX velocity = VecX::Zero(actor.nv());
  const VecX rest = VecX::Zero(actor.nv());
  Eigen::Matrix<double, 6, Eigen::Dynamic> J(6, n);
  Eigen::Matrix<double, 6, 1> error;
  double distance = 0;
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    dynamics.set_state(q, rest);
    const Vec3 position = dynamics.body_position(leg.foot);
    error.head<3>() = target.position - position;
    error.tail<3>() =
        kRotationWeight * log_map(target.rotation * dynamics.body_rotation(leg.foot).conjugate());
    distance = error.head<3>().norm();
    if (error.norm() < kClose) break;
    dynamics.point_jacobian(leg.foot, position, position_jacobian);
    dynamics.rotation_jacobian(leg.foot, rotation_jacobian);
    for (int i = 0; i < n; ++i) {
      J.block<3, 1>(0, i) = position_jacobian.col(leg.dofs[i]);
      J.block<3, 1>(3, i) = kRotationWeight * rotation_jacobian.col(leg.dofs[i]);
    }
    Eigen::Matrix<double, 6, 6> normal = J * J.transpose();
    normal.diagonal().array() += kDamping * (1 + 100 * error.squaredNorm());
    VecX step = J.transpose() * normal.ldlt().solve(error);
    const double largest = step.cwiseAbs().maxCoeff();
    if (largest > 0.3) step *= 0.3 / largest;
    velocity.setZero();
    for (int i = 0; i < n; ++i) velocity[leg.dofs[i]] = step[i];
    mj_integratePos(&actor.model(), q.data(), velocity.data(), 1.0);
  }
  return distance;
}

void put_foot(ActorDynamics& dynamics, const Leg& leg, const FootPose& target, VecX& q, AtLimits at_limits) {
  const Actor& actor = dynamics.actor();
  dynamics.set_state(q, VecX::Zero(actor.nv()));
  const Quat above = dynamics.body_rotation(actor.bodies()[leg.thigh].parent);
  const bool placed =
      place_foot(actor, leg, dynamics.body_position(leg.thigh), above, target.position, target.rotation, q);
  if (!placed || at_limits == AtLimits::go_on) reach(dynamics, leg, target, q);
}

}  // namespace stunt
