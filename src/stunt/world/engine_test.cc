// What every engine must get right, each against a law of mechanics.
#include "stunt/world/engine.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>

#include "malloc_counter.h"
#include "stunt/core/error.h"
#include "tests/test_scenes.h"

namespace stunt {
namespace {

using test::compile_mjcf;
using test::compile_yaml;

class EngineTest : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Engine> yaml(const std::string& text) {
    return make_engine(GetParam(), compile_yaml(text));
  }
  std::unique_ptr<Engine> mjcf(const std::string& text) {
    return make_engine(GetParam(), compile_mjcf(text));
  }
  bool mujoco() const { return GetParam() == "mujoco"; }
};

int body(const Engine& engine, const std::string& name) {
  const int id = mj_name2id(engine.scene().model.get(), mjOBJ_BODY, name.c_str());
  EXPECT_GE(id, 0) << name;
  return id;
}

void run(Engine& engine, double seconds) {
  const int steps = static_cast<int>(std::lround(seconds / engine.timestep()));
  for (int i = 0; i < steps; ++i) engine.step();
}

// Momentum and energy of the whole model by MuJoCo's own formulas, from q and v alone.
struct Totals {
  Vec3 linear, angular;
  double energy;
};
Totals totals(const Engine& engine) {
  const mjModel* m = engine.scene().model.get();
  mjData* d = mj_makeData(m);
  std::copy(engine.q().begin(), engine.q().end(), d->qpos);
  std::copy(engine.v().begin(), engine.v().end(), d->qvel);
  mj_forward(m, d);
  mj_energyPos(m, d);
  mj_energyVel(m, d);
  mj_subtreeVel(m, d);
  const Vec3 p = mj_getTotalmass(m) * Eigen::Map<Vec3>(d->subtree_linvel);
  const Vec3 com = Eigen::Map<Vec3>(d->subtree_com);
  const Totals result{p, Vec3(Eigen::Map<Vec3>(d->subtree_angmom)) + com.cross(p),
                      d->energy[0] + d->energy[1]};
  mj_deleteData(d);
  return result;
}

TEST_P(EngineTest, ABallFallsWithGravity) {
  const auto engine =
      yaml("ground: {present: false}\nobjects: [{name: ball, shape: sphere, position: [1, 2, 50]}]");
  run(*engine, 1);
  const double g = 9.81, h = engine->timestep();
  EXPECT_NEAR(engine->time(), 1, 1e-9);
  EXPECT_NEAR(engine->body_position(1).z(), 50 - g / 2 * (1 + h),
              1e-6);  // the sum that both integrators form
  EXPECT_NEAR(engine->v()[2], -g, 1e-9);
  EXPECT_NEAR(engine->body_velocity_at(1, Vec3(1, 2, 3)).z(), -g, 1e-9);
}

TEST_P(EngineTest, TheFreeStateIsWhatWasSet) {
  const auto engine = yaml("ground: {present: false}\ngravity: 0\nactors: [{name: a, motion: x}]");
  const mjModel& m = *engine->scene().model;
  std::vector<double> q(m.qpos0, m.qpos0 + m.nq), v(m.nv, 0.0), zero(m.nv, 0.0);
  for (int i = 0; i < m.nv; ++i) v[i] = 0.4 * std::sin(i + 1.0);
  mj_integratePos(&m, q.data(), v.data(), 1);
  engine->set_state(q, v);
  for (int i = 0; i < m.nq; ++i) EXPECT_NEAR(engine->q()[i], q[i], 1e-12) << i;
  for (int i = 0; i < m.nv; ++i) EXPECT_NEAR(engine->v()[i], v[i], 1e-12) << i;
  mjData* d = mj_makeData(&m);
  std::copy(q.begin(), q.end(), d->qpos);
  std::copy(v.begin(), v.end(), d->qvel);
  mj_forward(&m, d);
  for (int b = 1; b < m.nbody; ++b) {
    EXPECT_LT((engine->body_position(b) - Eigen::Map<Vec3>(d->xpos + 3 * b)).norm(), 1e-9);
    EXPECT_LT(angle_between(engine->body_rotation(b), quat_from_wxyz(d->xquat + 4 * b)), 1e-7);
    double expected[6];
    mj_objectVelocity(&m, d, mjOBJ_BODY, b, expected, 0);  // at the centre of mass
    EXPECT_LT(
        (engine->body_velocity_at(b, Eigen::Map<Vec3>(d->xipos + 3 * b)) - Eigen::Map<Vec3>(expected + 3))
            .norm(),
        1e-9);
  }
  mj_deleteData(d);
  // And it moves on with that velocity.
  std::vector<double> moved;
  for (int i = 0; i < 2; ++i) engine->step();
  moved.resize(m.nv);
  mj_differentiatePos(&m, moved.data(), 2 * engine->timestep(), q.data(), engine->q().data());
  for (int i = 0; i < m.nv; ++i) EXPECT_NEAR(moved[i], v[i], 0.05) << i;
}

constexpr const char* kDoublePendulum = R"(<mujoco><option timestep="0.0005"/>
  <worldbody><body name="upper" pos="0 0 2" euler="0 20 0">
    <joint type="hinge" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.03" mass="1"/>
    <body name="lower" pos="0.5 0 0" euler="0 0 30">
      <joint type="hinge" axis="0 1 0"/><joint type="hinge" axis="0 0 1"/>
      <geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.03" mass="1"/>
      <body name="last" pos="0.5 0 0"><joint type="ball"/>
        <geom type="capsule" fromto="0 0 0 0.3 0 0.1" size="0.03" mass="1"/></body>
    </body></body></worldbody></mujoco>)";

TEST_P(EngineTest, AFreelySwingingChainKeepsItsEnergy) {
  const auto engine = mjcf(kDoublePendulum);
  const double start = totals(*engine).energy;
  double worst = 0, lowest = 0;
  for (int i = 0; i < 2000; ++i) {
    engine->step();
    worst = std::max(worst, std::abs(totals(*engine).energy - start));
    lowest = std::min(lowest, engine->body_position(body(*engine, "last")).z() - 2);
  }
  EXPECT_LT(lowest, -0.5);  // it did swing: about 30 J were exchanged
  EXPECT_LT(worst, mujoco() ? 0.3 : 0.6);
}

TEST_P(EngineTest, ABoxSticksBelowTheFrictionAngleAndSlidesAbove) {
  const double slope = radians(25), g = 9.81;
  for (const double friction : {0.6, 0.3}) {  // tan 25 deg is 0.466
    const auto engine =
        yaml(fmt::format("ground: {{slope_deg: 25, friction: {}}}\n"
                         "objects: [{{name: box, size: [0.4, 0.4, 0.1], mass: 5, rotation_deg: [0, -25, 0], "
                         "position: [{}, 0, {}]}}]",
                         friction, -0.0499 * std::sin(slope), 0.0499 * std::cos(slope)));
    run(*engine, 0.3);  // settle
    const Vec3 before = engine->body_position(1);
    const double speed_before = engine->body_velocity_at(1, before).norm();
    run(*engine, 1);
    const double moved = (engine->body_position(1) - before).norm();
    if (friction > 0.466) {
      EXPECT_LT(moved, 0.002);
    } else {
      const double acceleration = g * (std::sin(slope) - friction * std::cos(slope));
      EXPECT_NEAR(moved, speed_before + acceleration / 2, 0.03 * acceleration / 2);
      EXPECT_LT(engine->body_position(1).x(), before.x());  // downhill
    }
  }
}

TEST_P(EngineTest, InternalTorquesKeepMomentum) {
  const auto engine =
      mjcf(R"(<mujoco><option timestep="0.001" gravity="0 0 0"><flag contact="disable"/></option><worldbody>
    <body name="a" pos="0 0 1"><freejoint/><geom type="box" size="0.2 0.1 0.3" mass="4"/>
      <body name="b" pos="0.2 0 0.3"><joint type="ball"/><geom type="capsule" fromto="0 0 0 0 0 0.5" size="0.05" mass="2"/>
        <body name="c" pos="0 0 0.5"><joint axis="1 0 0"/><joint axis="0 1 0"/><joint axis="0 0 1"/>
          <geom type="box" pos="0.1 0 0.1" size="0.1 0.1 0.1" mass="1"/>
          <body name="d" pos="0.2 0 0"><joint axis="0 1 0"/><joint axis="0 0 1"/>
            <geom type="box" pos="0.1 0 0.1" size="0.1 0.1 0.1" mass="1"/></body></body></body></body>
    </worldbody></mujoco>)");
  std::vector<double> q(engine->q().begin(), engine->q().end()), v(engine->v().size());
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = 0.2 * std::cos(2.0 * static_cast<double>(i));
  engine->set_state(q, v);
  const Totals start = totals(*engine);
  double moved = 0;
  for (int i = 0; i < 1000; ++i) {
    auto forces = engine->joint_forces();
    for (std::size_t k = 6; k < forces.size(); ++k)
      forces[k] = 0.1 * std::sin(0.01 * i + static_cast<double>(k));
    engine->step();
    for (std::size_t k = 7; k < q.size(); ++k) moved = std::max(moved, std::abs(engine->q()[k] - q[k]));
  }
  const Totals end = totals(*engine);
  EXPECT_GT(moved, 0.2);
  EXPECT_LT((end.linear - start.linear).norm(), 5e-3 * start.linear.norm());
  EXPECT_LT((end.angular - start.angular).norm(), 0.02 * start.angular.norm());
}

TEST_P(EngineTest, TheGroundCarriesAStandingBox) {
  const auto engine = yaml("objects: [{name: box, size: [0.4, 0.4, 0.4], mass: 7, position: [0, 0, 0.2]}]");
  run(*engine, 1);
  Vec3 sum = Vec3::Zero();
  ASSERT_FALSE(engine->contacts().empty());
  for (const Contact& contact : engine->contacts()) {
    EXPECT_EQ(contact.body1 + contact.body2, 1);  // world and box
    sum += contact.body2 == 1 ? contact.force : Vec3(-contact.force);
    EXPECT_GT((contact.body2 == 1 ? contact.normal : Vec3(-contact.normal)).z(), 0.999);
    EXPECT_NEAR(contact.point.z(), 0, 0.005);
    EXPECT_GT(contact.depth, 0);
  }
  EXPECT_LT((sum - Vec3(0, 0, 7 * 9.81)).norm(), 0.05);
}

TEST_P(EngineTest, ASeesawTipsToTheHeavierSide) {
  for (const double heading : {0.0, 90.0}) {
    const Vec3 along(std::cos(radians(heading)), std::sin(radians(heading)), 0);
    const auto place = [&](double x) { return fmt::format("[{}, {}, 0.63]", x * along.x(), x * along.y()); };
    const auto engine = yaml(fmt::format(
        "seesaws: [{{name: board, position: [0, 0, 0.5], heading_deg: {}, limit_deg: 12}}]\n"
        "objects: [{{name: heavy, mass: 20, position: {}}}, {{name: light, mass: 5, position: {}}}]",
        heading, place(1), place(-1)));
    run(*engine, 1.5);
    const Vec3 normal = engine->body_rotation(body(*engine, "board")) * Vec3::UnitZ();
    EXPECT_NEAR(degrees(std::acos(normal.z())), 12, 1.0);
    EXPECT_GT(normal.dot(along), 0);  // leans towards the heavy side
    EXPECT_LT(engine->body_position(body(*engine, "heavy")).z(),
              engine->body_position(body(*engine, "light")).z());
  }
}

TEST_P(EngineTest, APlatformDragsWhatStandsOnIt) {
  const auto engine = yaml(R"(
platforms: [{name: lift, position: [0, 0, 0.5], amplitude: [0.3, 0, 0.1], period: 2, start: 0.2}]
objects: [{name: box, mass: 500, position: [0.1, 0, 0.6]}])");
  const PlatformSlot& lift = engine->scene().platforms.at(0);
  run(*engine, 0.2);
  const Vec3 start = engine->body_position(body(*engine, "box")) - engine->body_position(lift.body);
  for (int i = 0; i < 1500; ++i) {
    engine->step();
    const double t = engine->time();
    const Vec3 expected = lift.spec.position - Vec3(0, 0, 0.05) + lift.spec.offset(t);
    ASSERT_LT((engine->body_position(lift.body) - expected).norm(), 1e-9);
    ASSERT_LT((engine->body_velocity_at(lift.body, Vec3::Zero()) - lift.spec.velocity(t)).norm(), 1e-9);
  }
  const Vec3 end = engine->body_position(body(*engine, "box")) - engine->body_position(lift.body);
  EXPECT_LT((end - start).norm(), 0.01);
  EXPECT_GT(std::abs(engine->q()[static_cast<std::size_t>(lift.first_q)]), 0.05);
}

TEST_P(EngineTest, JointLimitsHold) {
  // Each arm falls onto a stop that is not symmetric: hinge both ways, stack of two, stack of three, slide,
  // ball.
  const auto engine = mjcf(R"(<mujoco><compiler angle="degree"/><option timestep="0.001"/><worldbody>
    <body pos="0 0 2"><joint axis="0 1 0" range="-60 25"/><geom type="capsule" fromto="0 0 0 .4 0 0" size=".04" mass="2"/></body>
    <body pos="0 2 2"><joint axis="0 -1 0" range="-35 60"/><geom type="capsule" fromto="0 0 0 .4 0 0" size=".04" mass="2"/></body>
    <body pos="0 4 2"><joint axis="0 0 1" range="-50 10"/><joint axis="0 1 0" range="-70 40"/>
      <geom type="capsule" fromto="0 0 0 .4 0.1 0" size=".04" mass="2"/></body>
    <body pos="0 6 2"><joint axis="0 1 0" range="-70 30"/><joint axis="1 0 0" range="-50 60"/>
      <geom type="capsule" fromto="0 0 0 .4 0 0" size=".04" mass="2"/></body>
    <body pos="0 8 2"><joint axis="0 0 1" range="-50 10"/><joint axis="0 1 0" range="-70 40"/><joint axis="1 0 0" range="-9 9"/>
      <geom type="capsule" fromto="0 0 0 .4 0.1 0" size=".04" mass="2"/></body>
    <body pos="0 10 2"><joint type="slide" axis="0 0 1" range="-0.2 0.5"/><geom type="sphere" size=".1" mass="2"/></body>
    <body pos="0 12 2"><joint type="ball" range="0 50"/><geom type="capsule" fromto="0 0 0 .4 0 0" size=".04" mass="2"/></body>
    </worldbody></mujoco>)");
  const mjModel& m = *engine->scene().model;
  run(*engine, 2);
  const auto value = [&](int joint) { return engine->q()[static_cast<std::size_t>(m.jnt_qposadr[joint])]; };
  for (int j = 0; j < m.njnt; ++j) {
    if (m.jnt_type[j] == mjJNT_BALL) continue;
    const double slack = m.jnt_type[j] == mjJNT_SLIDE ? 0.02 : radians(3);
    EXPECT_GT(value(j), m.jnt_range[2 * j] - slack) << j;
    EXPECT_LT(value(j), m.jnt_range[2 * j + 1] + slack) << j;
  }
  // They do rest on their stops.
  EXPECT_NEAR(degrees(value(0)), 25, 3);
  EXPECT_NEAR(degrees(value(1)), -35, 3);
  EXPECT_NEAR(degrees(value(3)), 40, 3);
  EXPECT_NEAR(degrees(value(4)), 30, 3);
  EXPECT_NEAR(degrees(value(7)), 40, 3);
  EXPECT_NEAR(value(9), -0.2, 0.02);
  EXPECT_NEAR(degrees(log_map(quat_from_wxyz(engine->q().data() + m.jnt_qposadr[10])).norm()), 50, 4);
}

TEST_P(EngineTest, AHangingBodyPullsWithItsWeight) {
  const auto engine = mjcf(R"(<mujoco><worldbody>
    <body name="top" pos="0 0 2"><joint type="ball" damping="1"/><geom type="capsule" fromto="0 0 0 0 0 -.3" size=".04" mass="2"/>
      <body name="low" pos="0 0 -.3"><joint axis="0 1 0" damping="1"/><geom type="box" pos="0 0 -.2" size=".1 .1 .1" mass="3"/></body>
    </body></worldbody></mujoco>)");
  run(*engine, 1);
  EXPECT_LT((engine->joint_reaction(1).force - Vec3(0, 0, 5 * 9.81)).norm(), 0.02);
  EXPECT_LT((engine->joint_reaction(2).force - Vec3(0, 0, 3 * 9.81)).norm(), 0.02);
  EXPECT_LT(engine->joint_reaction(1).torque.norm(), 0.02);
  // Held out sideways by a torque: the reaction at the hinge has that torque and carries the lever.
  const auto arm = mjcf(R"(<mujoco><worldbody><body pos="0 0 2"><joint axis="0 1 0"/>
    <geom type="box" pos=".5 .2 0" size=".1 .1 .1" mass="3"/></body></worldbody></mujoco>)");
  for (int i = 0; i < 10; ++i) {
    arm->joint_forces()[0] = -3 * 9.81 * 0.5;
    arm->step();
  }
  const Wrench wrench = arm->joint_reaction(1);
  EXPECT_LT((wrench.force - Vec3(0, 0, 3 * 9.81)).norm(), 0.05);
  EXPECT_LT((wrench.torque - Vec3(3 * 9.81 * 0.2, -3 * 9.81 * 0.5, 0)).norm(), 0.05);
}

TEST_P(EngineTest, AnImpulseChangesMomentumByExactlyThat) {
  const auto engine = yaml(
      "gravity: 0\nground: {present: false}\nobjects: [{name: box, size: [0.4, 0.2, 0.6], mass: 6, position: "
      "[1, 2, 3]}]");
  const Totals before = totals(*engine);
  const Vec3 impulse(1, -2, 3), point(1.1, 2.1, 2.8);
  engine->apply_impulse(1, impulse, point);
  engine->apply_torque(1, Vec3(0, 0, 0.5) / engine->timestep());
  engine->step();
  const Totals after = totals(*engine);
  EXPECT_LT((after.linear - before.linear - impulse).norm(), 1e-9);
  EXPECT_LT((after.angular - before.angular - point.cross(impulse) - Vec3(0, 0, 0.5)).norm(), 1e-2);
  engine->step();  // forgotten
  EXPECT_LT((totals(*engine).linear - after.linear).norm(), 1e-9);
}

TEST_P(EngineTest, ForcesOnAFreeRootActAtItsOrigin) {
  const auto engine =
      mjcf(R"(<mujoco><option gravity="0 0 0"/><worldbody><body pos="0 0 1" euler="0 0 90"><freejoint/>
    <geom type="box" pos=".3 0 0" size=".1 .2 .3" mass="2"/></body></worldbody></mujoco>)");
  const auto forces = engine->joint_forces();
  forces[1] = 2000;  // along world y, which is the body's x: through the centre of mass
  forces[3] = 50;    // about the body's x, world y
  engine->step();
  const Totals after = totals(*engine);
  EXPECT_LT((after.linear - Vec3(0, 2000, 0) * engine->timestep()).norm(), 1e-9);
  EXPECT_LT(
      (after.angular - (Vec3(0, 50, 0) + Vec3(0, 0, 1).cross(Vec3(0, 2000, 0))) * engine->timestep()).norm(),
      1e-2);
}

constexpr const char* kBusyScene = R"(
actors: [{name: a, motion: x}, {name: b, motion: x}]
objects:
  - {name: crate, position: [0.05, 0.02, 0.2], mass: 5}
  - {name: ball, shape: sphere, size: 0.2, position: [0.3, 0, 0.5]}
platforms: [{name: lift, position: [0, 0, 0.05], amplitude: [0.1, 0, 0.02], period: 0.7}]
seesaws: [{name: board, position: [0, 3, 0.4]}]
throws: [{every: 1, count: 2}]
)";

void lift_actors(Engine& engine) {
  std::vector<double> q(engine.q().begin(), engine.q().end()), v(engine.v().begin(), engine.v().end());
  const auto& slots = engine.scene().actors;
  q[static_cast<std::size_t>(slots[0].first_q) + 2] = 1.2;
  q[static_cast<std::size_t>(slots[1].first_q) + 2] = 2.3;
  engine.set_state(q, v);
}

void busy_step(Engine& engine, int i) {
  auto forces = engine.joint_forces();
  for (std::size_t k = 0; k < forces.size(); ++k)
    forces[k] = (k % 15 > 5 && k < 30) ? 3 * std::sin(0.01 * i + 1.0 * k) : 0;
  if (i == 150) {
    engine.place_free_body(body(engine, "throw0_0"), Vec3(1, 0, 1), Quat::Identity(), Vec3(-5, 0, 1),
                           Vec3(1, 2, 3));
  }
  engine.step();
}

TEST_P(EngineTest, SaveAndRestoreRepeatBitForBit) {
  const auto engine = yaml(kBusyScene);
  lift_actors(*engine);
  for (int i = 0; i < 120; ++i) busy_step(*engine, i);
  const Snapshot snapshot = engine->save();
  struct Trace {
    std::vector<double> values;
    bool operator==(const Trace&) const = default;
  };
  const auto trace = [&] {
    Trace result;
    const auto note = [&] {
      for (const Contact& c : engine->contacts()) {
        for (int k = 0; k < 3; ++k)
          result.values.insert(result.values.end(), {c.point[k], c.force[k], c.normal[k]});
        result.values.insert(result.values.end(), {c.depth, 1.0 * c.body1, 1.0 * c.body2});
      }
      const Wrench wrench = engine->joint_reaction(3);
      result.values.insert(result.values.end(), wrench.force.begin(), wrench.force.end());
      result.values.insert(result.values.end(), wrench.torque.begin(), wrench.torque.end());
    };
    note();
    for (int i = 120; i < 400; ++i) {
      busy_step(*engine, i);
      result.values.insert(result.values.end(), engine->q().begin(), engine->q().end());
      result.values.insert(result.values.end(), engine->v().begin(), engine->v().end());
      if (i % 10 == 0) note();
    }
    result.values.push_back(engine->time());
    return result;
  };
  const Trace first = trace();
  engine->restore(snapshot);
  EXPECT_TRUE(first == trace());
  // Also in another engine made from the same scene, and a snapshot of the restored state is the same.
  const auto other = yaml(kBusyScene);
  other->restore(snapshot);
  const auto again = other->save().values;
  ASSERT_EQ(again.size(), snapshot.values.size());
  for (std::size_t i = 0; i < again.size(); ++i) ASSERT_EQ(again[i], snapshot.values[i]) << i;
}

TEST_P(EngineTest, WaitingBodiesWaitUntilTheyAreThrown) {
  const auto engine = yaml(kBusyScene);
  const int ball = body(*engine, "throw0_0"), other = body(*engine, "throw0_1");
  const Vec3 parked = engine->body_position(ball), parked_other = engine->body_position(other);
  run(*engine, 0.2);
  EXPECT_EQ(engine->body_position(ball), parked);
  engine->place_free_body(ball, Vec3(5, 5, 3), Quat::Identity(), Vec3(1, 0, 0), Vec3(0, 0, 2));
  EXPECT_EQ(engine->body_position(ball), Vec3(5, 5, 3));
  EXPECT_LT((engine->body_velocity_at(ball, Vec3(6, 5, 3)) - Vec3(1, 2, 0)).norm(), 1e-12);
  run(*engine, 0.1);
  EXPECT_NEAR(engine->body_position(ball).x(), 5.1, 1e-6);
  EXPECT_NEAR(engine->body_position(ball).z(), 3 - 0.5 * 9.81 * 0.01 * 1.01, 1e-4);
  EXPECT_EQ(engine->body_position(other), parked_other);
  EXPECT_THROW(engine->place_free_body(0, Vec3::Zero(), Quat::Identity(), Vec3::Zero(), Vec3::Zero()),
               InputError);
}

TEST_P(EngineTest, SteppingAllocatesNothing) {
  if (!mallocs_can_be_counted()) GTEST_SKIP() << "the sanitizer owns malloc";
  const auto engine = yaml(kBusyScene);
  lift_actors(*engine);
  for (int i = 0; i < 100; ++i) {
    busy_step(*engine, i);
    engine->contacts();
    engine->joint_reaction(2);
  }
  const long before = malloc_count();
  double sum = 0;
  for (int i = 0; i < 300; ++i) {
    busy_step(*engine, 1000 + i);
    for (const Contact& contact : engine->contacts()) sum += contact.force.norm();
    sum += engine->joint_reaction(2).force.norm() + engine->body_velocity_at(2, Vec3::Zero()).norm();
    engine->apply_force(1, Vec3(0, 0, 1), engine->body_position(1));
  }
  EXPECT_EQ(malloc_count(), before);
  EXPECT_GT(sum, 0);
}

TEST_P(EngineTest, ADivergedStateStaysVisible) {
  const auto engine = yaml("actors: [{name: a, motion: x}]");
  engine->joint_forces()[8] = std::nan("");
  engine->step();
  engine->step();
  bool finite = true;
  for (const double value : engine->v()) finite = finite && std::isfinite(value);
  EXPECT_FALSE(finite);
}

TEST_P(EngineTest, ActorsMeetEachOtherButNotThemselves) {
  const auto engine = yaml("ground: {present: false}\nactors: [{name: a, motion: x}, {name: b, motion: x}]");
  lift_actors(*engine);
  std::vector<double> q(engine->q().begin(), engine->q().end()), v(engine->v().begin(), engine->v().end());
  q[static_cast<std::size_t>(engine->scene().actors[1].first_q) + 2] = 1.5;  // b's trunk inside a's
  engine->set_state(q, v);
  engine->step();
  EXPECT_FALSE(engine->contacts().empty());
  for (const Contact& contact : engine->contacts()) {
    EXPECT_NE(engine->scene().actor_of(contact.body1), engine->scene().actor_of(contact.body2));
  }
}

INSTANTIATE_TEST_SUITE_P(All, EngineTest, testing::Values("mujoco", "ode", "penalty", "linearised"),
                         [](const auto& param) { return param.param; });

// A character held in a pose by a spring and a damper at every joint, hanging from its root.
std::vector<double> hold(Engine& engine, double seconds, std::vector<double>& path) {
  const mjModel& m = *engine.scene().model;
  std::vector<double> target(m.qpos0, m.qpos0 + m.nq), bend(static_cast<std::size_t>(m.nv), 0.0), error(bend);
  for (std::size_t i = 6; i < bend.size(); ++i) bend[i] = 0.4 * std::sin(static_cast<double>(i));
  mj_integratePos(&m, target.data(), bend.data(), 1);
  const int steps = static_cast<int>(std::lround(seconds / engine.timestep()));
  for (int i = 0; i < steps; ++i) {
    mj_differentiatePos(&m, error.data(), 1, engine.q().data(), target.data());
    const auto forces = engine.joint_forces();
    for (std::size_t k = 0; k < error.size(); ++k) {
      const double stiffness = k < 3 ? 20000 : k < 6 ? 1000 : 40, damping = k < 3 ? 1000 : k < 6 ? 60 : 1;
      forces[k] = stiffness * error[k] - damping * engine.v()[k];
    }
    engine.step();
    if (i % 20 == 0) path.insert(path.end(), engine.q().begin(), engine.q().end());
  }
  return {engine.q().begin(), engine.q().end()};
}

TEST(Engines, AgreeOnACharacterHeldInAPose) {
  // Armature 0.1 on every joint, which ODE has as inertia of the bodies, would blur the way there: take it
  // away on both.
  std::string xml = test::kSmallActor;
  for (std::size_t at; (at = xml.find("armature=\"0.01\"")) != std::string::npos;) xml.erase(at, 15);
  xml.insert(xml.find("<worldbody>"), "<option timestep=\"0.0005\"/>");
  const auto model = compile_mjcf(xml);
  std::vector<double> mujoco_path, ode_path;
  const auto mujoco = hold(*make_engine("mujoco", model), 3, mujoco_path),
             ode = hold(*make_engine("ode", model), 3, ode_path);
  const mjModel& m = *model->model;
  std::vector<double> apart(static_cast<std::size_t>(m.nv));
  mj_differentiatePos(&m, apart.data(), 1, mujoco.data(), ode.data());
  for (const double difference : apart) EXPECT_NEAR(difference, 0, 1e-3);
  ASSERT_EQ(mujoco_path.size(), ode_path.size());
  double moved = 0;
  for (std::size_t i = 0; i + 1 < mujoco_path.size() / static_cast<std::size_t>(m.nq); ++i) {
    const std::size_t at = i * static_cast<std::size_t>(m.nq);
    mj_differentiatePos(&m, apart.data(), 1, mujoco_path.data() + at, ode_path.data() + at);
    for (const double difference : apart) EXPECT_NEAR(difference, 0, 0.02) << i;
    mj_differentiatePos(&m, apart.data(), 1, m.qpos0, mujoco_path.data() + at);
    for (std::size_t k = 6; k < apart.size(); ++k) moved = std::max(moved, std::abs(apart[k]));
  }
  EXPECT_GT(moved, 0.3);
}

TEST(Engines, AgreeOnJointsThatAreNoSingleOdeJoint) {
  // Hinges that are not perpendicular, hinges at two places, a slide and a hinge, a body welded to another.
  const auto model =
      compile_mjcf(R"(<mujoco><option timestep="0.0005"><flag contact="disable"/></option><worldbody>
    <body pos="0 0 2"><joint axis="0 1 0" damping=".1"/><joint axis="1 1 0" damping=".1"/>
      <geom type="box" pos=".2 0 0" size=".2 .1 .1" mass="2"/></body>
    <body pos="0 2 2"><joint axis="0 1 0" damping=".1"/><joint axis="1 0 0" pos=".1 0 .1" damping=".1"/>
      <geom type="box" pos=".2 .1 0" size=".2 .1 .1" mass="2"/></body>
    <body pos="0 4 2"><joint type="slide" axis="1 0 1" damping="1"/><joint axis="0 1 0" damping=".1"/>
      <geom type="box" pos=".2 0 0" size=".2 .1 .1" mass="2"/>
      <body pos=".4 0 0" euler="0 0 30"><geom type="box" pos=".1 0 0" size=".1 .05 .05" mass="1"/></body></body>
    </worldbody></mujoco>)");
  const auto mujoco = make_engine("mujoco", model), ode = make_engine("ode", model);
  run(*mujoco, 0.3);
  run(*ode, 0.3);
  for (int b = 1; b < model->model->nbody; ++b) {
    EXPECT_LT((mujoco->body_position(b) - ode->body_position(b)).norm(), 0.03) << b;
    EXPECT_LT(angle_between(mujoco->body_rotation(b), ode->body_rotation(b)), 0.08) << b;
  }
  for (std::size_t i = 0; i < mujoco->q().size(); ++i) {
    EXPECT_NEAR(mujoco->q()[i], ode->q()[i], 0.08) << i;
    EXPECT_GT(std::abs(mujoco->q()[i]), 0.002) << i;  // each does move
  }
}

TEST(Engines, UnknownNameListsTheKnownOnes) {
  try {
    make_engine("physx", compile_yaml(""));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "engine: found 'physx', expected one of: mujoco, ode, penalty, linearised");
  }
}

TEST(Engines, MujocoHasNoSpringContacts) {
  EXPECT_THROW(make_engine("mujoco", compile_yaml("engine: ode\ncontact: {mode: springs}")), InputError);
}

constexpr const char* kOnSprings =
    "engine: ode\ntimestep: 0.0005\ncontact: {mode: springs, stiffness: 30e3, damping: 300}\n";

TEST(SpringContact, ABoxStandsAtTheDepthOfItsSprings) {
  const auto engine = make_engine(
      "ode", compile_yaml(std::string(kOnSprings) +
                          "objects: [{name: box, size: [0.4, 0.4, 0.4], mass: 20, position: [0, 0, 0.2]}]"));
  run(*engine, 2);
  Vec3 sum = Vec3::Zero();
  for (const Contact& contact : engine->contacts()) sum += contact.force;
  EXPECT_LT((sum - Vec3(0, 0, 20 * 9.81)).norm(), 0.5);
  EXPECT_NEAR(engine->body_position(1).z(), 0.2 - 20 * 9.81 / (4 * 30e3), 1e-5);
}

TEST(SpringContact, ABoxSticksBelowTheFrictionAngleAndSlidesAbove) {
  const double slope = radians(25);
  for (const double friction : {0.6, 0.3}) {
    const auto engine = make_engine(
        "ode", compile_yaml(kOnSprings + fmt::format("ground: {{slope_deg: 25, friction: {}}}\n"
                                                     "objects: [{{name: box, size: [0.4, 0.4, 0.1], mass: 5, "
                                                     "rotation_deg: [0, -25, 0], position: [{}, 0, {}]}}]",
                                                     friction, -0.0499 * std::sin(slope),
                                                     0.0499 * std::cos(slope))));
    run(*engine, 0.3);
    const Vec3 before = engine->body_position(1);
    const double speed_before = engine->body_velocity_at(1, before).norm();
    run(*engine, 1);
    const double moved = (engine->body_position(1) - before).norm();
    const double acceleration = 9.81 * (std::sin(slope) - friction * std::cos(slope));
    if (friction > 0.466) {
      EXPECT_LT(moved, 0.001);
    } else {
      EXPECT_NEAR(moved, speed_before + acceleration / 2, 0.03 * acceleration / 2);
    }
  }
}

TEST(SpringContact, IsStableWhereTheStepIsTooLongForTheSprings) {
  const auto engine = make_engine(
      "ode", compile_yaml("engine: ode\ntimestep: 0.002\ncontact: {mode: springs}\n"
                          "objects: [{name: box, size: [0.1, 0.1, 0.1], mass: 0.5, position: [0, 0, 0.3]}]"));
  run(*engine, 3);
  EXPECT_NEAR(engine->body_position(1).z(), 0.05, 0.01);
  EXPECT_LT(engine->body_velocity_at(1, Vec3::Zero()).norm(), 0.01);
}

TEST(SpringContact, SaveAndRestoreRepeatBitForBit) {
  const auto engine = make_engine("ode", compile_yaml(kOnSprings + std::string(kBusyScene)));
  lift_actors(*engine);
  for (int i = 0; i < 700; ++i) busy_step(*engine, i);
  EXPECT_FALSE(engine->contacts().empty());
  const Snapshot snapshot = engine->save();
  for (int i = 700; i < 900; ++i) busy_step(*engine, i);
  const Snapshot end = engine->save();
  engine->restore(snapshot);
  for (int i = 700; i < 900; ++i) busy_step(*engine, i);
  EXPECT_EQ(engine->save().values, end.values);
}

}  // namespace
}  // namespace stunt
