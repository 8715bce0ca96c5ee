#include "stunt/routine/aim.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>

namespace stunt {
namespace {

constexpr double kTrunk = 0.15;    // how willing the trunk is, the limb being 1
constexpr double kDamping = 0.02;  // m
constexpr double kArm = 0.3;       // m: an error of direction counts like one of place at this distance
constexpr int kRounds = 40;

// The trunk is what carries both hands.
bool carries(const Actor& actor, int body, Role limb) {
  for (int b = actor.body(limb); b >= 0; b = actor.bodies()[static_cast<std::size_t>(b)].parent) {
    if (b == body) return true;
  }
  return false;
}

void keep_limits(const Actor& actor, VecX& q) {
  for (const ActorJoint& joint : actor.joints()) {
    if (joint.type == JointType::hinge && joint.limited)
      q[joint.q_address] = std::clamp(q[joint.q_address], joint.lower, joint.upper);
  }
}

}  // namespace

Aim::Aim(ActorPtr actor)
    : dynamics_(actor), zero_(VecX::Zero(actor->nv())), willing_(VecX::Zero(actor->nv())) {}

double Aim::solve(const Strike& strike, const VecX& q, const Vec3& target, const Vec3& facing, VecX& offset) {
  const Actor& actor = dynamics_.actor();
  willing_.setZero();
  for (int b = strike.body; b >= 0; b = actor.bodies()[static_cast<std::size_t>(b)].parent) {
    const ActorBody& body = actor.bodies()[static_cast<std::size_t>(b)];
    const bool trunk = carries(actor, b, Role::left_hand) && carries(actor, b, Role::right_hand);
    for (int j = body.first_joint; j < body.first_joint + body.joint_count; ++j) {
      const ActorJoint& joint = actor.joints()[static_cast<std::size_t>(j)];
      if (joint.type == JointType::free) continue;
      willing_.segment(joint.v_address, joint.dofs).setConstant(trunk ? kTrunk : 1.0);
    }
  }
  q_ = q;
  const bool faces = !strike.spec.face.isZero() && !facing.isZero();
  Eigen::Matrix<double, 6, 1> error;
  Eigen::Matrix<double, 6, 6> A;
  double miss = 0;
  for (int round = 0;; ++round) {
    dynamics_.set_state(q_, zero_);
    const Vec3 place = dynamics_.point(strike.body, strike.point);
    error.head<3>() = target - place;
    error.tail<3>().setZero();
    miss = error.head<3>().norm();
    if (faces) {
      const Vec3 face = dynamics_.body_rotation(strike.body) * strike.spec.face.normalized();
      error.tail<3>() = kArm * face.cross(facing);
      if (face.dot(facing) < 0) error.tail<3>() = kArm * face.cross(facing).normalized();
    }
    if (round == kRounds || error.norm() < 1e-5) break;
    // Far targets are approached in steps that the Jacobian is good for.
    constexpr double kLongest = 0.1;
    if (error.norm() > kLongest) error *= kLongest / error.norm();
    dynamics_.point_jacobian(strike.body, place, place_);
    dynamics_.rotation_jacobian(strike.body, turn_);
    A.setZero();
    for (Eigen::Index i = 0; i < willing_.size(); ++i) {
      if (willing_[i] == 0) continue;
      Eigen::Matrix<double, 6, 1> column;
      column << place_.col(i), (faces ? kArm : 0.0) * turn_.col(i);
      A += willing_[i] * column * column.transpose();
    }
    A.diagonal().array() += kDamping * kDamping;
    const Eigen::Matrix<double, 6, 1> y = A.ldlt().solve(error);
    step_ = zero_;
    for (Eigen::Index i = 0; i < willing_.size(); ++i) {
      if (willing_[i] == 0) continue;
      step_[i] = willing_[i] *
                 (place_.col(i).dot(y.head<3>()) + (faces ? kArm : 0.0) * turn_.col(i).dot(y.tail<3>()));
    }
    integrate(actor, q_, step_, 1, offset);
    q_ = offset;
    keep_limits(actor, q_);
  }
  difference(actor, q, q_, offset);
  for (Eigen::Index i = 0; i < willing_.size(); ++i) {
    if (willing_[i] == 0) offset[i] = 0;
  }
  return miss;
}

double Aim::reach_for(const Strike& strike, const GroundTransform& place, const VecX& q, const Vec3& target,
                      Vec3 facing, bool either_side, VecX& offset) {
  Vec3 way = place.inverse().apply(target) - strike.place;
  double short_by = 0;
  if (way.norm() > strike.spec.reach) {
    short_by = way.norm() - strike.spec.reach;
    way *= strike.spec.reach / way.norm();
  }
  if (either_side && facing.dot(yaw_rotation(place.yaw) * strike.face) < 0) facing = -facing;
  const Vec3 wanted = place.apply(strike.place + way - strike.axes() * strike.spec.miss);
  return short_by + solve(strike, q, wanted, facing, offset);
}

}  // namespace stunt
