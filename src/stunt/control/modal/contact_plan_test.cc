#include "stunt/control/modal/contact_plan.h"

#include <gtest/gtest.h>

#include <vector>

#include "stunt/core/random.h"
#include "stunt/solve/qp.h"

namespace stunt {
namespace {

struct Problem {
  int frames, points, hold;
  std::vector<ContactPlan::Wrench> wrenches;
  std::vector<std::vector<std::uint8_t>> touches;
  ContactPlan::Vec6 gap, gap_rate;
  double friction = 0.8;
  ContactPlanWeights weights;
};

// Points of two soles under a body of 70 kg, feet that come and go.
Problem random_problem(Random& random, int frames, int hold) {
  Problem p{.frames = frames,
            .points = 8,
            .hold = hold,
            .wrenches = {},
            .touches = {},
            .gap = {},
            .gap_rate = {},
            .weights = {}};
  for (int i = 0; i < p.points; ++i) {
    const Vec3 r(random.uniform(-0.3, 0.3), random.uniform(-0.2, 0.2), -0.9);
    Mat3 cross;
    cross << 0, -r.z(), r.y(), r.z(), 0, -r.x(), -r.y(), r.x(), 0;
    ContactPlan::Wrench w;
    w.topRows<3>() = Mat3::Identity() / std::sqrt(70.0);
    w.bottomRows<3>() = cross / std::sqrt(9.0);
    p.wrenches.push_back(w);
    std::vector<std::uint8_t> touches(frames, 1);
    const int change = static_cast<int>(random.uniform(0, frames));
    if (i >= 4) std::fill(touches.begin(), touches.begin() + change, std::uint8_t{0});
    p.touches.push_back(touches);
  }
  const double T = frames / 120.0;
  for (int i = 0; i < 6; ++i) {
    p.gap[i] = random.uniform(-0.5, 0.5);
    p.gap_rate[i] = random.uniform(-3, 3);
  }
  p.gap[2] += std::sqrt(70.0) * 9.81 * T * T / 2;
  p.gap_rate[2] += std::sqrt(70.0) * 9.81 * T;
  return p;
}

// All unknowns of the window in one dense QP, given to ProxQP.
VecX dense(const Problem& p) {
  const int slots = (p.frames + p.hold - 1) / p.hold, edges = ContactPlan::kEdges;
  const int n = p.points * edges * slots;
  MatX B = MatX::Zero(12, n);
  VecX cost = VecX::Zero(n);
  const Vec3 tangents[4] = {Vec3::UnitX().cross(Vec3::UnitZ()), Vec3::UnitX(),
                            -Vec3::UnitX().cross(Vec3::UnitZ()), -Vec3::UnitX()};
  for (int i = 0; i < p.points; ++i) {
    for (int e = 0; e < edges; ++e) {
      // Any order of the edges will do: the forces are compared.
      const ContactPlan::Vec6 g = p.wrenches[i] * (Vec3::UnitZ() + p.friction * tangents[e]);
      for (int k = 0; k < p.frames; ++k) {
        if (!p.touches[i][k]) continue;
        const int column = (i * edges + e) * slots + k / p.hold;
        B.col(column).head<6>() += (p.frames - k) / 120.0 * g;
        B.col(column).tail<6>() += g;
        cost[column] += p.weights.force;
      }
    }
  }
  cost = (cost.array() == 0).select(1, cost);
  VecX W(12), gap(12);
  W << VecX::Constant(3, p.weights.position), VecX::Constant(3, p.weights.turn),
      VecX::Constant(3, p.weights.velocity), VecX::Constant(3, p.weights.turn_rate);
  gap << p.gap, p.gap_rate;
  MatX H = B.transpose() * W.asDiagonal() * B;
  H.diagonal() += cost;
  const VecX g = -B.transpose() * W.cwiseProduct(gap), lower = VecX::Zero(n), upper = VecX::Constant(n, 1e6);
  auto solver = make_proxqp_solver();
  solver->options.tolerance = 1e-10;
  const QpResult& result = solver->solve({.H = H, .g = g, .lower = lower, .upper = upper});
  EXPECT_EQ(result.status, QpStatus::solved);
  // Impulses of each point in each frame.
  VecX impulses = VecX::Zero(3 * p.points * p.frames);
  for (int i = 0; i < p.points; ++i) {
    for (int k = 0; k < p.frames; ++k) {
      if (!p.touches[i][k]) continue;
      for (int e = 0; e < edges; ++e)
        impulses.segment<3>(3 * (i * p.frames + k)) +=
            result.x[(i * edges + e) * slots + k / p.hold] * (Vec3::UnitZ() + p.friction * tangents[e]);
    }
  }
  return impulses;
}

TEST(ContactPlan, IsTheSolutionOfTheDenseProblem) {
  Random random(3);
  ContactPlan plan(8, 36);
  for (const int frames : {1, 5, 12}) {
    for (const int hold : {1, 3}) {
      for (int trial = 0; trial < 8; ++trial) {
        const Problem p = random_problem(random, frames, hold);
        plan.begin(frames, 1 / 120.0, ContactPlan::Impulse::at_once, hold);
        for (int i = 0; i < p.points; ++i)
          plan.add_point(p.wrenches[i], Vec3::UnitZ(), p.friction, p.touches[i]);
        ContactPlan::Vec12 u = ContactPlan::Vec12::Zero();
        plan.solve(p.gap, p.gap_rate, p.weights, u);
        ASSERT_TRUE(plan.converged());
        const VecX expected = dense(p);
        for (int i = 0; i < p.points; ++i) {
          for (int k = 0; k < frames; ++k) {
            const Vec3 there = expected.segment<3>(3 * (i * frames + k)), here = plan.impulse(k, i);
            EXPECT_LT((here - there).norm(), 1e-5 * (1 + there.norm()))
                << frames << " " << hold << " " << i << " " << k;
          }
        }
        // From the solution it stays there.
        plan.solve(p.gap, p.gap_rate, p.weights, u);
        EXPECT_LE(plan.iterations(), 1);
      }
    }
  }
}

TEST(ContactPlan, StandsByCarryingTheWeight) {
  ContactPlan plan(4, 12);
  plan.begin(12, 1 / 120.0, ContactPlan::Impulse::spread);
  const std::vector<std::uint8_t> always(12, 1);
  for (const double x : {-0.1, 0.1}) {
    for (const double y : {-0.05, 0.05}) {
      const Vec3 r(x, y, -0.9);
      Mat3 cross;
      cross << 0, -r.z(), r.y(), r.z(), 0, -r.x(), -r.y(), r.x(), 0;
      ContactPlan::Wrench w;
      w << Mat3::Identity() / std::sqrt(70.0), cross / 3;
      plan.add_point(w, Vec3::UnitZ(), 1, always);
    }
  }
  ContactPlan::Vec6 gap = ContactPlan::Vec6::Zero(), rate = gap;
  gap[2] = std::sqrt(70.0) * 9.81 * 0.1 * 0.1 / 2;
  rate[2] = std::sqrt(70.0) * 9.81 * 0.1;
  ContactPlan::Vec12 u = ContactPlan::Vec12::Zero();
  plan.solve(gap, rate, {.force = 1e-6}, u);
  Vec3 first = Vec3::Zero(), last = Vec3::Zero();
  for (int i = 0; i < 4; ++i) {
    first += 120 * plan.impulse(0, i);
    last += 120 * plan.impulse(11, i);
  }
  EXPECT_NEAR(first.z(), 70 * 9.81, 2);
  EXPECT_NEAR(last.z(), 70 * 9.81, 2);
  EXPECT_NEAR(first.head<2>().norm(), 0, 1e-9);
}

}  // namespace
}  // namespace stunt
