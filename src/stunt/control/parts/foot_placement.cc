#include "stunt/control/parts/foot_placement.h"

#include <algorithm>
#include <cmath>

#include "stunt/core/easing.h"
#include "stunt/reference/legs/leg_ik.h"

namespace stunt {
namespace {

// x goes to `goal` critically damped: the exact solution of x'' = rate^2 (goal - x) - 2 rate x'.
void glide(double& x, double& speed, double goal, double rate, double dt) {
  const double fade = std::exp(-rate * dt), away = x - goal, b = speed + rate * away;
  x = goal + (away + b * dt) * fade;
  speed = (speed - rate * dt * b) * fade;
}

// Sideways the swinging foot comes down at the reference's distance from the standing one, plus `place`, plus its shift.
void keep_apart(const TrackedBody& body, std::span<const Foot> feet, std::size_t i, double yaw, double place,
                double apart, double& shift) {
  const double side = feet[i].leg.left ? 1 : -1;
  for (std::size_t j = 0; j < feet.size(); ++j) {
    if (j == i || !feet[j].stance) continue;
    const Vec3 between =
        body.reference.body_position(feet[i].leg.foot) - body.reference.body_position(feet[j].leg.foot);
    const double theirs = side * (yaw_rotation(-yaw) * between).y();
    shift = side * std::max(side * shift, std::min(apart, theirs) - theirs - side * place);
  }
}

}  // namespace

FootPlacement::FootPlacement(const Actor& actor)
    : joint_move_(VecX::Zero(actor.nv())),
      joint_speed_(VecX::Zero(actor.nv())),
      unmoved_q_(actor.rest_q()),
      change_(VecX::Zero(actor.nv())) {}

void FootPlacement::update(const TrackedBody& body, std::span<const Foot> feet,
                           const FootPlacementSettings& settings) {
  const double dt = 1 / body.rate;
  const double yaw = heading(quat_from_wxyz(&body.target.q[3]));
  for (const Foot& foot : feet) {
    if (!foot.stance) continue;
    const Vec3 ours = body.ours.com() - body.ours.body_position(foot.leg.foot);
    const Vec3 theirs = body.reference.com() - body.reference.body_position(foot.leg.foot);
    away_ = ours - theirs;
  }
  for (std::size_t i = 0; i < feet.size(); ++i) {
    const Foot& foot = feet[i];
    Move& move = moves_[i];
    Vec3 wanted = Vec3::Zero();
    if (settings.shift && !foot.stance) {
      const Vec3 place = yaw_rotation(-yaw) * away_;
      const Vec3 rate = yaw_rotation(-yaw) * Vec3(-body.com_rate);
      wanted.x() = settings.forward_velocity_gain * rate.x() + settings.forward_position_gain * place.x();
      wanted.y() = settings.sideways_velocity_gain * rate.y() + settings.sideways_position_gain * place.y();
      wanted.z() = 0;
      if (wanted.norm() > settings.largest) wanted *= settings.largest / wanted.norm();
      if (settings.apart > 0) keep_apart(body, feet, i, yaw, place.y(), settings.apart, wanted.y());
      wanted = yaw_rotation(yaw) * wanted;
    }
    if (!foot.stance) wanted += foot.nudge;
    const double sag = std::max(0.0, body.target.q[2] - body.now.q[2]);
    const double settled = settings.settling > 0 ? smooth_step(foot.lands_in / settings.settling) : 1;
    const double lift =
        settings.lift && !foot.stance && !foot.lands_soon ? (settings.clearance + sag) * settled : 0;
    if (foot.stance) {
      move.shift += approach(dt, settings.return_time) * (wanted - move.shift);
      move.shift_speed.setZero();
    } else {
      for (int axis = 0; axis < 3; ++axis)
        glide(move.shift[axis], move.shift_speed[axis], wanted[axis], settings.shift_rate, dt);
    }
    glide(move.lift, move.lift_speed, lift, settings.lift_rate, dt);
    move.lift = std::max(0.0, move.lift);
  }
}

double FootPlacement::detour(std::size_t i) const {
  constexpr double kFar = 0.2;  // m
  return smooth_step(moves_[i].shift.norm() / kFar);
}

void FootPlacement::put_foot(std::size_t i, const Leg& leg, const TrackedBody& body,
                             const FootPlacementSettings& settings) {
  constexpr double kSpeedFilter = 0.02;  // s: inverse kinematics near a straight knee is jumpy
  const double dt = 1 / body.rate;
  const Vec3 move = moves_[i].shift + Vec3(0, 0, moves_[i].lift);
  const bool moves = move.squaredNorm() > 1e-8;
  if (moves) {
    const Actor& actor = body.ours.actor();
    unmoved_q_ = body.target.q;
    place_foot(actor, leg, body.reference.body_position(leg.thigh),
               body.reference.body_rotation(actor.bodies()[leg.thigh].parent),
               body.reference.body_position(leg.foot) + move, body.reference.body_rotation(leg.foot),
               body.target.q);
    difference(actor, unmoved_q_, body.target.q, change_);
  }
  for (const int dof : leg.dofs) {
    const double joint = moves ? change_[dof] : 0;
    const double speed = moves_[i].put ? (joint - joint_move_[dof]) / dt : 0;
    joint_speed_[dof] += approach(dt, kSpeedFilter) * (speed - joint_speed_[dof]);
    joint_move_[dof] = joint;
    body.target.v[dof] += settings.joint_speed * joint_speed_[dof];
  }
  moves_[i].put = true;
}

}  // namespace stunt
