// What is special about the engine without a solver; what all engines share is in ../engine_test.cc.
#include "stunt/world/penalty/penalty_engine.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>

#include "stunt/core/error.h"
#include "tests/test_scenes.h"

namespace stunt {
namespace {

using test::compile_mjcf;
using test::compile_yaml;

void run_penalty(Engine& engine, double seconds) {
  const int steps = static_cast<int>(std::lround(seconds / engine.timestep()));
  for (int i = 0; i < steps; ++i) engine.step();
}

TEST(Penalty, ABoxComesToRestOnItsSpringsWithoutABounce) {
  for (const double timestep : {0.0003, 0.00125, 0.004}) {
    const auto engine = make_penalty_engine(compile_yaml(fmt::format(
        "timestep: {}\nobjects: [{{name: box, size: [0.4, 0.4, 0.4], mass: 20, position: [0, 0, 0.3]}}]",
        timestep)));
    double lowest = 1, highest_after = 0;
    for (int i = 0; i < std::lround(2 / timestep); ++i) {
      engine->step();
      const double z = engine->body_position(1).z();
      lowest = std::min(lowest, z);
      if (z < 0.2) highest_after = 0;
      highest_after = std::max(highest_after, z);
    }
    EXPECT_LT(highest_after, 0.2) << timestep;  // once it touches it stays down
    // Depth of four springs under its weight, and forces that carry it.
    EXPECT_NEAR(engine->body_position(1).z(), 0.2 - 20 * 9.81 / (4 * 75e3), 1e-6) << timestep;
    Vec3 sum = Vec3::Zero();
    for (const Contact& contact : engine->contacts()) sum += contact.force;
    EXPECT_LT((sum - Vec3(0, 0, 20 * 9.81)).norm(), 1e-3) << timestep;
  }
}

TEST(Penalty, AHeavyBoxSwingsOnItsSpringsAsASpringDoes) {
  // 2000 kg on four springs is weakly damped: period and decay are those of a damped oscillator.
  const double mass = 2000, stiffness = 4 * 75e3, damping = 4 * 500.0;
  const auto engine = make_penalty_engine(
      compile_yaml("timestep: 0.0001\ncontact: {damping: 500}\n"
                   "objects: [{name: box, size: [0.4, 0.4, 0.4], mass: 2000, position: [0, 0, 0.15]}]"));
  const double rest = 0.2 - mass * 9.81 / stiffness, start = 0.15 - rest;
  const double decay = damping / (2 * mass), omega = std::sqrt(stiffness / mass - decay * decay);
  for (int i = 0; i < 10; ++i) {
    run_penalty(*engine, 0.05);
    const double t = engine->time();
    const double expected =
        start * std::exp(-decay * t) * (std::cos(omega * t) + decay / omega * std::sin(omega * t));
    EXPECT_NEAR(engine->body_position(1).z() - rest, expected, 0.01 * start) << t;
  }
}

TEST(Penalty, FallsAsMujocoDoesUntilItTouches) {
  const auto model = compile_yaml("actors: [{name: a, motion: x}]");
  const auto ours = make_penalty_engine(model), theirs = make_engine("mujoco", model);
  std::vector<double> q(ours->q().begin(), ours->q().end()), v(ours->v().size());
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = 0.5 * std::sin(2.0 * static_cast<double>(i));
  q[2] = 3;
  ours->set_state(q, v);
  theirs->set_state(q, v);
  run_penalty(*ours, 0.4);
  run_penalty(*theirs, 0.4);
  EXPECT_TRUE(ours->contacts().empty());
  for (std::size_t i = 0; i < q.size(); ++i) EXPECT_NEAR(ours->q()[i], theirs->q()[i], 1e-3) << i;
}

TEST(Penalty, ContactForcesBalanceTheChangeOfMomentum) {
  // A character drops onto ground that moves, with a ball in between: every force that is reported acts.
  const auto engine = make_penalty_engine(compile_yaml(R"(
actors: [{name: a, motion: x}]
platforms: [{name: lift, position: [0, 0, 0], amplitude: [0.1, 0.05, 0.02], period: 0.5}]
objects: [{name: ball, shape: sphere, size: 0.2, mass: 3, position: [0.05, 0.1, 0.25], friction: 0.7}])"));
  const mjModel& m = *engine->scene().model;
  DataPtr data(mj_makeData(&m));
  const auto momentum = [&](int body) {  // of what hangs on it
    std::copy(engine->q().begin(), engine->q().end(), data->qpos);
    std::copy(engine->v().begin(), engine->v().end(), data->qvel);
    mj_fwdPosition(&m, data.get());
    mj_fwdVelocity(&m, data.get());
    mj_subtreeVel(&m, data.get());
    return Vec3(m.body_subtreemass[body] * vec3(data->subtree_linvel + 3 * body));
  };
  int between = 0, sliding = 0;
  for (int i = 0; i < 600; ++i) {
    const int trunk = 1, ball = mj_name2id(&m, mjOBJ_BODY, "ball");
    const Vec3 trunk_before = momentum(trunk), ball_before = momentum(ball);
    engine->step();
    Vec3 trunk_force(0, 0, -9.81 * m.body_subtreemass[trunk]),
        ball_force(0, 0, -9.81 * m.body_subtreemass[ball]);
    const ActorSlot& actor = engine->scene().actors[0];
    for (const Contact& contact : engine->contacts()) {
      for_own_sides(contact, actor, [&](int, int, double sign) { trunk_force += sign * contact.force; });
      if (contact.body1 == ball) ball_force -= contact.force;
      if (contact.body2 == ball) ball_force += contact.force;
      between += (contact.body1 == ball && actor.own(contact.body2) >= 0) ||
                 (contact.body2 == ball && actor.own(contact.body1) >= 0);
      const double push = contact.force.dot(contact.normal);
      const double along = (contact.force - push * contact.normal).norm();
      EXPECT_LT(along, 1.3 * std::abs(push) + 20) << i;
      sliding += along > 0.65 * push;
    }
    // The momentum of bodies that turn is exact only to first order in the step.
    EXPECT_LT((momentum(trunk) - trunk_before - engine->timestep() * trunk_force).norm(), 0.05) << i;
    EXPECT_LT((momentum(ball) - ball_before - engine->timestep() * ball_force).norm(), 1e-6) << i;
  }
  EXPECT_GT(between, 20);
  EXPECT_GT(sliding, 5);
}

TEST(Penalty, FastSlidingLosesNoMoreEnergyThanFrictionTakes) {
  // Friction of 10 on something light and fast: the case that explicit friction cannot survive.
  const auto engine = make_penalty_engine(
      compile_yaml("timestep: 0.00125\nground: {friction: 10}\n"
                   "objects: [{name: box, size: [0.1, 0.1, 0.02], mass: 0.1, position: [0, 0, 0.012]}]"));
  std::vector<double> q(engine->q().begin(), engine->q().end()), v(engine->v().size(), 0.0);
  v[0] = 20;
  v[5] = 100;
  engine->set_state(q, v);
  double energy = 1e9;
  for (int i = 0; i < 400; ++i) {
    engine->step();
    double squares = 0;
    for (const double speed : engine->v()) squares += speed * speed;
    if (i > 50) {
      EXPECT_LT(squares, energy * 1.001 + 1e-4) << i;
    }
    energy = squares;
    EXPECT_LT(squares, 21 * 21 + 101 * 101 + 500) << i;
  }
}

TEST(Penalty, JointSpringsAreImplicit) {
  // A spring far too stiff for an explicit step of this length comes to rest where spring and weight balance.
  const auto engine = make_penalty_engine(compile_mjcf(
      R"(<mujoco><option timestep="0.005"/><worldbody><body pos="0 0 2">
      <joint axis="0 1 0" stiffness="5000" damping="1"/><geom type="capsule" fromto="0 0 0 .4 0 0" size=".02" mass="1"/>
      <body pos=".4 0 0"><joint type="ball" stiffness="3000" damping=".1"/><geom type="sphere" pos=".1 0 0" size=".05" mass="1"/></body>
      </body></worldbody></mujoco>)"));
  run_penalty(*engine, 3);
  for (const double speed : engine->v()) EXPECT_NEAR(speed, 0, 1e-6);
  EXPECT_NEAR(engine->q()[0], 9.81 * (0.2 + 0.5) / 5000, 1e-5);
  EXPECT_NEAR(log_map(quat_from_wxyz(&engine->q()[1])).norm(), 9.81 * 0.1 / 3000, 1e-5);
}

TEST(Penalty, RefusesWhatItLacks) {
  const char* joint =
      R"(<mujoco><worldbody><body><joint name="j" axis="0 1 0" {}/><geom size=".1"/></body></worldbody>{}</mujoco>)";
  const auto make = [&](const char* attribute, const char* more) {
    make_penalty_engine(compile_mjcf(fmt::format(fmt::runtime(joint), attribute, more)));
  };
  EXPECT_NO_THROW(make("", ""));
  EXPECT_THROW(make("frictionloss=\"1\"", ""), InputError);
  EXPECT_THROW(make("", R"(<tendon><fixed><joint joint="j" coef="1"/></fixed></tendon>)"), InputError);
  EXPECT_THROW(make("", R"(<equality><joint joint1="j"/></equality>)"), InputError);
}

}  // namespace
}  // namespace stunt
