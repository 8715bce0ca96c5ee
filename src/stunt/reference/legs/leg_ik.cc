#include "stunt/reference/legs/leg_ik.h"

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
  if (thigh.joint_count != 1 || hip_joint.type != JointType::ball || shank.joint_count != 1 ||
      knee.type != JointType::hinge || foot.joint_count < 1 || foot.joint_count > 3) {
    return false;
  }

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
  Mat3 axes = Mat3::Identity();
  Vec3 near = Vec3::Zero();
  const ActorJoint* ankles = &actor.joints()[foot.first_joint];
  if (ankles[0].type != JointType::hinge) {
    if (ankles[0].type == JointType::ball) quat_to_wxyz(turn, &q[ankles[0].q_address]);
    return ankles[0].type == JointType::ball;
  }
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

}  // namespace stunt
