// Bodies that are no humans: a table, a robot on a pedestal. They are simulated, controlled, judged and recorded too.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "stunt/assess/run_summary.h"
#include "stunt/core/error.h"
#include "stunt/report/files/glb.h"
#include "stunt/report/files/motion_export.h"
#include "stunt/report/files/recording_file.h"
#include "stunt/report/files/summary.h"
#include "stunt/report/page/page_data.h"
#include "stunt/simulate/run_scene.h"
#include "stunt/simulate/simulation.h"
#include "tests/run_program.h"

namespace stunt {
namespace {

constexpr double kGravity = 9.81;

// A top of 12 kg, 0.8 m square, on four legs of 1.5 kg that can fold inwards.
std::string table() {
  std::string legs, motors;
  for (int i = 0; i < 4; ++i) {
    const double x = i % 2 ? 0.35 : -0.35, y = i < 2 ? 0.35 : -0.35;
    legs += fmt::format(
        R"(<body name="leg{0}" pos="{1} {2} -0.02"><joint name="fold{0}" axis="0 1 0" damping="0.1"/>
        <geom type="box" pos="0 0 -0.34" size="0.025 0.025 0.34" mass="1.5"/></body>)",
        i, x, y);
    motors += fmt::format(R"(<motor joint="fold{}" gear="80" ctrlrange="-1 1"/>)", i);
  }
  return R"(<mujoco><worldbody><body name="top" pos="0 0 0.7"><freejoint/>
      <geom type="box" size="0.4 0.4 0.02" mass="12"/>)" +
         legs + "</body></worldbody><actuator>" + motors + "</actuator></mujoco>";
}

// A rod of 2 kg and 0.6 m on a hinge 1.5 m above the ground; at rest it points along +X (`level`) or hangs down.
// Its motor has the armature that ODE gives every body of a character (docs/engines.md), so that both engines swing alike.
constexpr double kRod = 0.6, kRodMass = 2, kRodRadius = 0.02, kArmature = 0.01;
constexpr double kRodInertia =
    kRodMass * (kRod * kRod / 3 + kRodRadius * kRodRadius / 4);  // kg m^2, about the hinge
std::string arm(bool level) {
  return fmt::format(
      R"(<mujoco><worldbody><body name="rod" pos="0 0 1.5"><joint name="shoulder" axis="0 1 0" armature="0.01"/>
      <geom type="cylinder" fromto="0 0 0 {} 0 {}" size="{}" mass="{}"/></body></worldbody>
      <actuator><motor joint="shoulder" gear="50" ctrlrange="-1 1"/></actuator></mujoco>)",
      level ? kRod : 0, level ? 0 : -kRod, kRodRadius, kRodMass);
}

class AnyBodyTest : public testing::TestWithParam<std::string> {
 protected:
  // One such body without a motion.
  Scene scene(const std::string& mjcf, const std::string& controller, double duration,
              const std::string& keys = "") {
    folder_.write("body.xml", mjcf);
    return read_scene(
        fmt::format(
            "engine: {}\nduration: {}\nactors: [{{name: body, character: {}, controller: {{{}}}}}]\n{}",
            GetParam(), duration, (folder_.path() / "body.xml").string(), controller, keys),
        "test");
  }
  // What can be made of every recording.
  static void expect_usable(const Recording& r) {
    EXPECT_TRUE(r.diverged.empty()) << r.diverged;
    EXPECT_FALSE(r.actors[0].has_reference());
    EXPECT_EQ(r.actors[0].motion, "");
    const auto summary = summary_json(summarize(r));
    EXPECT_TRUE(summary["joint_error_rad"]["mean"].is_null()) << "nothing was followed";
    EXPECT_FALSE(summary_text(summarize(r)).empty());
    EXPECT_EQ(parse_recording(format_recording(r), "r.npz").samples(), r.samples());
    EXPECT_EQ(simulated_clip(r, 0).frame_count(), r.samples());
    EXPECT_FALSE(page_data(r, summary).empty());
    EXPECT_FALSE(format_glb(r).empty());
  }

  test::TemporaryFolder folder_;
};

TEST_P(AnyBodyTest, ATableStandsWithItsLegsHeld) {
  const Recording r = run_scene(scene(table(), "type: pd", 2));
  expect_usable(r);
  EXPECT_FALSE(r.actors[0].fall) << r.actors[0].fall->reason;
  const auto last = r.q(r.samples() - 1);
  EXPECT_NEAR(last[2], 0.7, 0.01);
  for (int i = 7; i < 11; ++i) EXPECT_NEAR(last[i], 0, 0.01);
  EXPECT_TRUE(summarize(r).completed);
}

TEST_P(AnyBodyTest, ATableWithLooseLegsFalls) {
  // A breath of wind to begin with: legs that stand exactly upright might stay so.
  const Recording r = run_scene(scene(
      table(), "type: ragdoll", 3, "pushes: [{body: top, force: [30, 0, 0], start: 0.2, duration: 0.2}]\n"));
  expect_usable(r);
  ASSERT_TRUE(r.actors[0].fall);
  EXPECT_GT(r.actors[0].fall->time, 0.2);
  EXPECT_FALSE(summarize(r).completed);
}

TEST_P(AnyBodyTest, ATableThatIsTippedOverHasFallen) {
  const Recording r = run_scene(scene(
      table(), "type: pd", 4, "pushes: [{body: top, force: [0, 250, 0], start: 0.5, duration: 0.5}]\n"));
  expect_usable(r);
  ASSERT_TRUE(r.actors[0].fall) << "last height " << r.q(r.samples() - 1)[2];
  EXPECT_GT(r.actors[0].fall->time, 0.6);
  EXPECT_EQ(r.actors[0].fall->reason.find("pelvis"), std::string::npos)
      << "a table has none: " << r.actors[0].fall->reason;
}

TEST_P(AnyBodyTest, ARobotOnAPedestalHoldsItsPoseAgainstGravity) {
  const Recording r = run_scene(scene(arm(true), "type: pd", 2));
  expect_usable(r);
  ASSERT_EQ(r.actors[0].slot.nv, 1);
  EXPECT_FALSE(r.actors[0].fall);
  EXPECT_NEAR(r.q(r.samples() - 1)[0], 0, 1e-3);
  EXPECT_NEAR(r.actors[0].torque(r.samples() - 1)[0], -kRodMass * kGravity * kRod / 2, 0.02);
  EXPECT_EQ(r.actors[0].assist_force_mean, 0);
  // Without gravity compensation it sags: I k angle = m g (L / 2) cos(angle), I about the hinge.
  const Recording sagging =
      run_scene(scene(arm(true), "type: pd, stable: false, gravity_compensation: false, stiffness: 200", 3));
  const double angle = sagging.q(sagging.samples() - 1)[0];
  EXPECT_NEAR(kRodInertia * 200 * angle, kRodMass * kGravity * kRod / 2 * std::cos(angle), 0.02);
}

// A physical pendulum: T = 2 pi sqrt(I / (m g d)) (1 + a^2 / 16 + ...).
TEST_P(AnyBodyTest, ALooseArmSwingsWithTheAnalyticPeriod) {
  Simulation running(scene(arm(false), "type: ragdoll, damping: 0", 6));
  const double start = 0.1;
  running.engine().set_state({&start, 1}, running.engine().v());
  double last = start, first_crossing = 0, last_crossing = 0, highest_late = 0;
  int crossings = 0;
  while (!running.done()) {
    running.step();
    const double now = running.engine().q()[0];
    if (last > 0 && now <= 0) {
      const double at = running.time() - running.engine().timestep() * now / (now - last);
      if (crossings++ == 0) first_crossing = at;
      last_crossing = at;
    }
    if (running.time() > 4) highest_late = std::max(highest_late, now);
    last = now;
  }
  ASSERT_GE(crossings, 4);
  const double period = 2 * kPi * std::sqrt((kRodInertia + kArmature) / (kRodMass * kGravity * kRod / 2)) *
                        (1 + start * start / 16);
  EXPECT_NEAR((last_crossing - first_crossing) / (crossings - 1), period, 2e-3 * period);
  EXPECT_NEAR(highest_late, start, 0.003) << "nothing damps it";
}

TEST_P(AnyBodyTest, WhatNeedsAnotherBodyIsRefused) {
  for (const auto& [mjcf, controller] :
       {std::pair(arm(true), "type: mcsim"), std::pair(arm(true), "type: mcsim, preset: paper"),
        std::pair(arm(true), "type: pd, pedestal: true"), std::pair(arm(true), "type: pd, assist: 1")}) {
    try {
      run_scene(scene(mjcf, controller, 0.1));
      ADD_FAILURE() << controller << " was accepted";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("expected"), std::string::npos) << error.what();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Both, AnyBodyTest, testing::Values("mujoco", "ode"),
                         [](const auto& row) { return row.param; });

}  // namespace
}  // namespace stunt
