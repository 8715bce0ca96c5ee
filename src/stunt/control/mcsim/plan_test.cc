// The planner against the same problem as a dense QP over accelerations and cone coefficients, solved by
// ProxQP.
#include "stunt/control/mcsim/plan.h"

#include <gtest/gtest.h>

#include "malloc_counter.h"
#include "tests/recorded_plans.h"
#include "tests/sample_actor.h"

namespace stunt {
namespace {

struct Problem {
  PlanTargets targets;
  std::vector<PlanContact> contacts;
};

// What a moving character might ask for: up to eight points of its feet on a tilted floor.
Problem random_problem(ActorDynamics& dynamics, Random& random, int points) {
  const Actor& actor = dynamics.actor();
  Problem problem;
  problem.targets.acceleration = VecX::NullaryExpr(actor.nv(), [&] { return random.uniform(-20, 20); });
  problem.targets.weight = VecX::NullaryExpr(actor.nv(), [&] { return random.uniform(0.5, 10); });
  problem.targets.com_acceleration =
      Vec3(random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(-2, 2));
  problem.targets.com_weight.setConstant(100);
  problem.targets.spin_rate = Vec3(random.uniform(-20, 20), random.uniform(-20, 20), random.uniform(-20, 20));
  problem.targets.spin_weight = points % 2 == 1 ? 0.1 : 0;
  problem.targets.friction = 0.8;
  if (points % 3 == 2) {
    for (int i = 0; i < 6; ++i) problem.targets.root_wrench[i] = (i < 3 ? 300 : 60) * random.uniform(-1, 1);
  }
  const Vec3 normal = Vec3(random.uniform(-0.2, 0.2), random.uniform(-0.2, 0.2), 1).normalized();
  for (int i = 0; i < points; ++i) {
    const ContactPoint& point = actor.contact_points().at(i);
    PlanContact contact{point.body, dynamics.point(point.body, point.position)};
    contact.normal = normal;
    contact.velocity = Vec3(random.uniform(-0.3, 0.3), 0, random.uniform(-0.3, 0));
    contact.damping = i % 2 == 1 ? 3 : 1;
    contact.hold = i % 3 == 2 ? 0 : i % 3 == 1 ? 0.4 : 1;
    contact.reluctance = i % 4 == 3 ? 10 : 1;
    problem.contacts.push_back(contact);
  }
  return problem;
}

// The tangents of the 4-sided cone are the planner's choice; these are the same directions.
std::array<Vec3, 4> cone(const Vec3& normal, double mu) {
  const Vec3 guide = std::abs(normal.x()) < 0.7 ? Vec3::UnitX() : Vec3::UnitY();
  const Vec3 t1 = (guide - normal * normal.dot(guide)).normalized(), t2 = normal.cross(t1);
  return {normal + mu * t1, normal - mu * t1, normal + mu * t2, normal - mu * t2};
}

// The least squared cone coefficients that make a force: half the normal force for each pair, as far as that
// keeps the coefficients positive.
double least_coefficients(const Vec3& force, const Vec3& normal, double mu) {
  const auto edges = cone(normal, mu);
  const double total = force.dot(normal);
  const double d1 = force.dot(edges[0] - edges[1]) / (2 * mu * mu),
               d2 = force.dot(edges[2] - edges[3]) / (2 * mu * mu);
  const double low = std::abs(d1), high = total - std::abs(d2);
  const double s = std::clamp(total / 2, std::min(low, high), std::max(low, high));
  return 0.5 * (s * s + d1 * d1) + 0.5 * ((total - s) * (total - s) + d2 * d2);
}

// Of what the planner found, in the problem's own terms.
double plan_cost(const DensePlan& dense, const PlanTargets& targets, const std::vector<PlanContact>& contacts,
                 const PlanResult& plan) {
  double cost = dense.tracking_cost(plan.acceleration);
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    cost += 0.5 * targets.regularisation * contacts[k].reluctance *
            least_coefficients(plan.force[k], contacts[k].normal, targets.friction);
  }
  return cost;
}

class PlannerTest : public testing::TestWithParam<double> {};

TEST_P(PlannerTest, FindsTheOptimumOfTheBoundedProblem) {
  const ActorPtr actor = sample_actor(GetParam());
  ActorDynamics dynamics(actor);
  Planner planner(*actor);
  Random random(11);
  VecX q, v;
  int saturated = 0, on_cone = 0;
  for (int trial = 0; trial < 40; ++trial) {
    SCOPED_TRACE(trial);
    random_state(*actor, random, q, v);
    dynamics.set_state(q, 0.3 * v);
    const int points = trial % 9;
    const Problem problem = random_problem(dynamics, random, points);
    const PlanResult& plan = planner.solve(dynamics, problem.targets, problem.contacts);
    ASSERT_TRUE(plan.converged);
    saturated += plan.saturated > 0;

    const DensePlan dense(dynamics, problem.targets, problem.contacts);
    const auto solver = make_proxqp_solver();
    const QpResult& other = solver->solve(dense.problem());
    ASSERT_EQ(other.status, QpStatus::solved);
    const double cost = plan_cost(dense, problem.targets, problem.contacts, plan), best = dense.cost(other.x);
    EXPECT_LT(cost, best * (1 + 1e-6));
    EXPECT_GT(cost, best * (1 - 1e-4)) << "the judge stops a little early";
    EXPECT_LT((plan.torque - dense.torque(other.x)).norm(), 1e-3 * (1 + plan.torque.norm()));

    // What must hold whatever the optimum is.
    EXPECT_LT(plan.residual, 1e-6);
    EXPECT_TRUE((plan.torque.cwiseAbs().array() <= actor->torque_limits().array() + 1e-9).all());
    Jacobian J;
    VecX balance = dynamics.mass_matrix() * plan.acceleration + dynamics.bias() - plan.torque;
    balance.head<6>() -= problem.targets.root_wrench;
    for (int k = 0; k < points; ++k) {
      dynamics.point_jacobian(problem.contacts[k].body, problem.contacts[k].point, J);
      balance -= J.transpose() * plan.force[k];
      const auto edges = cone(problem.contacts[k].normal, problem.targets.friction);
      const double normal_force = plan.force[k].dot(problem.contacts[k].normal);
      const double mu2 = problem.targets.friction * problem.targets.friction;
      const double sideways = std::abs(plan.force[k].dot(edges[0] - edges[1]) / (2 * mu2)) +
                              std::abs(plan.force[k].dot(edges[2] - edges[3]) / (2 * mu2));
      EXPECT_LE(sideways, normal_force + 1e-6) << "outside the friction cone";
      on_cone += normal_force > 1 && sideways > 0.999 * normal_force;
    }
    EXPECT_LT(balance.norm(), 1e-5 * actor->mass() * 9.81);
  }
  EXPECT_GT(on_cone, 0) << "friction was never tested";
  if (GetParam() < 100) {
    EXPECT_GT(saturated, 10) << "strength was never tested";
  } else {
    EXPECT_EQ(saturated, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Strengths, PlannerTest, testing::Values(1e5, 60.0),
                         [](const auto& row) { return fmt::format("{:.0f}Nm", row.param); });

// The plans of real runs, and the same with what makes plans difficult: hardly any contact, more asked than
// there is strength. ProxQP solves the same problem over accelerations and cone coefficients.
TEST(Planner, FindsTheOptimumOfRecordedPlansThatProxQpFinds) {
  int compared = 0, agreed = 0, saturated = 0, without_contact = 0, on_one_point = 0;
  for (const char* motion : {"walk", "squat"}) {
    const RecordedPlans recorded = record_plans(motion, 3);
    ActorDynamics dynamics(recorded.actor);
    Planner planner(*recorded.actor);
    const auto judge = make_proxqp_solver();
    for (std::size_t i = 0; i < recorded.plans.size(); ++i) {
      SCOPED_TRACE(fmt::format("{} {}", motion, i));
      RecordedPlan plan = recorded.plans[i];
      if (i % 8 == 1) plan.contacts.resize(std::min<std::size_t>(plan.contacts.size(), i % 16 == 1 ? 0 : 1));
      if (i % 8 == 2) plan.targets.acceleration *= 10;
      dynamics.set_state(plan.q, plan.v);
      const PlanResult& ours = planner.solve(dynamics, plan.targets, plan.contacts);
      if (!ours.converged) continue;  // and counted as relaxed by the controller
      ++compared;
      saturated += ours.saturated > 0;
      without_contact += plan.contacts.empty();
      on_one_point += plan.contacts.size() == 1;
      const DensePlan dense(dynamics, plan.targets, plan.contacts);
      const QpResult& other = judge->solve(dense.problem());
      ASSERT_EQ(other.status, QpStatus::solved);
      const double best = dense.cost(other.x);
      const double cost = plan_cost(dense, plan.targets, plan.contacts, ours);
      EXPECT_LT(cost, best + 1e-5 * best + 1e-6);
      if (cost < best - 1e-5 * best) continue;  // the judge stopped early
      EXPECT_LT((ours.torque - dense.torque(other.x)).norm(), 3e-2 * (1 + ours.torque.norm()));
      ++agreed;
    }
  }
  EXPECT_GE(compared, 1000);
  EXPECT_GE(agreed, 0.98 * compared);
  EXPECT_GT(saturated, 20);
  EXPECT_GT(without_contact, 20);
  EXPECT_GT(on_one_point, 20);
}

TEST(Planner, AllocatesNothingAfterTheFirstCallWhateverTouches) {
  if (!mallocs_can_be_counted()) GTEST_SKIP() << "the sanitizer owns malloc";
  const ActorPtr actor = sample_actor(60);
  ActorDynamics dynamics(actor);
  Planner planner(*actor);
  Random random(3);
  VecX q, v;
  for (int trial = 0; trial < 20; ++trial) {
    random_state(*actor, random, q, v);
    dynamics.set_state(q, v);
    const Problem problem = random_problem(dynamics, random, (5 * trial + 1) % 9);
    const long before = malloc_count();
    planner.solve(dynamics, problem.targets, problem.contacts);
    if (trial > 0) {
      EXPECT_EQ(malloc_count() - before, 0) << trial;
    }
  }
}

}  // namespace
}  // namespace stunt
