#include "stunt/reference/staging/feasibility.h"

#include <gtest/gtest.h>

#include "stunt/motion/load.h"
#include "stunt/reference/cleanup/balance_reference.h"
#include "stunt/reference/cleanup/clean_up.h"
#include "stunt/reference/staging/handholds.h"

namespace stunt {
namespace {

using Motion = std::shared_ptr<const SampledReference>;

Motion clean(const std::string& name, const std::vector<TimeSpan>& held = {}) {
  const Clip clip = load_clip(name);
  return clean_up(fit_actor(clip), clip, {.floor = held.empty(), .held = held}).reference;
}

// The motion with its root moved from one time (s) to another.
Motion moved(const SampledReference& motion, const Vec3& by, double from, double to,
             bool off_the_floor = false) {
  std::vector<VecX> q;
  ContactTable contacts;
  for (int i = 0; i < motion.size(); ++i) {
    q.push_back(motion.q(i));
    contacts.push_back(motion.contacts(i));
    const double t = i / motion.rate();
    if (t < from || t > to) continue;
    q.back().head<3>() += by;
    if (off_the_floor) std::fill(contacts.back().begin(), contacts.back().end(), std::uint8_t{0});
  }
  return std::make_shared<SampledReference>(motion.actor(), motion.rate(), std::move(q), std::move(contacts));
}

TEST(Feasibility, MotionsThatWereMadePossibleAre) {
  for (const char* name : {"stand", "squat", "walk", "jump"}) {
    const auto found = infeasible_stretches(*balance_reference(*clean(name)));
    EXPECT_TRUE(found.empty()) << name << ": " << infeasible_text(found);
  }
}

TEST(Feasibility, WhoFloatsIsFoundWithItsTime) {
  const Motion floats = moved(*clean("stand"), Vec3(0, 0, 0.3), 1, 2, true);
  const auto found = infeasible_stretches(*floats);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].when.begin, 1, 0.03);
  EXPECT_NEAR(found[0].when.end, 2, 0.03);
  EXPECT_NE(found[0].because.find("nothing carries"), std::string::npos);
  EXPECT_NE(infeasible_text(found).find("from 1.0"), std::string::npos);
  // A moment does not matter, and hands may carry.
  EXPECT_TRUE(infeasible_stretches(*moved(*clean("stand"), Vec3::Zero(), 1, 1.08, true)).empty());
  EXPECT_TRUE(infeasible_stretches(*floats, {.held = {{0.9, 2.1}}}).empty());
}

TEST(Handholds, ABarIsFoundWhereTheHandsStay) {
  for (const char* name : {"hang", "high_bar_swing"}) {
    const Motion motion = clean(name, {{0, 10}});
    const auto holds = find_handholds(*motion, {{0.1, motion->duration() - 0.1}});
    ASSERT_EQ(holds.size(), 2u) << name;
    for (const FoundHandhold& hold : holds) {
      EXPECT_EQ(hold.rope, 0);
      EXPECT_NEAR(hold.place.z(), 2.28, 0.03) << name;
      EXPECT_NEAR(hold.place.x(), 0, 0.03) << name;
    }
    EXPECT_NE(handhold_keys(holds).find("grip: [{body: left_hand, object: bar, from: 0.10"),
              std::string::npos)
        << handhold_keys(holds);
  }
}

TEST(Handholds, ARopeIsFoundFromTheArcOfTheHands) {
  const Motion hang = clean("hang", {{0, 10}});
  constexpr double kRope = 0.5;  // m
  std::vector<VecX> q;
  ContactTable contacts;
  for (int i = 0; i < hang->size(); ++i) {
    q.push_back(hang->q(i));
    contacts.push_back(hang->contacts(i));
    const double angle = 0.6 * std::sin(3 * i / hang->rate());
    q.back()[0] += kRope * std::sin(angle);
    q.back()[2] += kRope * (1 - std::cos(angle));
  }
  const SampledReference swings(hang->actor(), hang->rate(), std::move(q), std::move(contacts));
  const auto holds = find_handholds(swings, {{0, 2}});
  ASSERT_EQ(holds.size(), 2u);
  EXPECT_NEAR(holds[0].rope, kRope, 0.03);
  EXPECT_NEAR(holds[0].place.z(), 2.28, 0.03);
  EXPECT_NE(handhold_keys(holds).find("hangs_from"), std::string::npos);
}

}  // namespace
}  // namespace stunt
