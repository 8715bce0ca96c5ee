#include <gtest/gtest.h>

#include "stunt/control/hit_react/hit_react_paper.h"
#include "tests/sample_actor.h"
#include "tests/test_performers.h"

namespace stunt {
namespace {

// Virtual work: with the foot held, a small turn of a joint of the leg carries the centre of mass, as a point of the
// pelvis, a small way along the virtual force. Their ratio is the torque.
TEST(HitReactPaper, TheVirtualActuatorDoesTheWorkOfItsForce) {
  const ActorPtr actor = sample_actor();
  const auto leg = find_leg(*actor, true);
  ASSERT_TRUE(leg);
  const std::vector<VecX> rest(3, actor->rest_q());
  const auto reference =
      std::make_shared<SampledReference>(actor, 120.0, rest, std::vector<std::vector<std::uint8_t>>(3));
  HitReactPaperSettings settings;
  HitReactPaperController balancing(settings, reference);
  settings.balance = "none";
  HitReactPaperController tracking(settings, reference);

  Random random(7);
  Observation now{0, 0.001, actor->rest_q(), VecX::Zero(actor->nv()), {}, {}};
  random_state(*actor, random, now.q, now.v);
  now.v.setZero();
  const ActorContact ground{
      leg->foot, Vec3::Zero(), Vec3::UnitZ(), {0, 0, 700}, Vec3::Zero(), /*support=*/true, 0};
  now.contacts = {&ground, 1};
  Actuation with{VecX::Zero(actor->nv()), {}}, without = with;
  balancing.actuate(now, with);
  tracking.actuate(now, without);
  const VecX added = with.torque - without.torque;

  ActorDynamics body(actor), turned(actor);
  body.set_state(now.q, now.v);
  Vec3 sole = Vec3::Zero();
  int count = 0;
  for (const ContactPoint& point : actor->contact_points()) {
    if (!point.left) continue;
    sole += body.point(point.body, point.position);
    ++count;
  }
  Vec3 force = actor->mass() * settings.force_gain * (sole / count - body.com());
  force.z() = 0;
  const Vec3 spot = body.body_rotation(0).conjugate() * (body.com() - body.body_position(0));
  constexpr double kTurn = 1e-6;
  VecX q, step;
  for (int dof = 6; dof < actor->nv(); ++dof) {
    double wanted = 0;
    if (std::find(leg->dofs.begin(), leg->dofs.end(), dof) != leg->dofs.end()) {
      step = VecX::Zero(actor->nv());
      step[dof] = kTurn;
      integrate(*actor, now.q, step, 1, q);
      turned.set_state(q, now.v);
      const Quat back = body.body_rotation(leg->foot) * turned.body_rotation(leg->foot).conjugate();
      const Vec3 moved =
          body.body_position(leg->foot) + back * (turned.point(0, spot) - turned.body_position(leg->foot));
      wanted = force.dot(moved - body.com()) / kTurn;
    }
    EXPECT_NEAR(added[dof], wanted, 1e-3 * force.norm()) << dof;
  }
  EXPECT_GT(added.norm(), 1);
}

class BalanceTest : public testing::TestWithParam<std::pair<std::string, std::string>> {};

TEST_P(BalanceTest, KeepsABoxerOnGuardStanding) {
  const auto& [engine, balance] = GetParam();
  const Recording r =
      test::simulation(
          fmt::format("engine: {}\nduration: 4\nactors: [{{motion: {{source: guard, loop: true}}, "
                      "controller: {{type: hit_react, preset: paper, balance: {}}}}}]\n",
                      engine, balance))
          ->run();
  EXPECT_EQ(r.actors[0].fall.has_value(), balance == "none");
}

INSTANTIATE_TEST_SUITE_P(All, BalanceTest,
                         testing::Values(std::pair("mujoco", "virtual_actuator"),
                                         std::pair("mujoco", "offsets"), std::pair("mujoco", "none"),
                                         std::pair("ode", "virtual_actuator"), std::pair("ode", "offsets")),
                         [](const auto& row) { return row.param.first + "_" + row.param.second; });

// A ball against the chest moves a boxer that gives way further than one that does not; both stand, and a blow on the
// chest leaves the arms stiff.
TEST(HitReact, GivesWayWhereItIsHit) {
  const auto farthest = [](bool reacts) {
    const Recording r =
        test::simulation(fmt::format("duration: 3\nactors: [{{motion: {{source: guard, loop: true}}, "
                                     "controller: {{type: hit_react, reaction: "
                                     "{{on: {}}}}}}}]\nthrows: [{{body: head, size: 0.2, mass: 1, speed: 5, "
                                     "distance: 1, from_deg: 90, height: 1.6}}]\n",
                                     reacts))
            ->run();
    EXPECT_FALSE(r.actors[0].fall) << reacts;
    const Actor& actor = *r.actors[0].slot.actor;
    ActorDynamics ours(r.actors[0].slot.actor), data(r.actors[0].slot.actor);
    const VecX still = VecX::Zero(actor.nv());
    double most = 0;
    for (int i = 0; i < r.samples(); ++i) {
      ours.set_state(r.q(i, r.actors[0]), still);
      data.set_state(r.actors[0].reference_q(i), still);
      const int head = actor.body(Role::head);
      most = std::max(most, ((ours.body_position(head) - ours.body_position(0)) -
                             (data.body_position(head) - data.body_position(0)))
                                .norm());
    }
    return most;
  };
  const double soft = farthest(true), stiff = farthest(false);
  EXPECT_GT(soft, 1.3 * stiff);
  EXPECT_GT(soft, 0.02);
}

}  // namespace
}  // namespace stunt
