// Numbers that ODE answers by ending the process: the engine shows them as a state that is not finite, as MuJoCo's does.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "stunt/core/error.h"
#include "stunt/world/ode/ode_engine.h"

namespace stunt {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinite = std::numeric_limits<double>::infinity();

std::unique_ptr<Engine> walker_on_ode() {
  const auto actor = Actor::from_xml(
      "<mujoco><worldbody><body name='trunk' pos='0 0 1'><freejoint/><geom type='box' size='.1 .1 .2'/>"
      "<body name='leg' pos='0 0 -.2'><joint type='ball'/><geom type='capsule' size='.05' fromto='0 0 0 0 0 "
      "-.5'/>"
      "<body name='foot' pos='0 0 -.5'><joint axis='0 1 0'/><geom type='box' size='.1 .05 .02'/></body>"
      "</body></body></worldbody></mujoco>",
      "walker", "test");
  return make_ode_engine(compile(Environment{}, {{"walker", actor}}, {BallSpec{}}));
}

bool finite(const Engine& engine) {
  double sum = 0;
  for (const double x : engine.q()) sum += std::abs(x);
  for (const double x : engine.v()) sum += std::abs(x);
  return std::isfinite(sum);
}

TEST(OdeLimits, AStateThatIsNoneShowsAfterTheNextStep) {
  for (const double value : {kNan, kInfinite, 1e308, -1e200, 1e16}) {
    const auto engine = walker_on_ode();
    const std::vector<double> good_q(engine->q().begin(), engine->q().end());
    const std::vector<double> good_v(engine->v().begin(), engine->v().end());
    const ActorSlot& slot = engine->scene().actors[0];
    for (int i = 0; i < slot.actor->nq() + slot.actor->nv(); ++i) {
      auto q = good_q, v = good_v;
      (i < slot.actor->nq() ? q[slot.first_q + i] : v[slot.first_v + i - slot.actor->nq()]) = value;
      engine->set_state(q, v);
      engine->step();
      EXPECT_FALSE(finite(*engine)) << value << " at " << i;
      engine->set_state(good_q, good_v);  // and it can be gone on from a good one
      engine->step();
      EXPECT_TRUE(finite(*engine)) << value << " at " << i;
    }
  }
}

TEST(OdeLimits, ForcesBeyondReasonShowAfterTheStep) {
  for (const double value : {kNan, kInfinite, 1e308, -1e16}) {
    const auto engine = walker_on_ode();
    engine->joint_forces()[7] = value;
    engine->step();
    EXPECT_FALSE(finite(*engine)) << value;
    const auto pushed = walker_on_ode();
    pushed->apply_force(1, Vec3(value, 0, 0), Vec3::Zero());
    pushed->step();
    EXPECT_FALSE(finite(*pushed)) << value;
    const auto thrown = walker_on_ode();
    thrown->place_free_body(thrown->scene().free_bodies[0].body, Vec3(value, 0, 0), Quat::Identity(),
                            Vec3::Zero(), Vec3::Zero());
    thrown->step();
    EXPECT_FALSE(finite(*thrown)) << value;
  }
}

TEST(OdeLimits, LargeForcesAndNoRotationDoNotEndTheProcess) {
  for (const double value : {1e6, 1e9, 1e12}) {
    const auto engine = walker_on_ode();
    for (int i = 0; i < 50; ++i) {
      for (double& force : engine->joint_forces()) force = i % 2 ? value : -value;
      engine->step();  // whatever comes of it
    }
  }
  const auto engine = walker_on_ode();
  std::vector<double> q(engine->q().begin(), engine->q().end());
  std::fill_n(q.begin() + 3, 4, 0.0);  // a quaternion of length 0
  try {
    engine->set_state(q, engine->v());
    engine->step();
  } catch (const RunError&) {
  }
}

}  // namespace
}  // namespace stunt
