#include "stunt/reference/retarget/anatomy.h"

#include <algorithm>
#include <utility>

#include "stunt/core/error.h"
#include "stunt/reference/legs/leg.h"

namespace stunt {
namespace {

// Parts that follow the rest pose as a whole: how a file draws its spine and collar bones says nothing about
// posture.
bool is_trunk(Role role) {
  return role <= Role::head || role == Role::left_clavicle || role == Role::right_clavicle;
}
bool is_leg(Role role) { return role >= Role::left_thigh; }
bool is_left(Role role) {
  return (role >= Role::left_clavicle && role <= Role::left_hand) ||
         (role >= Role::left_thigh && role <= Role::left_toes);
}

// The next part towards the tip of the limb.
std::optional<Role> next_in_limb(Role role) {
  if (is_trunk(role) || role == Role::left_hand || role == Role::right_hand || role == Role::left_toes ||
      role == Role::right_toes) {
    return std::nullopt;
  }
  return static_cast<Role>(static_cast<int>(role) + 1);
}

// The part whose hinge says how a limb bends: the knee or the elbow.
Role bends_at(Role role) {
  if (is_leg(role)) return is_left(role) ? Role::left_shank : Role::right_shank;
  return is_left(role) ? Role::left_forearm : Role::right_forearm;
}

Vec3 across(const Vec3& v, const Vec3& along) { return v - along * along.dot(v); }

Vec3 joint_of(ActorDynamics& dynamics, Role role) {
  return joint_position(dynamics, dynamics.actor().body(role));
}

// Unit, in the world, in the pose that `dynamics` has.
struct BodyAxes {
  Vec3 left, up, forward;
};

// Left from hip to hip, up from the ankles to the top of the trunk, forward from both.
BodyAxes body_axes(ActorDynamics& dynamics) {
  const Vec3 left =
      (joint_of(dynamics, Role::left_thigh) - joint_of(dynamics, Role::right_thigh)).normalized();
  Vec3 top = dynamics.com();
  for (const Role role : {Role::chest, Role::neck, Role::head}) {
    if (dynamics.actor().body(role) >= 0) top = joint_of(dynamics, role);
  }
  const Vec3 ankles = 0.5 * (joint_of(dynamics, Role::left_foot) + joint_of(dynamics, Role::right_foot));
  const Vec3 up = across(top - ankles, left).normalized();
  return {left, up, left.cross(up)};
}

// Of a part of an arm or leg, in the world.
std::pair<Vec3, Vec3> limb_along_and_side(ActorDynamics& dynamics, const BodyAxes& axes, Role role) {
  const Actor& actor = dynamics.actor();
  const int body = actor.body(role);
  const auto next = next_in_limb(role);
  const bool continues = next && actor.body(*next) >= 0;
  const Vec3 tip = continues ? joint_of(dynamics, *next) : dynamics.point(body, actor.bodies()[body].com);
  const Vec3 along = (tip - joint_position(dynamics, body)).normalized();
  // Knees bend about left; an elbow brings the hand forward, from any rest pose of the arm.
  Vec3 side = is_leg(role) ? axes.left : Vec3(along.cross(axes.forward));
  if (side.norm() < 0.3) side = along.cross(axes.up);
  side = across(side, along).normalized();
  const int hinge_body = actor.body(bends_at(role));
  if (const auto axis = hinge_body >= 0 ? bending_axis(actor, hinge_body) : std::nullopt) {
    const Vec3 bends = across(dynamics.body_rotation(hinge_body) * *axis, along);
    if (bends.norm() > 0.5 && bends.normalized().dot(side) > 0.3) side = bends.normalized();
  }
  return {along, side};
}

}  // namespace

Quat SegmentAxes::frame() const {
  Mat3 axes;
  axes << along, side, along.cross(side);
  return Quat(axes);
}

Vec3 joint_position(ActorDynamics& dynamics, int body) {
  const ActorBody& b = dynamics.actor().bodies()[body];
  if (b.joint_count == 0) return dynamics.body_position(body);
  const ActorJoint& joint = dynamics.actor().joints()[b.first_joint];
  return joint.type == JointType::free ? dynamics.body_position(body) : dynamics.point(body, joint.anchor);
}

Vec3 hip_centre(ActorDynamics& dynamics) {
  return 0.5 * (joint_position(dynamics, dynamics.actor().body(Role::left_thigh)) +
                joint_position(dynamics, dynamics.actor().body(Role::right_thigh)));
}

std::optional<Vec3> bending_axis(const Actor& actor, int body) {
  const ActorBody& b = actor.bodies()[body];
  if (b.joint_count != 1) return std::nullopt;
  const ActorJoint& joint = actor.joints()[b.first_joint];
  if (joint.type != JointType::hinge) return std::nullopt;
  const bool backwards = joint.limited && -joint.lower > joint.upper;
  return backwards ? Vec3(-joint.axis) : joint.axis;
}

Anatomy::Anatomy(const ActorPtr& actor_ptr) {
  const Actor& actor = *actor_ptr;
  const auto left_leg = find_leg(actor, true), right_leg = find_leg(actor, false);
  if (!left_leg || !right_leg) {
    throw InputError("character '" + actor.name() + "'", "no two legs with feet that can touch the ground",
                     "bodies named left_thigh, left_shank, left_foot, right_thigh, ... or the like");
  }
  ActorDynamics dynamics(actor_ptr);
  dynamics.set_state(actor.rest_q(), VecX::Zero(actor.nv()));
  const BodyAxes axes = body_axes(dynamics);

  for (int r = 0; r < kRoleCount; ++r) {
    const Role role = static_cast<Role>(r);
    const int body = actor.body(role);
    const auto taken = [&](const SegmentAxes& s) { return s.body == body; };
    if (body < 0 || std::any_of(segments.begin(), segments.end(), taken)) continue;
    const Quat to_body = dynamics.body_rotation(body).conjugate();
    SegmentAxes segment{role, body, to_body * axes.up, to_body * axes.left};
    const Leg& leg = is_left(role) ? *left_leg : *right_leg;
    if (is_leg(role) && (body == leg.foot || body == leg.toes)) {
      // Toes are straight where they go on with the sole, as they do in the rest pose.
      const Quat from_foot = to_body * dynamics.body_rotation(leg.foot);
      segment.along = from_foot * leg.forward;
      segment.side = from_foot * leg.sole_normal.cross(leg.forward);
    } else if (!is_trunk(role)) {
      const auto [along, side] = limb_along_and_side(dynamics, axes, role);
      segment.along = to_body * along;
      segment.side = to_body * side;
    }
    segments.push_back(segment);
  }
  std::sort(segments.begin(), segments.end(),
            [](const SegmentAxes& a, const SegmentAxes& b) { return a.body < b.body; });

  leg_length = ankle_height = 0;
  for (const Leg* leg : {&*left_leg, &*right_leg}) {
    leg_length += 0.5 * leg->length;
    ankle_height += 0.5 * stunt::ankle_height(actor, *leg);
  }
}

const SegmentAxes* Anatomy::find(Role role) const {
  for (const SegmentAxes& segment : segments) {
    if (segment.role == role) return &segment;
  }
  return nullptr;
}

}  // namespace stunt
