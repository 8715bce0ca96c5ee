#include "stunt/control/pd/pd.h"

#include <gtest/gtest.h>

#include "stunt/actor/variation.h"
#include "stunt/control/parts/root_help.h"
#include "tests/sample_actor.h"
#include "tests/test_performers.h"

namespace stunt {
namespace {

using test::controller_from;
using test::floating;
using test::pendulum;
using test::simulation;

// Turns the pendulum's only joint away from the reference's zero.
void deflect(Simulation& running, double angle) {
  std::vector<double> q(running.engine().q().begin(), running.engine().q().end());
  q.back() = angle;
  running.engine().set_state(q, running.engine().v());
}

// Without damping a joint swings with sqrt(k), because the torque grows with the inertia it moves.
TEST(Pd, FrequencyDoesNotDependOnTheMassMoved) {
  for (const auto& [mass, length] : {std::pair(0.5, 0.2), std::pair(2.0, 0.5), std::pair(40.0, 1.5)}) {
    const auto running =
        floating(pendulum(mass, length),
                 "type: pd, stable: false, damping_ratio: 0, gravity_compensation: false, stiffness: 400");
    deflect(*running, 0.1);
    double last = 0.1, first_crossing = 0, last_crossing = 0;
    int crossings = 0;
    while (!running->done()) {
      running->step();
      const double now = running->engine().q().back();
      if (last > 0 && now <= 0) {
        const double at = running->time() - 0.001 * now / (now - last);
        if (crossings++ == 0) first_crossing = at;
        last_crossing = at;
      }
      last = now;
    }
    ASSERT_GT(crossings, 4);
    EXPECT_NEAR((last_crossing - first_crossing) / (crossings - 1), 2 * kPi / std::sqrt(400.0), 1e-3) << mass;
  }
}

TEST(Pd, TheStableVariantHoldsWhereThePlainOneDiverges) {
  // Semi-implicit Euler with explicit damping is stable while k dt^2 + 2 b dt < 4; here it is 5 at 5 ms.
  const std::string stiff = "type: pd, stiffness: 40000, stable: ";
  const auto plain = floating(pendulum(2, 0.5), stiff + "false", "timestep: 0.005");
  const auto stable = floating(pendulum(2, 0.5), stiff + "true", "timestep: 0.005");
  deflect(*plain, 0.1);
  deflect(*stable, 0.1);
  const Recording diverged = plain->run(), held = stable->run();
  EXPECT_FALSE(diverged.diverged.empty());
  EXPECT_TRUE(held.diverged.empty());
  EXPECT_LT(std::abs(held.q(held.samples() - 1)[7]), 1e-4);
}

TEST(Pd, GravityCompensationHoldsAStretchedArm) {
  // A rod held level by a weak spring: with the compensation it stays, without it sinks by tau / (I k).
  for (const double gravity : {9.81, 1.62}) {
    const ActorPtr actor = vary(pendulum(2, 0.5), {.gravity = gravity});
    VecX level = actor->rest_q();
    level[7] = kPi / 2;
    for (const bool compensated : {true, false}) {
      PdSettings settings;
      settings.stiffness = 50;
      settings.stable = false;
      settings.gravity_compensation = compensated;
      const std::vector<VecX> q(3, level);
      PdController controller(settings, std::make_shared<SampledReference>(
                                            actor, 120.0, q, std::vector<std::vector<std::uint8_t>>(3)));
      Observation now{0, 0.001, level, VecX::Zero(actor->nv()), {}, {}};
      Actuation out{VecX::Zero(actor->nv()), {}};
      controller.actuate(now, out);
      EXPECT_NEAR(std::abs(out.torque[6]), compensated ? 2 * gravity * 0.25 : 0, 1e-9);
      EXPECT_EQ(out.torque.head<6>().norm(), 0);
    }
  }
}

// A trolley on a rail carries a mast; a second trolley beside it comes later in the list of bodies and
// carries a box.
TEST(Pd, ASlideMovesWhatHangsOnItAndNothingElse) {
  const ActorPtr actor = Actor::from_xml(R"(<mujoco><worldbody>
    <body name="base"><freejoint/><geom size="0.1" mass="50"/>
      <body name="trolley"><joint name="rail" type="slide" axis="1 0 0"/><geom size="0.1" mass="2"/>
        <body name="mast"><joint name="mast" axis="0 1 0"/><geom size="0.1" mass="3"/></body></body>
      <body name="other"><joint name="other" type="slide" axis="1 0 0"/><geom size="0.1" mass="5"/>
        <body name="box"><joint name="box" axis="0 1 0"/><geom size="0.1" mass="7"/></body></body>
    </body></worldbody></mujoco>)",
                                         "trolleys", "trolleys.xml");
  const std::vector<VecX> q(3, actor->rest_q());
  PdController controller(
      {.stiffness = 100, .stable = false, .gravity_compensation = false},
      std::make_shared<SampledReference>(actor, 120.0, q, std::vector<std::vector<std::uint8_t>>(3)));
  for (const auto& [name, mass] : {std::pair("rail", 2 + 3), std::pair("other", 5 + 7)}) {
    const auto joint = std::find_if(actor->joints().begin(), actor->joints().end(),
                                    [&](const ActorJoint& j) { return j.name == name; });
    Observation now{0, 0.001, actor->rest_q(), VecX::Zero(actor->nv()), {}, {}};
    now.q[joint->q_address] = -0.1;
    Actuation out{VecX::Zero(actor->nv()), {}};
    controller.actuate(now, out);
    EXPECT_NEAR(out.torque[joint->v_address], 100 * mass * 0.1, 1e-9) << name;
  }
}

// An arm that was hit pushes like one whose stiffness was lower from the start, its damping ratio the same; the rest of
// the body as before.
TEST(Pd, AHitArmIsAsSoftAsItSays) {
  const ActorPtr actor = sample_actor();
  const int arm = actor->body(Role::left_forearm);
  const std::vector<VecX> rest(3, actor->rest_q());
  const auto reference =
      std::make_shared<SampledReference>(actor, 120.0, rest, std::vector<std::vector<std::uint8_t>>(3));
  PdSettings settings{.stiffness = 800, .stable = false, .gravity_compensation = false};
  settings.reaction.arm = 0.25;
  PdController hit(settings, reference), stiff(settings, reference);
  settings.stiffness *= 0.25;
  PdController soft(settings, reference);
  Random random(5);
  Observation now{0, 0.001, actor->rest_q(), VecX::Zero(actor->nv()), {}, {}};
  random_state(*actor, random, now.q, now.v);
  const ActorContact blow{arm,          {0.1, 0, 1},       Vec3::UnitX(), {500, 0, 0},
                          Vec3::Zero(), /*support=*/false, /*other=*/9};
  Actuation of_hit{VecX::Zero(actor->nv()), {}}, of_stiff = of_hit, of_soft = of_hit;
  stiff.actuate(now, of_stiff);
  soft.actuate(now, of_soft);
  now.contacts = {&blow, 1};
  hit.actuate(now, of_hit);
  int in_arm = 0;
  for (const ActorJoint& joint : actor->joints()) {
    if (joint.type == JointType::free) continue;
    const bool of_arm = joint.name == "shoulder" || joint.name == "elbow";
    in_arm += of_arm;
    const VecX wanted = (of_arm ? of_soft : of_stiff).torque.segment(joint.v_address, joint.dofs);
    EXPECT_LT((of_hit.torque.segment(joint.v_address, joint.dofs) - wanted).norm(), 1e-9) << joint.name;
  }
  EXPECT_EQ(in_arm, 2);
}

class PedestalTest : public testing::TestWithParam<std::string> {};

TEST_P(PedestalTest, HoldsTheRootToTheMillimetre) {
  const auto running =
      simulation("engine: " + GetParam() +
                 "\nduration: 3\nactors: [{motion: squat, controller: {type: pd, pedestal: true}}]\n");
  const Recording r = running->run();
  const ActorTrack& track = r.actors[0];
  double worst = 0, depth = 0;
  for (int i = 0; i < r.samples(); ++i) {
    const Vec3 root = r.q(i).head<3>(), wanted = track.reference_q(i).head<3>();
    worst = std::max(worst, (root - wanted).norm());
    depth = std::max(depth, track.reference_q(0)[2] - wanted.z());
  }
  EXPECT_GT(depth, 0.1) << "the motion does not move the root";
  EXPECT_LE(worst, 1e-3);
  EXPECT_TRUE(track.pedestal);
  EXPECT_GT(track.assist_force_mean, 0);
}

INSTANTIATE_TEST_SUITE_P(Both, PedestalTest, testing::Values("mujoco", "ode"),
                         [](const auto& row) { return row.param; });

// 100 N per metre and kilogram at strength 1: a body 0.1 m away, at rest, is pulled with half of that.
TEST(Assist, PullsAsStronglyAsItSays) {
  const ActorPtr actor = pendulum(2, 0.5);
  const std::vector<VecX> q(3, actor->rest_q());
  const ReferencePtr reference =
      std::make_shared<SampledReference>(actor, 120.0, q, std::vector<std::vector<std::uint8_t>>(3));
  const auto controller = controller_from("{type: pd, assist: 0.5}", reference);
  Observation now{0, 0.001, actor->rest_q(), VecX::Zero(actor->nv()), {}, {}};
  now.q[0] -= 0.1;
  Actuation out{VecX::Zero(actor->nv()), {}};
  controller->actuate(now, out);
  EXPECT_NEAR(out.torque[0], 0.5 * 100 * actor->mass() * 0.1, 1e-6 * actor->mass());
}

// The whole body is pulled as one: the centre of mass gets force / mass, and nothing starts to spin.
TEST(Assist, AtTheCentreOfMassTurnsNothing) {
  const ActorPtr actor = sample_actor();
  const std::vector<VecX> q(3, actor->rest_q());
  const ReferencePtr reference =
      std::make_shared<SampledReference>(actor, 120.0, q, std::vector<std::vector<std::uint8_t>>(3));
  const auto pulled = controller_from("{type: ragdoll, assist: 0.5, assist_at: center_of_mass}", reference);
  const auto alone = controller_from("{type: ragdoll}", reference);
  Random random(2);
  Observation now{0, 0.001, actor->rest_q(), VecX::Zero(actor->nv()), {}, {}};
  random_state(*actor, random, now.q, now.v);
  now.v.setZero();
  Actuation with{VecX::Zero(actor->nv()), {}}, without = with;
  pulled->actuate(now, with);
  alone->actuate(now, without);
  ActorDynamics ours(actor), wanted(actor);
  ours.set_state(now.q, now.v);
  wanted.set_state(actor->rest_q(), now.v);
  const MatX mass = ours.mass_matrix();
  const VecX a = mass.ldlt().solve(with.torque - without.torque);
  Jacobian J, A;
  ours.com_jacobian(J);
  ours.angular_momentum_matrix(A);
  const Vec3 acceleration = J * a, way = wanted.com() - ours.com();
  EXPECT_NEAR(acceleration.x(), 50 * way.x(), 1e-6);
  EXPECT_NEAR(acceleration.y(), 50 * way.y(), 1e-6);
  EXPECT_NEAR(acceleration.z(), 0, 1e-6);
  EXPECT_LT(Vec3(A * a).norm(), 1e-6);
  EXPECT_GT(way.head<2>().norm(), 0.01);
}

TEST(Assist, IsReported) {
  const auto helped = [](const std::string& assist) {
    const auto running = simulation(
        "duration: 0.3\nactors: [{motion: stand, controller: {type: pd, assist: " + assist + "}}]\n");
    return running->run().actors[0].assist_force_mean;
  };
  EXPECT_EQ(helped("0"), 0);
  EXPECT_GT(helped("1"), 0);
}

}  // namespace
}  // namespace stunt
