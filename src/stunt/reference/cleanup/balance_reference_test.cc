#include "stunt/reference/cleanup/balance_reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sample_actor.h"
#include "stunt/core/geometry2d.h"
#include "stunt/reference/cleanup/contacts.h"
#include "stunt/reference/legs/leg_ik.h"

namespace stunt {
namespace {

constexpr double kSampleRate = 120;

// The sample actor with bent knees, its feet on the floor at z = 0.
VecX standing_pose(const ActorPtr& actor) {
  VecX q = actor->rest_q();
  ActorDynamics dynamics(actor);
  const VecX at_rest = VecX::Zero(actor->nv());
  for (const bool left : {true, false}) {
    const Leg leg = *find_leg(*actor, left);
    dynamics.set_state(q, at_rest);
    FootPose foot = foot_pose(dynamics, leg);
    foot.position.z() += 0.05;
    put_foot(dynamics, leg, foot, q);
  }
  const PointPaths points = contact_point_paths(*actor, {q});
  double lowest = 1e9;
  for (const Vec3& point : points[0]) lowest = std::min(lowest, point.z());
  q[2] -= lowest;
  return q;
}

// The root moved by `shift` with the feet where they are.
VecX swayed(const ActorPtr& actor, const VecX& standing, const Vec3& shift) {
  ActorDynamics dynamics(actor);
  VecX q = standing;
  q.head<3>() += shift;
  for (const bool left : {true, false}) {
    const Leg leg = *find_leg(*actor, left);
    dynamics.set_state(standing, VecX::Zero(actor->nv()));
    put_foot(dynamics, leg, foot_pose(dynamics, leg), q);
  }
  return q;
}

std::vector<Vec2> feet_on_the_ground(const SampledReference& motion, int frame) {
  std::vector<Vec2> points;
  const PointPaths paths = contact_point_paths(*motion.actor(), {motion.q(frame)});
  for (const Vec3& point : paths[0]) points.push_back(point.head<2>());
  return points;
}

// By inverse dynamics: the wrench that must act on the root is the ground's, and the zero-moment point is where
// it has no moment about a horizontal axis.
Vec2 zero_moment_point(ActorDynamics& dynamics, const SampledReference& motion, int frame) {
  dynamics.set_state(motion.q(frame), motion.v(frame));
  VecX wrench;
  dynamics.inverse_dynamics(motion.a(frame), wrench);
  const Vec3 force = wrench.head<3>();
  const Vec3 moment = Vec3(motion.q(frame).head<3>()).cross(force) +
                      quat_from_wxyz(&motion.q(frame)[3]) * Vec3(wrench.segment<3>(3));
  return {-moment.y() / force.z(), moment.x() / force.z()};
}

struct Outside {
  double mean = 0, most = 0;  // m
};
Outside outside_soles(const SampledReference& motion) {
  ActorDynamics dynamics(motion.actor());
  Outside outside;
  for (int i = 2; i + 2 < motion.size(); ++i) {
    const Vec2 p = zero_moment_point(dynamics, motion, i);
    const double away = (nearest_in_hull(feet_on_the_ground(motion, i), p) - p).norm();
    outside.mean += away / (motion.size() - 4);
    outside.most = std::max(outside.most, away);
  }
  return outside;
}

TEST(BalanceReference, ASwayTooFastForTheFeetIsMadePossible) {
  const ActorPtr actor = sample_actor();
  const VecX standing = standing_pose(actor);
  std::vector<VecX> q;
  for (int i = 0; i < 360; ++i) {
    const double angle = 2 * kPi * i / kSampleRate;  // 1 Hz
    q.push_back(swayed(actor, standing, {0.03 * std::cos(angle), 0.07 * std::sin(angle), 0}));
  }
  const SampledReference motion(
      actor, kSampleRate, q,
      ContactTable(q.size(), std::vector<std::uint8_t>(actor->contact_points().size(), 1)));
  BalanceReport report;
  const auto balanced = balance_reference(motion, {}, &report);
  const Outside before = outside_soles(motion), after = outside_soles(*balanced);
  EXPECT_GT(before.most, 0.05);
  EXPECT_GT(before.mean, 0.01);
  EXPECT_LT(after.most, 0.005);
  EXPECT_GT(report.outside_before, before.mean);  // the report counts from inside the margin
  EXPECT_LT(report.outside_after, 0.2 * report.outside_before);
  EXPECT_GT(report.largest_shift, 0.01);
  EXPECT_LT(report.largest_shift, 0.1);
  // The feet stay.
  for (int i = 0; i < motion.size(); i += 10) {
    const auto a = feet_on_the_ground(motion, i), b = feet_on_the_ground(*balanced, i);
    for (std::size_t p = 0; p < a.size(); ++p) EXPECT_LT((a[p] - b[p]).norm(), 0.003) << i;
  }
}

TEST(BalanceReference, WhatIsPossibleStaysAsItIs) {
  const ActorPtr actor = sample_actor();
  const VecX standing = standing_pose(actor);
  std::vector<VecX> q;
  for (int i = 0; i < 240; ++i) {
    q.push_back(swayed(actor, standing, {0.05, 0.02 * std::sin(2 * kPi * 0.3 * i / kSampleRate), 0}));
  }
  const SampledReference motion(
      actor, kSampleRate, q,
      ContactTable(q.size(), std::vector<std::uint8_t>(actor->contact_points().size(), 1)));
  BalanceReport report;
  balance_reference(motion, {}, &report);
  EXPECT_LT(report.outside_before, 1e-6);
  EXPECT_LT(report.largest_shift, 0.002);
}

// How high the root is above where it stands at take-off, in a jump with constant acceleration from a squat, free
// fall, and the same backwards: m at a time (s) after take-off.
double jump_height(double t, double flight, double gravity) {
  constexpr double kSquat = 0.1;  // m
  const double speed = 0.5 * gravity * flight, push = 2 * kSquat / speed;
  const double from_squat = std::min(t + push, flight - t + push);  // both ways
  if (from_squat < 0) return -kSquat;
  if (from_squat < push) return -kSquat + 0.5 * speed / push * from_squat * from_squat;
  return speed * t - 0.5 * gravity * t * t;
}

TEST(BalanceReference, FlightBecomesAParabola) {
  const ActorPtr actor = sample_actor();
  const VecX standing = standing_pose(actor);
  // A jump whose capture wobbles by centimetres in the air.
  constexpr double kFlight = 0.4;
  constexpr int kStart = 60, kEnd = kStart + static_cast<int>(kFlight * kSampleRate);
  const double gravity = actor->gravity();
  std::vector<VecX> q;
  ContactTable contacts;
  for (int i = 0; i < 180; ++i) {
    const bool flies = i > kStart && i < kEnd;
    const double t = (i - kStart) / kSampleRate, height = jump_height(t, kFlight, gravity);
    const double wobble = flies ? std::pow(std::sin(3 * kPi * t / kFlight), 3) : 0;
    q.push_back(flies ? standing : swayed(actor, standing, {0, 0, height}));
    if (flies) q.back().head<3>() += Vec3(0, 0.02 * wobble, height + 0.015 * wobble);
    contacts.emplace_back(actor->contact_points().size(), flies ? 0 : 1);
  }
  const SampledReference motion(actor, kSampleRate, q, contacts);
  const auto balanced = balance_reference(motion);
  // The second difference over 50 ms of the centre of mass, well inside the flight.
  constexpr int kApart = 6;
  ActorDynamics dynamics(actor);
  const auto acceleration = [&](const SampledReference& of, int i) {
    Vec3 com[3];
    for (const int k : {0, 1, 2}) {
      dynamics.set_state(of.q(i + (k - 1) * kApart), VecX::Zero(actor->nv()));
      com[k] = dynamics.com();
    }
    return Vec3((com[0] - 2 * com[1] + com[2]) * (kSampleRate / kApart) * (kSampleRate / kApart));
  };
  const Vec3 fall(0, 0, -gravity);
  double worst_before = 0;
  for (int i = kStart + 14; i <= kEnd - 14; ++i) {
    worst_before = std::max(worst_before, (acceleration(motion, i) - fall).norm());
    EXPECT_LT((acceleration(*balanced, i) - fall).norm(), 0.3 * gravity) << i;
  }
  EXPECT_GT(worst_before, 1.5 * gravity);
}

// In the air nothing turns a body as a whole: a trunk that rocks there must take its spin from something else.
TEST(BalanceReference, AngularMomentumIsSteadyInFlight) {
  const ActorPtr actor = sample_actor();
  const VecX standing = standing_pose(actor);
  constexpr double kFlight = 0.4;
  constexpr int kStart = 60, kEnd = kStart + static_cast<int>(kFlight * kSampleRate);
  std::vector<VecX> q;
  ContactTable contacts;
  for (int i = 0; i < 180; ++i) {
    const bool flies = i > kStart && i < kEnd;
    const double t = (i - kStart) / kSampleRate, height = jump_height(t, kFlight, actor->gravity());
    q.push_back(flies ? standing : swayed(actor, standing, {0, 0, height}));
    if (flies) {
      q.back()[2] += height;
      const double rock = 0.15 * std::pow(std::sin(kPi * t / kFlight), 2);
      quat_to_wxyz(axis_angle(Vec3::UnitY(), rock) * quat_from_wxyz(&standing[3]), &q.back()[3]);
    }
    contacts.emplace_back(actor->contact_points().size(), flies ? 0 : 1);
  }
  const SampledReference motion(actor, kSampleRate, q, contacts);
  ActorDynamics dynamics(actor);
  const auto change_of_spin = [&](const SampledReference& of) {
    Vec3 least = Vec3::Constant(1e9), most = -least;
    for (int i = kStart + 6; i <= kEnd - 6; ++i) {
      dynamics.set_state(of.q(i), of.v(i));
      least = least.cwiseMin(dynamics.angular_momentum());
      most = most.cwiseMax(dynamics.angular_momentum());
    }
    return (most - least).norm();
  };
  const double before = change_of_spin(motion), after = change_of_spin(*balance_reference(motion));
  EXPECT_GT(before, 10);
  EXPECT_LT(after, 0.3 * before);
}

// Who leans out of his feet from the first frame on is brought back, but is not already on the way when it begins.
TEST(BalanceReference, TheStartStaysWhereItWas) {
  const ActorPtr actor = sample_actor();
  const VecX standing = standing_pose(actor);
  const int points = static_cast<int>(contact_point_paths(*actor, {standing})[0].size());
  const int n = 120;
  const std::vector<VecX> q(n, swayed(actor, standing, Vec3(0.25, 0, -0.05)));
  const SampledReference motion(actor, kSampleRate, q, ContactTable(n, std::vector<std::uint8_t>(points, 1)));
  const auto balanced = balance_reference(motion);
  const auto moved = [&](int i) { return (balanced->q(i) - motion.q(i)).head<2>().norm(); };
  EXPECT_GT(moved(n / 2), 0.05);
  EXPECT_LT(moved(0), 0.9 * moved(n / 2));
  EXPECT_LT(balanced->v(0).head<2>().norm(), 0.5);
}

TEST(BalanceReference, AMotionThatNeverStandsComesBackAsItIs) {
  const ActorPtr actor = sample_actor();
  Random random(1);
  std::vector<VecX> q(20);
  VecX v;
  for (VecX& pose : q) random_state(*actor, random, pose, v);
  const SampledReference motion(
      actor, kSampleRate, q,
      ContactTable(q.size(), std::vector<std::uint8_t>(actor->contact_points().size(), 0)));
  const auto same = balance_reference(motion);
  for (int i = 0; i < motion.size(); ++i) EXPECT_EQ(same->q(i), motion.q(i));
}

// Somebody who lies on the back, with feet that are said to stand: nothing is moved, whatever is outside of the feet.
TEST(BalanceReference, LeavesAloneWhoLies) {
  const ActorPtr actor = sample_actor();
  VecX q = actor->rest_q();
  q[2] = 0.12;
  quat_to_wxyz(axis_angle(Vec3::UnitY(), -kPi / 2) * quat_from_wxyz(&q[3]), &q[3]);
  const std::vector<std::uint8_t> down(actor->contact_points().size(), 1);
  const SampledReference motion(actor, kSampleRate, std::vector<VecX>(60, q),
                                std::vector<std::vector<std::uint8_t>>(60, down));
  const auto balanced = balance_reference(motion);
  VecX moved;
  for (int i = 0; i < balanced->size(); ++i) {
    difference(*actor, q, balanced->q(i), moved);
    EXPECT_LT(moved.head<6>().norm(), 1e-6) << i;
  }
}

}  // namespace
}  // namespace stunt
