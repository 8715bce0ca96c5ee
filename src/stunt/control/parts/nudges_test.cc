#include "stunt/control/parts/nudges.h"

#include <gtest/gtest.h>

#include <cmath>

#include "stunt/core/error.h"
#include "tests/test_performers.h"

namespace stunt {
namespace {

Nudge knot(double at, int index, double value) {
  Nudge out;
  out.at = at;
  out.offsets.values[static_cast<std::size_t>(index)] = value;
  return out;
}

Nudges read_nudges(const std::string& yaml) {
  Nudges nudges;
  read_described(Config::parse(yaml, "test"),
                 [&](Fields& fields) { describe_nudges(fields, "nudges", nudges); });
  return nudges;
}

TEST(Nudges, GoFromKnotToKnotAlongACubicWithoutSlopeAtEither) {
  Nudges nudges;
  nudges.knots = {knot(1, Offsets::pelvis, 0), knot(1.2, Offsets::pelvis, 0.04),
                  knot(1.3, Offsets::pelvis, 0)};
  const auto x = [&](double t) { return nudges.at(t).values[Offsets::pelvis]; };
  EXPECT_EQ(x(0.5), 0);
  EXPECT_EQ(x(2), 0);
  EXPECT_NEAR(x(1.1), 0.02, 1e-12);
  EXPECT_NEAR(x(1.2), 0.04, 1e-12);
  const double h = 1e-4;
  for (const double t : {1.0, 1.2, 1.3}) EXPECT_NEAR((x(t + h) - x(t - h)) / (2 * h), 0, 1e-3) << t;
  // In the middle the cubic is 1.5 times as steep as the straight line.
  EXPECT_NEAR((x(1.1 + h) - x(1.1 - h)) / (2 * h), 1.5 * 0.04 / 0.2, 1e-6);
}

TEST(Nudges, IdleKnotsCanBeLeftOut) {
  Nudges nudges;
  for (int k = 0; k < 20; ++k)
    nudges.knots.push_back(knot(0.15 * k, Offsets::tilt, k == 7 || k == 8 || k == 14 ? 0.1 * k : 0));
  const Nudges few = nudges.without_idle_knots();
  EXPECT_EQ(few.knots.size(), 7u);
  for (double t = 0; t < 3; t += 0.01) EXPECT_EQ(few.at(t), nudges.at(t)) << t;
  const auto spans = few.spans();
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_DOUBLE_EQ(spans[0].from, 0.15 * 6);
  EXPECT_DOUBLE_EQ(spans[0].to, 0.15 * 9);
  EXPECT_DOUBLE_EQ(spans[1].from, 0.15 * 13);
  EXPECT_DOUBLE_EQ(spans[1].to, 0.15 * 15);
}

TEST(Nudges, AreWrittenWithoutZerosAndReadBack) {
  Nudges nudges;
  nudges.knots = {knot(0.45, Offsets::left_toes, 0), knot(0.6, Offsets::right_foot + 1, -0.0123),
                  knot(0.75, Offsets::right_toes, 0.2)};
  const std::string text =
      write_described([&](Fields& fields) { describe_nudges(fields, "nudges", nudges); });
  EXPECT_EQ(text,
            "nudges:\n  - at: 0.45\n  - at: 0.6\n    right_foot: [0, -0.0123]\n  - at: 0.75\n    right_toes: "
            "0.2\n");
  const Nudges back = read_nudges(text);
  ASSERT_EQ(back.knots.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(back.knots[i].offsets, nudges.knots[i].offsets);
}

TEST(Nudges, TimesMustIncrease) {
  try {
    read_nudges("nudges: [{at: 1}, {at: 0.5}]");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("found 0.5 s, expected a time after"), std::string::npos)
        << error.what();
  }
}

// The pelvis goes and turns by what was asked, the soles stay on the spot: seen by forward kinematics.
TEST(Nudges, MoveThePelvisWhileTheFeetStay) {
  const auto simulation = test::simulation("actors: [{motion: squat}]");
  const ReferencePtr reference = simulation->acts().front().performer.followed;
  const Actor& actor = *reference->actor();
  ActorDynamics before(reference->actor()), after(reference->actor()), work(reference->actor());
  std::vector<Foot> feet = find_feet(actor);
  ASSERT_EQ(feet.size(), 2u);
  ReferenceSample target;
  reference->sample(1.0, target);
  before.set_state(target.q, target.v);
  Offsets offsets;
  offsets.values = {0.03, -0.02, -0.04, 0.05, -0.04, 0.03, 0.06, 0.01, 0, 0, 0, 0.1};
  nudge(offsets, feet, work, target);
  after.set_state(target.q, target.v);

  const Quat ahead = yaw_rotation(heading(before.body_rotation(0)));
  EXPECT_LT((after.body_position(0) - before.body_position(0) - ahead * Vec3(0.03, -0.02, -0.04)).norm(),
            1e-9);
  const Vec3 turned = log_map(after.body_rotation(0) * before.body_rotation(0).conjugate());
  EXPECT_LT((ahead.conjugate() * turned - Vec3(0.05, -0.04, 0.03)).norm(), 1e-9);
  for (const Foot& foot : feet) {
    const int body = foot.leg.foot;
    EXPECT_LT((after.body_position(body) - before.body_position(body)).norm(), 1e-3);
    const Vec3 toes_before = before.body_rotation(body) * foot.leg.forward;
    const Vec3 toes_after = after.body_rotation(body) * foot.leg.forward;
    const double down = std::asin(toes_before.z()) - std::asin(toes_after.z());
    EXPECT_NEAR(down, foot.leg.left ? 0 : 0.1, 0.01);
    EXPECT_LT((foot.nudge - (foot.leg.left ? Vec3(ahead * Vec3(0.06, 0.01, 0)) : Vec3(0, 0, 0))).norm(),
              1e-12);
  }

  const VecX q = target.q;
  nudge({}, feet, work, target);
  EXPECT_EQ(target.q, q);
  EXPECT_EQ(feet[0].nudge, Vec3(0, 0, 0));
}

}  // namespace
}  // namespace stunt
