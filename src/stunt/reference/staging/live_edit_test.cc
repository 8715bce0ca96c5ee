#include "stunt/reference/staging/live_edit.h"

#include <gtest/gtest.h>

#include "stunt/core/error.h"
#include "stunt/motion/edit/keys.h"
#include "stunt/motion/load.h"
#include "stunt/reference/cleanup/clean_up.h"
#include "stunt/reference/legs/leg.h"

namespace stunt {
namespace {

using Motion = std::shared_ptr<const SampledReference>;

Motion walk() {
  const Clip clip = load_clip("walk");
  return clean_up(fit_actor(clip), clip).reference;
}

struct Paths {
  std::vector<Vec3> root, left, right, hand;
  explicit Paths(const SampledReference& motion) {
    const Actor& actor = *motion.actor();
    ActorDynamics dynamics(motion.actor());
    for (int i = 0; i < motion.size(); ++i) {
      dynamics.set_state(motion.q(i), VecX::Zero(actor.nv()));
      root.push_back(motion.q(i).head<3>());
      left.push_back(dynamics.body_position(actor.body(Role::left_foot)));
      right.push_back(dynamics.body_position(actor.body(Role::right_foot)));
      hand.push_back(dynamics.body_position(actor.body(Role::right_hand)));
    }
  }
};

TEST(LiveEdit, AWarpedMotionsSpeedIsTheRateOfItsPoses) {
  const Motion motion = walk();
  const ReferencePtr slow = warped(motion, {.factor = 0.75, .duration = 1}, 1);
  ReferenceSample before, now, after;
  VecX change;
  for (const double t : {0.5, 1.05, 1.3, 1.6, 1.93, 2.5}) {
    constexpr double kStep = 1e-3;  // s
    slow->sample(t - kStep, before);
    slow->sample(t, now);
    slow->sample(t + kStep, after);
    difference(*motion->actor(), before.q, after.q, change);
    EXPECT_LT((change / (2 * kStep) - now.v).norm(), 0.08 * now.v.norm()) << t;
  }
  EXPECT_NEAR(slow->duration() - motion->duration(), 0.25 * 0.85, 1e-9);
}

TEST(LiveEdit, LongerStridesBeginWhereItIsAndFeetThatStandStand) {
  const Motion motion = walk();
  const Paths as_it_was(*motion);
  const double length = step_length(as_it_was.root, as_it_was.left, as_it_was.right);
  const Motion longer = edited(*motion, StrideEdit{.by = 0.1});
  const Paths now(*longer);
  EXPECT_LT((longer->q(0) - motion->q(0)).head<3>().norm(), 0.01);
  // From a metre on they are as long as asked.
  std::vector<Vec3> root, left, right;
  for (std::size_t i = 0; i < now.root.size(); ++i) {
    if (now.root[i].x() - now.root[0].x() < 1) continue;
    root.push_back(now.root[i]);
    left.push_back(now.left[i]);
    right.push_back(now.right[i]);
  }
  EXPECT_NEAR(step_length(root, left, right), length + 0.1, 0.02);
  for (std::size_t i = 1; i < now.left.size(); ++i) {
    const double was = (as_it_was.left[i] - as_it_was.left[i - 1]).norm();
    if (was >= 1e-4) continue;
    EXPECT_LT((now.left[i] - now.left[i - 1]).norm(), 1e-3) << i;
  }
}

TEST(LiveEdit, ASlopeCarriesTheFeetUp) {
  const Motion motion = walk();
  const Paths as_it_was(*motion);
  const Paths now(*edited(*motion, SlopeEdit{.slope_deg = 5}));
  const double rise = std::tan(radians(5.0)), start = as_it_was.root[0].x();
  for (std::size_t i = 0; i < now.left.size(); ++i) {
    const double way = as_it_was.left[i].x() - start;
    if (way < 0.5) continue;
    EXPECT_NEAR(now.left[i].z() - as_it_was.left[i].z(), rise * (way - 0.25), 0.02) << i;
  }
}

TEST(LiveEdit, AHandReachesForAWhile) {
  const Motion motion = walk();
  const Paths as_it_was(*motion);
  const Vec3 offset(0.1, -0.1, 0.3);
  const Paths now(*edited(
      *motion,
      ReachTarget{
          .part = Role::right_hand, .offset = offset, .position = {}, .start = 0.5, .end = 2, .ramp = 0.3}));
  EXPECT_LT((now.hand[30] - as_it_was.hand[30]).norm(), 1e-9);
  EXPECT_LT((now.hand[150] - as_it_was.hand[150] - offset).norm(), 0.005);
  EXPECT_LT((now.hand[260] - as_it_was.hand[260]).norm(), 1e-9);
  for (std::size_t i = 1; i < now.hand.size(); ++i) {
    EXPECT_LT((now.hand[i] - now.hand[i - 1]).norm(), 0.05) << "no jump at " << i;
    EXPECT_LT((now.left[i] - as_it_was.left[i]).norm(), 1e-9) << "the rest stays";
  }
}

TEST(LiveEdit, WhatOnlyAWholeMotionCanHaveIsRefused) {
  EXPECT_THROW(edited(*walk(), MirrorEdit{}), InputError);
  const Clip clip = load_clip("stand");
  EXPECT_THROW(edited(*clean_up(fit_actor(clip), clip).reference, StrideEdit{.by = 0.1}), InputError);
}

}  // namespace
}  // namespace stunt
