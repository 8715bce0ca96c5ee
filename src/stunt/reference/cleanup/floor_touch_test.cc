#include "stunt/reference/cleanup/floor_touch.h"

#include <gtest/gtest.h>

#include <set>

#include "stunt/motion/load.h"
#include "stunt/reference/cleanup/balance_reference.h"
#include "stunt/reference/cleanup/clean_up.h"
#include "stunt/reference/cleanup/out_of_floor.h"

namespace stunt {
namespace {

CleanMotion clean(const std::string& name) {
  const Clip clip = load_clip(name);
  return clean_up(fit_actor(clip), clip);
}

std::vector<VecX> poses(const SampledReference& motion) {
  std::vector<VecX> q;
  for (int i = 0; i < motion.size(); ++i) q.push_back(motion.q(i));
  return q;
}

std::set<int> bodies_down(const SampledReference& motion, double t) {
  FloorTouches touches(motion.actor());
  std::set<int> bodies;
  for (const FloorTouch& touch : touches.find(motion.q(static_cast<int>(t * motion.rate()))))
    bodies.insert(touch.body);
  return bodies;
}

TEST(FloorTouch, OnlyTheFeetOfWhoStandsWalksAndJumpsAreDown) {
  for (const char* name : {"stand", "walk", "squat", "jump", "run"}) {
    const CleanMotion motion = clean(name);
    EXPECT_TRUE(carried_times(motion.reference->actor(), poses(*motion.reference), kReferenceRate).empty())
        << name;
  }
}

TEST(FloorTouch, HandsAndKneesCarryACrawl) {
  const auto motion = clean("crawl").reference;
  const Actor& actor = *motion->actor();
  const std::set<int> down = bodies_down(*motion, 0.2);
  for (const Role role : {Role::left_hand, Role::right_hand, Role::left_shank, Role::right_shank})
    EXPECT_TRUE(down.contains(actor.body(role))) << name(role);
  EXPECT_FALSE(down.contains(actor.body(Role::pelvis)));
  const auto carried = carried_times(motion->actor(), poses(*motion), kReferenceRate);
  ASSERT_EQ(carried.size(), 1u);
  EXPECT_NEAR(carried[0].end - carried[0].begin, motion->duration(), 0.02);
  // No sole stands, and yet nothing flies or is moved.
  for (int i = 0; i < motion->size(); ++i) {
    for (const std::uint8_t contact : motion->contacts(i)) ASSERT_FALSE(contact) << i;
  }
  BalanceReport report;
  balance_reference(*motion, {}, &report);
  EXPECT_LT(report.largest_shift, 0.03);
}

TEST(FloorTouch, TheTrunkCarriesARoll) {
  const auto motion = clean("roll").reference;
  const Actor& actor = *motion->actor();
  EXPECT_TRUE(bodies_down(*motion, 0.2).contains(actor.body(Role::pelvis)));
  EXPECT_TRUE(bodies_down(*motion, 1.9).contains(actor.body(Role::chest)));
  EXPECT_FALSE(bodies_down(*motion, 1.9).contains(actor.body(Role::pelvis)));
}

TEST(OutOfFloor, RaisesWhatLiesInsideItAndKeepsTheFeet) {
  const auto motion = clean("roll").reference;
  std::vector<VecX> q = poses(*motion);
  for (VecX& pose : q) pose[2] -= 0.05;
  FloorTouches touches(motion->actor());
  const double depth = bring_out_of_floor(motion->actor(), kReferenceRate, q);
  EXPECT_GT(depth, 0.03);
  for (std::size_t i = 0; i < q.size(); ++i) EXPECT_TRUE(touches.find(q[i], -0.02).empty()) << i;
  std::vector<VecX> walk = poses(*clean("walk").reference);
  const std::vector<VecX> before = walk;
  EXPECT_EQ(bring_out_of_floor(clean("walk").reference->actor(), kReferenceRate, walk), 0);
  EXPECT_EQ(walk, before);
}

}  // namespace
}  // namespace stunt
