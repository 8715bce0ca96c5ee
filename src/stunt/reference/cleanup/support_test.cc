#include "stunt/reference/cleanup/support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "stunt/actor/fit/fit.h"
#include "stunt/motion/load.h"
#include "stunt/reference/cleanup/clean_up.h"

namespace stunt {
namespace {

struct CleanPoses {
  ActorPtr actor;
  double rate;
  std::vector<VecX> q;
  ContactTable contacts;
};

CleanPoses clean_poses(const std::string& motion) {
  const Clip clip = load_clip(motion);
  const FittedActor fitted = fit_actor(clip);
  const auto reference = clean_up(fitted, clip).reference;
  CleanPoses out{fitted.actor, reference->rate(), {}, {}};
  for (int i = 0; i < reference->size(); ++i) {
    out.q.push_back(reference->q(i));
    out.contacts.push_back(reference->contacts(i));
  }
  return out;
}

bool has_contact(const ContactTable& contacts, int frame) {
  return std::any_of(contacts[frame].begin(), contacts[frame].end(), [](auto c) { return c != 0; });
}

int frames_in_air(const ContactTable& contacts) {
  int count = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) count += !has_contact(contacts, static_cast<int>(i));
  return count;
}

// Contacts of a walk that were lost for a third of a second come back on the foot that stood; nobody falls
// there.
TEST(Support, AWalkNeverFlies) {
  CleanPoses walk = clean_poses("walk");
  ASSERT_EQ(frames_in_air(walk.contacts), 0);
  const ContactTable whole = walk.contacts;
  const int begin = static_cast<int>(walk.q.size()) / 2, end = begin + static_cast<int>(walk.rate / 3);
  for (int i = begin; i < end; ++i) std::fill(walk.contacts[i].begin(), walk.contacts[i].end(), 0);
  EXPECT_EQ(close_false_flights(walk.actor, walk.q, walk.rate, walk.contacts), 1);
  EXPECT_EQ(frames_in_air(walk.contacts), 0);
  int wrong = 0;
  for (int i = begin; i < end; ++i) {
    for (std::size_t p = 0; p < whole[i].size(); ++p) wrong += walk.contacts[i][p] && !whole[i][p];
  }
  EXPECT_LT(wrong, static_cast<int>((end - begin) * whole[0].size()) / 20);
}

TEST(Support, AJumpFlies) {
  CleanPoses jump = clean_poses("jump");
  const ContactTable before = jump.contacts;
  ASSERT_GT(frames_in_air(before), 10);
  EXPECT_EQ(close_false_flights(jump.actor, jump.q, jump.rate, jump.contacts), 0);
  EXPECT_EQ(jump.contacts, before);
}

// A body that hangs as high as the jumper at rest: nothing falls, but no foot is near the floor either.
TEST(Support, AHangingBodyIsLeftAlone) {
  CleanPoses stand = clean_poses("stand");
  const int begin = static_cast<int>(stand.q.size()) / 3, end = 2 * begin;
  for (int i = begin; i < end; ++i) {
    stand.q[i][2] += 0.3;
    std::fill(stand.contacts[i].begin(), stand.contacts[i].end(), 0);
  }
  EXPECT_EQ(close_false_flights(stand.actor, stand.q, stand.rate, stand.contacts), 0);
}

// A foot that slides over the floor for a moment is as fast as one in flight, but never leaves it.
TEST(Support, ASlidingFootStands) {
  CleanPoses stand = clean_poses("stand");
  const int begin = static_cast<int>(stand.q.size()) / 3;
  for (int i = begin; i < begin + 6; ++i) std::fill(stand.contacts[i].begin(), stand.contacts[i].end(), 0);
  EXPECT_EQ(close_false_flights(stand.actor, stand.q, stand.rate, stand.contacts), 1);
  EXPECT_EQ(frames_in_air(stand.contacts), 0);
}

double lowest_point(const CleanPoses& motion, int frame) {
  const PointPaths paths = contact_point_paths(*motion.actor, {motion.q[frame]});
  double lowest = 1e9;
  for (const Vec3& point : paths[0]) lowest = std::min(lowest, point.z());
  return lowest;
}

// A walk whose height wanders as a suit's does comes back to where it was.
TEST(Support, AHoveringWalkComesDown) {
  CleanPoses walk = clean_poses("walk");
  const std::vector<VecX> original = walk.q;
  const int n = static_cast<int>(walk.q.size());
  for (int i = 0; i < n; ++i) walk.q[i][2] += 0.25 * std::pow(std::sin(kPi * i / n), 2);
  walk.contacts = find_contacts(contact_point_paths(*walk.actor, walk.q), walk.rate);
  EXPECT_GT(frames_in_air(walk.contacts), n / 4);
  EXPECT_NEAR(bring_to_floor(walk.actor, walk.rate, walk.contacts, walk.q), 0.25, 0.05);
  for (int i = 0; i < n; ++i) EXPECT_LT(std::abs(lowest_point(walk, i)), 0.06) << i;
}

// So does one that jumps on the way: what falls is not taken for a body that hovers.
TEST(Support, AHoveringJumpKeepsItsFlight) {
  CleanPoses jump = clean_poses("jump");
  const std::vector<VecX> original = jump.q;
  const int n = static_cast<int>(jump.q.size());
  for (int i = 0; i < n; ++i) jump.q[i][2] += 0.2 * std::min(1.0, 4.0 * std::min(i, n - 1 - i) / n);
  jump.contacts = find_contacts(contact_point_paths(*jump.actor, jump.q), jump.rate);
  EXPECT_GT(frames_in_air(jump.contacts), n / 2);
  EXPECT_NEAR(bring_to_floor(jump.actor, jump.rate, jump.contacts, jump.q), 0.2, 0.05);
  for (int i = 0; i < n; ++i) EXPECT_NEAR(jump.q[i][2], original[i][2], 0.07) << i;
}

// What stands 10 cm under the floor comes up to it.
TEST(Support, ASunkenBodyComesUp) {
  CleanPoses stand = clean_poses("stand");
  const int n = static_cast<int>(stand.q.size());
  for (int i = n / 3; i < n; ++i) stand.q[i][2] -= 0.1;
  EXPECT_NEAR(bring_to_floor(stand.actor, stand.rate, stand.contacts, stand.q), 0.07, 0.02);
  EXPECT_GT(lowest_point(stand, n - 1), -0.035);
}

TEST(Support, WhoWalksOrJumpsIsWhereTheyBelong) {
  for (const char* name : {"walk", "jump", "squat"}) {
    CleanPoses motion = clean_poses(name);
    EXPECT_EQ(bring_to_floor(motion.actor, motion.rate, motion.contacts, motion.q), 0) << name;
  }
}

// A walk on a conveyor belt of 0.4 m/s comes back to where it was, but for the slip that is left to rolling feet.
TEST(Support, HeldFeetTakeBackASkate) {
  CleanPoses walk = clean_poses("walk");
  const std::vector<VecX> original = walk.q;
  for (std::size_t i = 0; i < walk.q.size(); ++i) {
    walk.q[i][0] += 0.4 * static_cast<double>(i) / walk.rate;
  }
  const double skate = (walk.q.back() - original.back()).head<2>().norm();
  hold_support(*walk.actor, walk.rate, walk.contacts, walk.q);
  const double left = (walk.q.back() - original.back()).head<2>().norm();
  EXPECT_LT(left, 0.35 * skate);
}

}  // namespace
}  // namespace stunt
