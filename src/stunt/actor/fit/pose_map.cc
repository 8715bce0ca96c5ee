#include "stunt/actor/fit/pose_map.h"

#include "stunt/actor/fit/hinges.h"

namespace stunt {
namespace {

constexpr double kExactHinge = 1e-3;  // rad

// The rotation that the joints between two bodies add up to, without the lower body's own joint.
Quat above_joint(const Skeleton& skeleton, const Pose& pose, int joint, int ancestor) {
  Quat total = Quat::Identity();
  for (int i = skeleton.joints[joint].parent; i != ancestor; i = skeleton.joints[i].parent) {
    total = pose.rotations[i] * total;
  }
  return total;
}

void hinges_to_q(const Actor& actor, const ActorBody& body, const Quat& turn, VecX& q) {
  const ActorJoint* joints = &actor.joints()[body.first_joint];
  if (body.joint_count == 1) {
    double& angle = q[joints[0].q_address];
    angle = unwrap(twist_angle(turn, joints[0].axis), angle);
    return;
  }
  Mat3 axes;
  axes << joints[0].axis, joints[1].axis, joints[0].axis.cross(joints[1].axis);
  Vec3 near = Vec3::Zero();
  for (int j = 0; j < body.joint_count; ++j) near[j] = q[joints[j].q_address];
  const Vec3 angles = hinge_angles(turn, axes, near);
  for (int j = 0; j < body.joint_count; ++j) q[joints[j].q_address] = angles[j];
}

// Knees and elbows with a single hinge whose capture does more than bend: the upper body takes the twist that
// points the lower one where it was captured. Rotations of the bodies in the world, changed in place.
void bend_about_hinges(const Actor& actor, const VecX& q, std::vector<Quat>& world) {
  for (const Role role : {Role::left_shank, Role::right_shank, Role::left_forearm, Role::right_forearm}) {
    const int index = actor.body(role);
    if (index < 0 || actor.bodies()[index].joint_count != 1) continue;
    const ActorBody& lower = actor.bodies()[index];
    const ActorJoint& hinge = actor.joints()[lower.first_joint];
    const ActorJoint& above = actor.joints()[actor.bodies()[lower.parent].first_joint];
    if (hinge.type != JointType::hinge || above.type != JointType::ball) continue;
    const Quat turn = lower.rest.conjugate() * world[lower.parent].conjugate() * world[index];
    const double angle = twist_angle(turn, hinge.axis);
    if (angle_between(turn, axis_angle(hinge.axis, angle)) < kExactHinge) continue;
    const ActorBody* child = nullptr;
    for (const ActorBody& body : actor.bodies()) {
      if (body.parent == index && (!child || body.offset.norm() > child->offset.norm())) child = &body;
    }
    if (!child || child->offset.norm() < 1e-3) continue;
    const HingedLimb limb{lower.offset.normalized(), lower.rest, hinge.axis, child->offset.normalized()};
    const LimbSetting set = set_limb(limb, lower.rest * turn * limb.lower, unwrap(angle, q[hinge.q_address]));
    world[lower.parent] = (world[lower.parent] * axis_angle(limb.upper, set.twist)).normalized();
    world[index] = (world[lower.parent] * lower.rest * axis_angle(hinge.axis, set.angle)).normalized();
  }
}

}  // namespace

void clip_to_q(const FittedActor& fitted, const Clip& clip, const Pose& pose, VecX& q) {
  const Actor& actor = *fitted.actor;
  if (q.size() != actor.nq()) q = actor.rest_q();
  JointTransforms world;
  forward_kinematics(clip.skeleton, pose, world);
  std::vector<Quat> turned;
  for (const int joint : fitted.clip_joint) turned.push_back(world.rotations[joint]);
  bend_about_hinges(actor, q, turned);
  for (std::size_t i = 0; i < actor.bodies().size(); ++i) {
    const ActorBody& body = actor.bodies()[i];
    const int joint = fitted.clip_joint[i];
    const ActorJoint& first = actor.joints()[body.first_joint];
    const auto write_quat = [&](const Quat& value, double* at) {
      quat_to_wxyz(same_hemisphere(value.normalized(), quat_from_wxyz(at)), at);
    };
    if (first.type == JointType::free) {
      q.segment<3>(first.q_address) = world.positions[joint];
      write_quat(turned[i], &q[first.q_address + 3]);
      continue;
    }
    const Quat turn = body.rest.conjugate() * turned[body.parent].conjugate() * turned[i];
    if (first.type == JointType::ball)
      write_quat(turn, &q[first.q_address]);
    else
      hinges_to_q(actor, body, turn, q);
  }
}

Pose q_to_pose(const FittedActor& fitted, const Clip& clip, const VecX& q, const Pose& source_pose) {
  const Actor& actor = *fitted.actor;
  Pose pose = source_pose;
  for (std::size_t i = 0; i < actor.bodies().size(); ++i) {
    const ActorBody& body = actor.bodies()[i];
    const int joint = fitted.clip_joint[i];
    if (body.parent < 0) continue;
    Quat turn = body.rest;
    for (int j = body.first_joint; j < body.first_joint + body.joint_count; ++j) {
      const ActorJoint& at = actor.joints()[j];
      turn = turn * (at.type == JointType::ball ? quat_from_wxyz(&q[at.q_address]).normalized()
                                                : axis_angle(at.axis, q[at.q_address]));
    }
    const Quat above = above_joint(clip.skeleton, pose, joint, fitted.clip_joint[body.parent]);
    pose.rotations[joint] = (above.conjugate() * turn).normalized();
  }
  // The floating body may lie below the skeleton's root: the root is put where the joints in between lead to
  // it.
  const int joint = fitted.clip_joint[0];
  const Quat rotation = quat_from_wxyz(&q[3]).normalized();
  if (joint == 0) {
    pose.root_position = q.head<3>();
    pose.rotations[0] = rotation;
  } else {
    const Quat below_root = above_joint(clip.skeleton, pose, joint, 0) * pose.rotations[joint];
    pose.rotations[0] = (rotation * below_root.conjugate()).normalized();
    pose.root_position.setZero();
    JointTransforms world;
    forward_kinematics(clip.skeleton, pose, world);
    pose.root_position = q.head<3>() - world.positions[joint];
  }
  return pose;
}

}  // namespace stunt
