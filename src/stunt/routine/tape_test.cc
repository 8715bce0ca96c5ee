#include "stunt/routine/tape.h"

#include <gtest/gtest.h>

#include "stunt/motion/load.h"
#include "stunt/reference/cleanup/clean_up.h"
#include "stunt/reference/legs/leg_ik.h"
#include "stunt/reference/retarget/retarget.h"
#include "stunt/routine/aim.h"

namespace stunt {
namespace {

using SampledPtr = std::shared_ptr<const SampledReference>;

SampledPtr boxer() {
  static const SampledPtr motion = [] {
    const Clip clip = load_clip("jab");
    return clean_up(fit_actor(clip, {}), clip).reference;
  }();
  return motion;
}

// A part of the motion, with the feet moved apart by so much (m) on each side.
Segment part(const std::string& name, double from, double to, double wider, const StrikeSpec& strike = {}) {
  const SampledPtr whole = boxer();
  ActorDynamics dynamics(whole->actor());
  std::vector<VecX> q;
  std::vector<std::vector<std::uint8_t>> contacts;
  const VecX still = VecX::Zero(whole->actor()->nv());
  for (int i = static_cast<int>(from * whole->rate()); i <= static_cast<int>(to * whole->rate()); ++i) {
    VecX pose = whole->q(i);
    for (const bool left : {true, false}) {
      const Leg leg = *find_leg(*whole->actor(), left);
      dynamics.set_state(pose, still);
      FootPose foot = foot_pose(dynamics, leg);
      foot.position.y() += left ? wider : -wider;
      if (wider != 0) put_foot(dynamics, leg, foot, pose);
    }
    q.push_back(pose);
    contacts.push_back(whole->contacts(i));
  }
  Segment segment;
  segment.name = name;
  segment.motion = std::make_shared<SampledReference>(whole->actor(), whole->rate(), q, contacts);
  segment.ease = 0.25;
  study(segment, false, segment.motion->duration(), strike, "test");
  return segment;
}

StrikeSpec left_hand() {
  StrikeSpec strike;
  strike.with = "left_hand";
  return strike;
}

TEST(Tape, PlaysASegmentAsItIs) {
  const auto segments = std::make_shared<Segments>();
  segments->push_back(part("all", 0, 3, 0));
  Tape tape(segments);
  ReferenceSample played, whole;
  for (int i = 0; i < 240; ++i) {
    const double t = i / 120.0;
    tape.write(t);
    tape.sample(t, played);
    boxer()->sample(t, whole);
    EXPECT_LT((played.q - whole.q).norm(), 1e-9) << t;
    if (i > 1) {
      EXPECT_LT((played.v - whole.v).norm(), 1e-6) << t;
      EXPECT_LT((played.a - whole.a).norm(), 1e-4) << t;
    }
  }
}

// A punch cut short by another one in a wider stance: no jump, and no foot moves.
TEST(Tape, KeepsStandingFeetInATransition) {
  const auto segments = std::make_shared<Segments>();
  segments->push_back(part("jab", 0.5, 1.6, 0, left_hand()));
  segments->push_back(part("wide", 0, 1, 0.04));
  Tape tape(segments);
  ActorDynamics dynamics(tape.actor());
  const VecX still = VecX::Zero(tape.actor()->nv());
  ReferenceSample now, before;
  VecX way;
  std::array<Vec3, 2> first;
  for (int i = 0; i < 200; ++i) {
    const double t = i / 240.0;
    tape.write(t);
    if (i == 90) tape.play(1, t);
    tape.sample(t, now);
    dynamics.set_state(now.q, still);
    for (const bool left : {true, false}) {
      const Vec3 foot = dynamics.body_position(tape.actor()->body(left ? Role::left_foot : Role::right_foot));
      if (i == 0) first[left] = foot;
      EXPECT_LT((foot - first[left]).norm(), 0.002) << (left ? "left " : "right ") << t;
    }
    if (i > 0) {
      difference(*tape.actor(), before.q, now.q, way);
      EXPECT_LT((way * 240).tail(way.size() - 6).lpNorm<Eigen::Infinity>(), 15) << t;
      EXPECT_LT((0.5 * (before.v + now.v) - way * 240).norm(), 0.6)
          << "speeds are those of the poses, at " << t;
    }
    before = now;
  }
  EXPECT_EQ(tape.segment(), 1);
}

TEST(Tape, HitsWhereItIsAimedAtThePaceThatIsAsked) {
  const auto segments = std::make_shared<Segments>();
  segments->push_back(part("guard", 0, 0.5, 0));
  segments->push_back(part("jab", 0.5, 1.6, 0, left_hand()));
  const Strike& strike = *(*segments)[1].strike;
  EXPECT_GT(strike.velocity.norm(), 2);
  for (const double pace : {0.8, 1.0, 1.4}) {
    Tape tape(segments);
    Aim aim(tape.actor());
    tape.write(0.2);
    tape.play(1, 0.2, pace);
    const Vec3 target = strike.place + Vec3(-0.05, 0.08, 0.06);
    VecX offset, q, v;
    tape.at_hit(pace, VecX::Zero(tape.actor()->nv()), q, v);
    EXPECT_LT(aim.solve(strike, q, tape.place().apply(target), Vec3::Zero(), offset), 1e-4);
    tape.aim(0.2, offset);
    ReferenceSample at;
    for (double t = 0.2; t < tape.hits(); t += 0.01) tape.write(t);
    tape.sample(tape.hits(), at);
    // What it was said to be beforehand.
    tape.at_hit(pace, offset, q, v);
    difference(*tape.actor(), q, at.q, offset);
    EXPECT_LT(offset.norm(), 2e-3);
    EXPECT_LT((v - at.v).norm(), 0.02 * v.norm());
    ActorDynamics dynamics(tape.actor());
    dynamics.set_state(at.q, at.v);
    const Vec3 hand = dynamics.point(strike.body, strike.point);
    EXPECT_LT((hand - tape.place().apply(target)).norm(), 0.004) << pace;
    EXPECT_NEAR(dynamics.point_velocity(strike.body, hand).norm() / strike.velocity.norm(), pace,
                0.12 * pace);
  }
}

// A pair of steps on the spot, begun with the feet elsewhere than the tape has them.
TEST(Tape, StepsFromWhereTheFeetReallyAre) {
  const auto segments = std::make_shared<Segments>();
  segments->push_back(part("guard", 0, 0.5, 0));
  {
    const Clip clip = load_clip("boxing_step_spot");
    Segment step;
    step.name = "step";
    step.motion = retarget(*clean_up(fit_actor(clip, {}), clip).reference, boxer()->actor());
    study(step, false, step.motion->duration(), {}, "test");
    ASSERT_TRUE(step.steps());
    segments->push_back(std::move(step));
  }
  const auto feet_of = [&](Tape& tape, const VecX& q) {
    ActorDynamics dynamics(tape.actor());
    dynamics.set_state(q, VecX::Zero(tape.actor()->nv()));
    return std::array<Vec3, 2>{dynamics.body_position(tape.actor()->body(Role::left_foot)),
                               dynamics.body_position(tape.actor()->body(Role::right_foot))};
  };
  Tape tape(segments), usual(segments);
  ReferenceSample now, then;
  tape.write(0.2);
  usual.write(0.2);
  tape.sample(0.2, now);
  const std::array<Vec3, 2> home = feet_of(tape, now.q);
  // The body: drifted, and the right foot further aside.
  VecX q = now.q;
  q[0] += 0.3;
  ActorDynamics dynamics(tape.actor());
  const Leg right = *find_leg(*tape.actor(), false);
  dynamics.set_state(q, VecX::Zero(tape.actor()->nv()));
  FootPose foot = foot_pose(dynamics, right);
  const Vec3 aside(0.02, -0.1, 0);
  foot.position += aside;
  put_foot(dynamics, right, foot, q);
  tape.stand(q, 0.2);
  EXPECT_NEAR(tape.aside(), 0.5 * aside.norm(), 1e-3)
      << "half of it for each foot: the middle is the anchor's";
  EXPECT_NEAR(tape.out_of_stance(0, 0.2), 0.5 * aside.norm(), 1e-3);
  EXPECT_NEAR(usual.out_of_stance(0, 0.2), 0, 1e-6);
  tape.play(1, 0.2);
  usual.play(1, 0.2);
  const Segment::Swing left = (*segments)[1].swings[0][0];
  for (double t = 0.2; t < 0.2 + (*segments)[1].length; t += 0.01) {
    tape.write(t);
    usual.write(t);
    tape.sample(t, now);
    usual.sample(t, then);
    const Vec3 moved = now.q.head<3>() - then.q.head<3>();
    const double own = t - 0.2;
    const std::array<Vec3, 2> feet = feet_of(tape, now.q);
    if (own > 0.3 && own < left.from - 0.15) {
      EXPECT_LT((feet[1] - home[1] - 0.5 * aside).norm(), 0.005) << t;
      EXPECT_LT((feet[0] - home[0] + 0.5 * aside).norm(), 0.005) << t;
    }
    if (std::abs(own - 0.5 * (left.from + left.to)) < 0.01) {
      EXPECT_GT(moved.dot(aside.normalized()), 0.2 * aside.norm())
          << "while the left foot is up the body is over the right one";
    }
  }
  tape.sample(0.19 + (*segments)[1].length, now);
  usual.sample(0.19 + (*segments)[1].length, then);
  EXPECT_LT((now.q - then.q).norm(), 0.02) << "afterwards all is as it should be";
  const double end = 0.19 + (*segments)[1].length;
  EXPECT_NEAR(tape.out_of_stance(0, end), usual.out_of_stance(0, end), 0.01);
}

TEST(Tape, GoesOnFromWhatWasSaved) {
  const auto segments = std::make_shared<Segments>();
  segments->push_back(part("guard", 0, 0.5, 0));
  segments->push_back(part("jab", 0.5, 1.6, 0, left_hand()));
  Tape tape(segments), other(segments);
  tape.write(0.1);
  tape.play(1, 0.15);
  other.restore(tape.save());
  ReferenceSample a, b;
  for (double t = 0.2; t < 0.9; t += 0.01) {
    tape.write(t);
    other.write(t);
    tape.sample(t, a);
    other.sample(t, b);
    EXPECT_EQ((a.q - b.q).norm(), 0);
    EXPECT_EQ((a.a - b.a).norm(), 0);
  }
}

}  // namespace
}  // namespace stunt
