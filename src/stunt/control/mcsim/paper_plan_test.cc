#include "stunt/control/mcsim/paper_plan.h"

#include <gtest/gtest.h>

#include "tests/sample_actor.h"

namespace stunt {
namespace {

// The corners of the feet, the first few of them, on a tilted floor.
std::vector<PlanContact> corners(ActorDynamics& dynamics, Random& random, int count) {
  const Vec3 normal = Vec3(random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1), 1).normalized();
  std::vector<PlanContact> contacts;
  for (int i = 0; i < count; ++i) {
    const ContactPoint& point = dynamics.actor().contact_points().at(i);
    PlanContact contact{point.body, dynamics.point(point.body, point.position)};
    contact.normal = normal;
    contacts.push_back(contact);
  }
  return contacts;
}

struct Stacked {
  MatX J;     // of all contacts
  VecX bias;  // J-dot v
};
Stacked stacked(ActorDynamics& dynamics, const std::vector<PlanContact>& contacts) {
  const int rows = 3 * static_cast<int>(contacts.size());
  Stacked out{MatX(rows, dynamics.actor().nv()), VecX(rows)};
  Jacobian J;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    dynamics.point_jacobian(contacts[k].body, contacts[k].point, J);
    out.J.middleRows<3>(3 * static_cast<int>(k)) = J;
    out.bias.segment<3>(3 * static_cast<int>(k)) =
        dynamics.point_bias_acceleration(contacts[k].body, contacts[k].point);
  }
  return out;
}

// Eq. 7b to 7d, whatever the optimum is.
void expect_physical(ActorDynamics& dynamics, const PlanResult& plan, double friction,
                     const std::vector<PlanContact>& contacts) {
  const Actor& actor = dynamics.actor();
  EXPECT_TRUE((plan.torque.cwiseAbs().array() <= actor.torque_limits().array()).all());
  VecX balance = dynamics.mass_matrix() * plan.acceleration + dynamics.bias() - plan.torque;
  Jacobian J;
  ASSERT_EQ(plan.force.size(), contacts.size());
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    dynamics.point_jacobian(contacts[k].body, contacts[k].point, J);
    balance -= J.transpose() * plan.force[k];
    const double pressure = plan.force[k].dot(contacts[k].normal);
    EXPECT_GE(pressure, -1e-4);
    EXPECT_LE((plan.force[k] - pressure * contacts[k].normal).norm(), friction * pressure + 1e-3);
  }
  EXPECT_LT(balance.norm(), 1e-5 * actor.mass() * 9.81);
}

class PaperPlannerTest : public testing::TestWithParam<double> {};

TEST_P(PaperPlannerTest, MeetsEquation7AndItsOptimalityConditions) {
  const ActorPtr actor = sample_actor(GetParam());
  ActorDynamics dynamics(actor);
  PaperPlanner planner(*actor);
  Random random(5);
  VecX q, v;
  int solved = 0, saturated = 0;
  for (int trial = 0; trial < 90; ++trial) {
    SCOPED_TRACE(trial);
    const int points = trial % 9;
    const bool at_rest = trial % 2 == 0;
    random_state(*actor, random, q, v);
    dynamics.set_state(q, (at_rest ? 0.0 : 0.3) * v);
    const auto contacts = corners(dynamics, random, points);
    const VecX desired = VecX::NullaryExpr(actor->nv(), [&] { return random.uniform(-20, 20); });
    const PlanResult& plan = planner.solve(dynamics, desired, 0.8, contacts);
    expect_physical(dynamics, plan, 0.8, contacts);
    if (!plan.converged) continue;
    ++solved;
    saturated += plan.saturated > 0;

    const QpResiduals error = residuals(planner.problem(), planner.qp_result());
    const double scale = 1 + planner.qp_result().x.cwiseAbs().maxCoeff();
    EXPECT_LT(error.primal, 1e-5 * scale);
    EXPECT_LT(error.stationarity, 1e-5 * scale);
    EXPECT_LT(error.complementarity, 1e-4 * scale);

    // Eq. 5: exactly where a rigid foot can, that is at rest or on one point; else in the least squares
    // sense.
    const Stacked all = stacked(dynamics, contacts);
    const VecX slip = all.J * plan.acceleration + all.bias;
    if (points > 0 && (at_rest || points == 1)) {
      EXPECT_LT(slip.norm(), 1e-4 * scale);
    }
    EXPECT_LT((all.J.transpose() * slip).norm(), 1e-4 * scale);
  }
  EXPECT_GT(solved, 60);
  if (GetParam() < 200) {
    EXPECT_GT(saturated, 10) << "strength was never tested";
  }
}

// The planner of the other preset, by its own method, on the same problem with a very dear hold.
TEST_P(PaperPlannerTest, AgreesWithTheDefaultPlannerWhoseHoldIsVeryDear) {
  const ActorPtr actor = sample_actor(GetParam());
  ActorDynamics dynamics(actor);
  PaperPlanner paper(*actor);
  Planner other(*actor);
  PlanTargets targets;
  targets.weight = VecX::Ones(actor->nv());
  targets.hold_weight = 1e6;
  targets.hold_damping = 0;
  targets.regularisation = 1e-6;
  targets.friction = 0.8;
  Random random(6);
  VecX q, v;
  int compared = 0;
  for (int trial = 0; trial < 45; ++trial) {
    SCOPED_TRACE(trial);
    random_state(*actor, random, q, v);
    dynamics.set_state(q, 0.1 * v);
    const auto contacts = corners(dynamics, random, trial % 9);
    targets.acceleration = VecX::NullaryExpr(actor->nv(), [&] { return random.uniform(-5, 5); });
    const PlanResult& a = paper.solve(dynamics, targets.acceleration, targets.friction, contacts);
    const PlanResult& b = other.solve(dynamics, targets, contacts);
    if (!a.converged || !b.converged) continue;
    ++compared;
    EXPECT_LT((a.acceleration - b.acceleration).norm(), 1e-2 * (1 + b.acceleration.norm()));
    EXPECT_LT((a.torque - b.torque).norm(), 1e-2 * (1 + b.torque.norm()));
  }
  EXPECT_GT(compared, 25);
}

INSTANTIATE_TEST_SUITE_P(Strengths, PaperPlannerTest, testing::Values(1e5, 100.0),
                         [](const auto& row) { return fmt::format("{:.0f}Nm", row.param); });

TEST(PaperPlanner, GivesWayWhereTheContactsCannotBeHeld) {
  // A ceiling pushes the feet down, and legs of 1 Nm cannot keep them from falling with the body.
  const ActorPtr actor = sample_actor(1.0);
  ActorDynamics dynamics(actor);
  dynamics.set_state(actor->rest_q(), VecX::Zero(actor->nv()));
  PaperPlanner planner(*actor);
  Random random(7);
  auto contacts = corners(dynamics, random, 8);
  for (PlanContact& contact : contacts) contact.normal = -Vec3::UnitZ();
  const PlanResult& plan = planner.solve(dynamics, VecX::Zero(actor->nv()), 0.8, contacts);
  EXPECT_FALSE(plan.converged);
  expect_physical(dynamics, plan, 0.8, contacts);
  EXPECT_LT(plan.acceleration[2], -9) << "the body falls";

  // What is no problem at all gives no torques, and nothing of it is left in the next plan.
  const VecX before = plan.torque;
  const PlanResult& none = planner.solve(dynamics, VecX::Constant(actor->nv(), NAN), 0.8, contacts);
  EXPECT_FALSE(none.converged);
  EXPECT_FALSE(none.torque.allFinite());
  const PlanResult& again = planner.solve(dynamics, VecX::Zero(actor->nv()), 0.8, contacts);
  EXPECT_LT((again.torque - before).norm(), 1e-6 * before.norm());
}

}  // namespace
}  // namespace stunt
