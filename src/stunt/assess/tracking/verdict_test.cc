// The rules of the verdict, on recordings made up to break one of them each.
#include "stunt/assess/tracking/verdict.h"

#include <gtest/gtest.h>

#include "stunt/assess/tracking/cause.h"
#include "stunt/simulate/run_scene.h"
#include "tests/sample_actor.h"
#include "tests/sample_recording.h"

namespace stunt {
namespace {

// Two seconds in which the double does something else than the motion from 1 s on.
Verdict verdict_of(const Disturb& disturb) {
  return judge_tracking(sample_recording(sample_scene({sample_actor()}), 241,
                                         [&](const VecX& q, double t) { return t < 1 ? q : disturb(q, t); }),
                        0);
}

VecX turned(const VecX& q, const Vec3& axis, double degrees) {
  VecX out = q;
  quat_to_wxyz(axis_angle(axis, radians(degrees)) * quat_from_wxyz(&q[3]), &out[3]);
  return out;
}
VecX moved(const VecX& q, const Vec3& by) {
  VecX out = q;
  out.head<3>() += by;
  return out;
}

TEST(Verdict, TheMotionItselfIsTracked) {
  const Verdict verdict = verdict_of([](const VecX& q, double) { return q; });
  EXPECT_TRUE(verdict.completed);
  EXPECT_TRUE(verdict.tracked) << verdict.reason;
  EXPECT_FALSE(verdict.stumbled_at_s);
  EXPECT_NEAR(verdict.drift_m, 0, 1e-9);
}

TEST(Verdict, ASlowDriftIsNotAnErrorButIsTold) {
  const Verdict verdict =
      verdict_of([](const VecX& q, double t) { return moved(q, Vec3(0.5 * (t - 1), 0, 0)); });
  EXPECT_TRUE(verdict.tracked) << verdict.reason;
  // After 1 s at 0.5 m/s, with a lag of 1 s: 0.5 (1 - (1 - exp(-1))).
  EXPECT_NEAR(verdict.drift_m, 0.5 * std::exp(-1.0), 0.01);
}

TEST(Verdict, EachRuleIsBrokenByItsOwnFault) {
  const std::vector<std::pair<Disturb, std::string>> faults = {
      {[](const VecX& q, double) { return turned(q, Vec3::UnitZ(), 60); }, "heading"},
      {[](const VecX& q, double) { return moved(q, Vec3(0, 0, 0.2)); }, "pelvis"},
      {[](const VecX& q, double) { return turned(q, Vec3::UnitY(), 40); }, "trunk"},
  };
  for (const auto& [fault, word] : faults) {
    const Verdict verdict = verdict_of(fault);
    EXPECT_TRUE(verdict.completed) << word;
    EXPECT_FALSE(verdict.tracked) << word;
    ASSERT_TRUE(verdict.stumbled_at_s) << word;
    EXPECT_NEAR(*verdict.stumbled_at_s, 1, 0.01) << word;
  }
  // For a moment it may be off.
  EXPECT_TRUE(
      verdict_of([](const VecX& q, double t) { return t < 1.15 ? moved(q, Vec3(0, 0, 0.2)) : q; }).tracked);
}

TEST(Verdict, WhoIsFlungAwayOrUnderTheGroundDidNotComplete) {
  const Verdict flung = verdict_of([](const VecX& q, double) { return moved(q, Vec3(5, 0, 0)); });
  EXPECT_FALSE(flung.completed);
  EXPECT_NE(flung.reason.find("away from the motion"), std::string::npos) << flung.reason;
  const Verdict sunk = verdict_of([](const VecX& q, double) { return moved(q, Vec3(0, 0, -3)); });
  EXPECT_FALSE(sunk.completed);
  EXPECT_NE(sunk.reason.find("under the ground"), std::string::npos) << sunk.reason;
}

// Pushed over, with nothing to catch it: the story begins after the push.
TEST(Cause, OfAPushThatWasTooMuch) {
  const Scene scene = read_scene(
      "actors: [{motion: stand, controller: {type: mcsim, recovery: false}}]\n"
      "pushes: [{force: [300, 0, 0], start: 1}]\n",
      "test");
  const Recording recording = run_scene(scene);
  ASSERT_TRUE(recording.actors[0].fall);
  const std::string why = find_cause(recording, 0, recording.actors[0].fall->time).text;
  const auto at = why.find("rom ");
  ASSERT_NE(at, std::string::npos) << why;
  EXPECT_NE(why.find("on the capture point was outside the feet"), std::string::npos) << why;
  EXPECT_NEAR(std::stod(why.substr(at + 4)), 1.2, 0.3) << why;
}

}  // namespace
}  // namespace stunt
