#include "stunt/control/fall/fall.h"

#include <gtest/gtest.h>

#include "stunt/control/fall/foresight.h"
#include "tests/test_performers.h"

namespace stunt {
namespace {

using test::floating;
using test::simulation;

// Without gravity and ground nothing but the springs moves the body: they must bring every bone to where the settings say.
TEST(Fall, LimbsGoWhereThePostureSays) {
  const ActorPtr actor = Actor::load("humanoid");
  const auto running =
      floating(actor, "type: fall, ahead: {hips: 50, knees: 80, arms: 70, forearms: 30}", "", 3);
  Simulation::Act& act = running->acts()[0];
  // It drifts ahead, so it falls ahead.
  VecX v = VecX::Zero(actor->nv());
  v[0] = 2;
  running->engine().set_state(running->engine().q(), {v.data(), static_cast<std::size_t>(v.size())});
  act.performer.controller->reset(running->seen_now(act));
  for (int i = 0; i < 2500; ++i) running->step();
  ActorDynamics now(actor);
  now.set_state(running->seen_now(act).q, running->seen_now(act).v);
  const auto bone = [&](Role from, Role to) {
    return Vec3((now.body_position(actor->body(to)) - now.body_position(actor->body(from))).normalized());
  };
  for (const bool left : {true, false}) {
    const Vec3 thigh =
        bone(left ? Role::left_thigh : Role::right_thigh, left ? Role::left_shank : Role::right_shank);
    const Vec3 shank =
        bone(left ? Role::left_shank : Role::right_shank, left ? Role::left_foot : Role::right_foot);
    EXPECT_NEAR(degrees(std::acos(thigh.dot(shank))), 80, 6) << left;
  }
  EXPECT_EQ(act.actuation.torque.head<6>().norm(), 0) << "nobody pulls it by its root";
}

TEST(Fall, LooksWhereItFalls) {
  const auto running = simulation("duration: 1\nactors: [{motion: stand, controller: fall}]\n");
  Simulation::Act& act = running->acts()[0];
  const auto& fall = dynamic_cast<const FallController&>(*act.performer.controller);
  for (const Vec3& way : {Vec3(1, 0, 0), Vec3(-1, 0, 0), Vec3(0, 1, 0), Vec3(0.6, -0.8, 0)}) {
    Observation seen = running->seen_now(act);
    seen.v.head<3>() = 3 * way;
    act.performer.controller->reset(seen);
    EXPECT_GT(fall.direction().dot(way), 0.98);
  }
}

// Nobody may explode, whatever joints a body has.
TEST(Fall, EveryCharacterComesToRest) {
  for (const char* character : {"humanoid", "biped28", "mcsim3d", "injury"}) {
    SCOPED_TRACE(character);
    const ActorPtr actor = Actor::load(character);
    if (!actor->has_free_root()) continue;
    const Scene scene = read_scene("duration: 4\nactors: [{motion: rest, controller: fall}]\n", "test");
    std::vector<Performer> performers = test::resting(scene, actor, 4);
    make_controller(performers[0]);
    Simulation running(scene, std::move(performers));
    VecX v = VecX::Zero(actor->nv());
    v[0] = 1.5;
    running.engine().set_state(running.engine().q(), {v.data(), static_cast<std::size_t>(v.size())});
    while (running.time() < 3.9 && running.recording().diverged.empty()) running.step();
    EXPECT_EQ(running.recording().diverged, "");
    double speed = 0;
    for (const double x : running.engine().v()) speed = std::max(speed, std::abs(x));
    EXPECT_LT(speed, 8) << "rad/s, m/s";
  }
}

class ForesightTest : public testing::Test {
 protected:
  ForesightTest()
      : running_(simulation("duration: 1\nactors: [{motion: walk}]\n")),
        act_(running_->acts()[0]),
        foresight_({}, act_.performer.followed) {}
  Observation at(double time) {
    ReferenceSample sample;
    act_.performer.followed->sample(time, sample);
    Observation seen = running_->seen_now(act_);
    seen.time = time;
    seen.q = sample.q;
    seen.v = sample.v;
    return seen;
  }
  std::unique_ptr<Simulation> running_;
  Simulation::Act& act_;
  Foresight foresight_;
};

TEST_F(ForesightTest, TheMotionItselfIsNoFall) {
  for (double t = 0; t < 1; t += 0.02) {
    const FallSigns& signs = foresight_.look(at(t));
    EXPECT_NEAR(signs.reach, 0, 1e-9);
    EXPECT_NEAR(signs.tilt, 0, 1e-6);
    EXPECT_NEAR(signs.drop, 0, 1e-9);
  }
  EXPECT_FALSE(foresight_.will_fall());
}

TEST_F(ForesightTest, SeesAPushATiltAndADrop) {
  // 3 m/s more: the capture point is 3 / sqrt(g / h), about a metre, further away.
  Observation pushed = at(0.5);
  pushed.v[1] += 3;
  const double height = 0.95;
  EXPECT_NEAR(foresight_.look(pushed).reach * 0.85, 3 / std::sqrt(9.81 / height), 0.35);
  EXPECT_FALSE(foresight_.will_fall()) << "not at once";
  pushed.time += 0.2;
  foresight_.look(pushed);
  EXPECT_TRUE(foresight_.will_fall());
  Observation tilted = at(0.5);
  quat_to_wxyz(axis_angle(Vec3::UnitX(), 1.0) * quat_from_wxyz(&tilted.q[3]), &tilted.q[3]);
  EXPECT_NEAR(foresight_.look(tilted).tilt, 1.0, 0.1);
}

}  // namespace
}  // namespace stunt
