#include "stunt/reference/legs/leg.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>

#include "stunt/reference/cleanup/filter.h"

namespace stunt {
namespace {

// A contact point in the foot's axes (m), with the toes at rest.
Vec3 in_foot(const Actor& actor, const Leg& leg, int point) {
  const ContactPoint& p = actor.contact_points()[point];
  const ActorBody& body = actor.bodies()[p.body];
  return p.body == leg.foot ? p.position : Vec3(body.offset + body.rest * p.position);
}

}  // namespace

std::optional<Leg> find_leg(const Actor& actor, bool left) {
  Leg leg;
  leg.left = left;
  leg.thigh = actor.body(left ? Role::left_thigh : Role::right_thigh);
  leg.shank = actor.body(left ? Role::left_shank : Role::right_shank);
  leg.foot = actor.body(left ? Role::left_foot : Role::right_foot);
  leg.toes = actor.body(left ? Role::left_toes : Role::right_toes);
  if (leg.thigh < 0 || leg.shank < 0 || leg.foot < 0) return std::nullopt;
  for (const int body : {leg.thigh, leg.shank, leg.foot}) {
    const ActorBody& b = actor.bodies()[body];
    for (int j = b.first_joint; j < b.first_joint + b.joint_count; ++j) {
      for (int i = 0; i < actor.joints()[j].dofs; ++i) leg.dofs.push_back(actor.joints()[j].v_address + i);
    }
  }
  leg.length = actor.bodies()[leg.shank].offset.norm() + actor.bodies()[leg.foot].offset.norm();

  const auto& points = actor.contact_points();
  const bool has_toes = leg.toes >= 0;
  const auto place = [&](int i) { return in_foot(actor, leg, i); };
  std::vector<int> on_foot, on_toes;
  for (int i = 0; i < static_cast<int>(points.size()); ++i) {
    if (points[i].body == leg.foot) on_foot.push_back(i);
    if (has_toes && points[i].body == leg.toes) on_toes.push_back(i);
  }
  if (on_foot.size() < 2) return std::nullopt;
  const auto mean_of = [&](const std::vector<int>& of) {
    Vec3 sum = Vec3::Zero();
    for (const int i : of) sum += place(i);
    return Vec3(sum / static_cast<double>(std::max<std::size_t>(of.size(), 1)));
  };
  // Those nearer to the ankle than to the toes are the heel. The ball is in front of it on the foot or,
  // better for rolling over the toes, at the rear of the toes.
  const Vec3 way = has_toes ? Vec3(actor.bodies()[leg.toes].offset) : mean_of(on_foot);
  const double middle = has_toes ? 0.5 * way.norm() : way.norm();
  for (const int i : on_foot) (place(i).dot(way.normalized()) < middle ? leg.heel : leg.ball).push_back(i);
  const Vec3 mean_toes = mean_of(on_toes);
  const bool ball_on_toes = leg.ball.empty();
  for (const int i : on_toes) {
    const bool rear = (place(i) - mean_toes).dot(way) < 0;
    (ball_on_toes && rear ? leg.ball : leg.tip).push_back(i);
  }
  if (leg.heel.empty() || leg.ball.empty()) return std::nullopt;

  // Normal of the sole: the direction in which heel and ball spread least. Forward is where the toes are or,
  // without toes, the longer way.
  std::vector<int> sole = leg.heel;
  sole.insert(sole.end(), leg.ball.begin(), leg.ball.end());
  const Vec3 mean = mean_of(sole);
  Mat3 spread = Mat3::Zero();
  for (const int i : sole) spread += (place(i) - mean) * (place(i) - mean).transpose();
  const Eigen::SelfAdjointEigenSolver<Mat3> axes(spread);
  leg.sole_normal = axes.eigenvectors().col(0);
  if (leg.sole_normal.dot(mean) > 0) leg.sole_normal *= -1;  // the ankle is above the sole
  Vec3 ahead = has_toes ? way : mean;
  ahead -= leg.sole_normal * leg.sole_normal.dot(ahead);
  leg.forward = ahead.normalized();
  if (leg.toes >= 0 && actor.bodies()[leg.toes].joint_count == 1) {
    const ActorBody& toes = actor.bodies()[leg.toes];
    const ActorJoint& joint = actor.joints()[toes.first_joint];
    const bool hinge = joint.type == JointType::hinge;
    if (hinge || joint.type == JointType::ball) leg.toe_joint = toes.first_joint;
    leg.toe_axis = hinge ? joint.axis : Vec3(toes.rest.conjugate() * leg.sole_normal.cross(leg.forward));
  }
  return leg;
}

Quat level_foot(const Leg& leg, double yaw, double pitch) {
  Mat3 here;
  here << leg.forward, leg.sole_normal.cross(leg.forward), leg.sole_normal;
  const Quat tilt = axis_angle(Vec3::UnitY(), -pitch);  // about the left side: toes up
  return (yaw_rotation(yaw) * tilt * Quat(Mat3(here.transpose()))).normalized();
}

double ankle_height(const Actor& actor, const Leg& leg) {
  double lowest = 0;
  for (const auto* group : {&leg.heel, &leg.ball}) {
    for (const int i : *group) {
      lowest =
          std::min(lowest, leg.sole_normal.dot(in_foot(actor, leg, i)) - actor.contact_points()[i].radius);
    }
  }
  return -lowest;
}

void bend_toes(const Actor& actor, const Leg& leg, double angle, VecX& q) {
  if (leg.toe_joint < 0) return;
  const ActorJoint& joint = actor.joints()[leg.toe_joint];
  if (joint.type == JointType::hinge) {
    q[joint.q_address] = angle;
  } else {
    quat_to_wxyz(axis_angle(leg.toe_axis, angle), &q[joint.q_address]);
  }
}

double reach(ActorDynamics& dynamics, const Leg& leg, const Vec3& foot_position, const Quat& foot_rotation,
             VecX& q) {
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
    error.head<3>() = foot_position - position;
    error.tail<3>() = kRotationWeight * log_map(foot_rotation * dynamics.body_rotation(leg.foot).conjugate());
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

double hip_drop(const Vec3& hip, const Vec3& foot, double length) {
  constexpr double kStretch =
      0.997;  // of the full length: a knee locked straight has no way to follow smoothly
  const Vec3 way = foot - hip;
  const double reachable = kStretch * length;
  if (way.norm() <= reachable) return 0;
  const double flat = way.head<2>().squaredNorm();  // |way + (0, 0, drop)| = reachable
  if (flat >= reachable * reachable) return std::max(0.0, -way.z());
  return std::max(0.0, -way.z() - std::sqrt(reachable * reachable - flat));
}

void smooth_drop(std::vector<double>& drop, double rate_hz) {
  constexpr double kWindow = 0.08, kCutoff = 5;  // s, Hz
  const int n = static_cast<int>(drop.size()), window = static_cast<int>(kWindow * rate_hz);
  std::vector<double> wide(n);
  for (int i = 0; i < n; ++i) {
    wide[i] =
        *std::max_element(drop.begin() + std::max(0, i - window), drop.begin() + std::min(n, i + window + 1));
  }
  low_pass(wide, rate_hz, kCutoff);
  for (int i = 0; i < n; ++i) drop[i] = std::max(0.0, wide[i]);
}

}  // namespace stunt
