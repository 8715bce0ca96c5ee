#include "stunt/reference/legs/leg.h"

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

Vec3 mean_in_foot(const Actor& actor, const Leg& leg, const std::vector<int>& points) {
  Vec3 sum = Vec3::Zero();
  for (const int i : points) sum += in_foot(actor, leg, i);
  return Vec3(sum / static_cast<double>(std::max<std::size_t>(points.size(), 1)));
}

// Fills dofs and length.
void measure_chain(const Actor& actor, Leg& leg) {
  for (const int body : {leg.thigh, leg.shank, leg.foot}) {
    const ActorBody& b = actor.bodies()[body];
    for (int j = b.first_joint; j < b.first_joint + b.joint_count; ++j) {
      for (int i = 0; i < actor.joints()[j].dofs; ++i) leg.dofs.push_back(actor.joints()[j].v_address + i);
    }
  }
  leg.length = actor.bodies()[leg.shank].offset.norm() + actor.bodies()[leg.foot].offset.norm();
}

// Sorts the contact points of foot and toes into heel, ball and tip; returns the direction from the ankle to
// the front, in the foot's axes.
Vec3 sort_contact_points(const Actor& actor, Leg& leg) {
  const auto& points = actor.contact_points();
  const bool has_toes = leg.toes >= 0;
  std::vector<int> on_foot, on_toes;
  for (int i = 0; i < static_cast<int>(points.size()); ++i) {
    if (points[i].body == leg.foot) on_foot.push_back(i);
    if (has_toes && points[i].body == leg.toes) on_toes.push_back(i);
  }
  if (on_foot.size() < 2) return Vec3::Zero();
  // Those nearer to the ankle than to the toes are the heel. The ball is in front of it on the foot or,
  // better for rolling over the toes, at the rear of the toes.
  const Vec3 way = has_toes ? Vec3(actor.bodies()[leg.toes].offset) : mean_in_foot(actor, leg, on_foot);
  const double middle = has_toes ? 0.5 * way.norm() : way.norm();
  for (const int i : on_foot) {
    (in_foot(actor, leg, i).dot(way.normalized()) < middle ? leg.heel : leg.ball).push_back(i);
  }
  const Vec3 mean_toes = mean_in_foot(actor, leg, on_toes);
  const bool ball_on_toes = leg.ball.empty();
  for (const int i : on_toes) {
    const bool rear = (in_foot(actor, leg, i) - mean_toes).dot(way) < 0;
    (ball_on_toes && rear ? leg.ball : leg.tip).push_back(i);
  }
  return way;
}

// Normal of the sole: the direction in which heel and ball spread least. Forward is where the toes are or,
// without toes, the longer way.
void find_sole(const Actor& actor, const Vec3& to_front, Leg& leg) {
  std::vector<int> sole = leg.heel;
  sole.insert(sole.end(), leg.ball.begin(), leg.ball.end());
  const Vec3 mean = mean_in_foot(actor, leg, sole);
  Mat3 spread = Mat3::Zero();
  for (const int i : sole) {
    const Vec3 away = in_foot(actor, leg, i) - mean;
    spread += away * away.transpose();
  }
  const Eigen::SelfAdjointEigenSolver<Mat3> axes(spread);
  leg.sole_normal = axes.eigenvectors().col(0);
  if (leg.sole_normal.dot(mean) > 0) leg.sole_normal *= -1;  // the ankle is above the sole
  Vec3 ahead = leg.toes >= 0 ? to_front : mean;
  ahead -= leg.sole_normal * leg.sole_normal.dot(ahead);
  leg.forward = ahead.normalized();
}

void find_toe_joint(const Actor& actor, Leg& leg) {
  if (leg.toes < 0 || actor.bodies()[leg.toes].joint_count != 1) return;
  const ActorBody& toes = actor.bodies()[leg.toes];
  const ActorJoint& joint = actor.joints()[toes.first_joint];
  const bool hinge = joint.type == JointType::hinge;
  if (hinge || joint.type == JointType::ball) leg.toe_joint = toes.first_joint;
  leg.toe_axis = hinge ? joint.axis : Vec3(toes.rest.conjugate() * leg.sole_normal.cross(leg.forward));
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
  measure_chain(actor, leg);
  const Vec3 to_front = sort_contact_points(actor, leg);
  if (leg.heel.empty() || leg.ball.empty()) return std::nullopt;
  find_sole(actor, to_front, leg);
  find_toe_joint(actor, leg);
  return leg;
}

Quat level_foot(const Leg& leg, double yaw, double pitch) {
  Mat3 here;
  here << leg.forward, leg.sole_normal.cross(leg.forward), leg.sole_normal;
  const Quat tilt = axis_angle(Vec3::UnitY(), -pitch);  // about the left side: toes up
  return (yaw_rotation(yaw) * tilt * Quat(Mat3(here.transpose()))).normalized();
}

FootPose foot_pose(ActorDynamics& dynamics, const Leg& leg) {
  return {dynamics.body_position(leg.foot), dynamics.body_rotation(leg.foot)};
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
