#include "stunt/reference/cleanup/unseen_support.h"

#include <gtest/gtest.h>

#include "stunt/actor/fit/fit.h"
#include "stunt/motion/load.h"
#include "stunt/reference/cleanup/clean_up.h"

namespace stunt {
namespace {

// Nothing but the floor carries the built-in motions.
TEST(UnseenSupport, FeetCarryWhoStandsWalksAndJumps) {
  for (const char* motion : {"stand", "walk", "squat", "bow", "jump", "run", "march"}) {
    const Clip clip = load_clip(motion);
    EXPECT_TRUE(clean_up(fit_actor(clip), clip).warnings.empty()) << motion;
  }
}

// The same standing body, held with its feet half a metre ahead of it, or above the floor: both need a thing
// to lean on for as long as they last.
TEST(UnseenSupport, TellsWhenSomethingElseMustCarry) {
  const Clip clip = load_clip("stand");
  const FittedActor fitted = fit_actor(clip);
  const auto motion = clean_up(fitted, clip).reference;
  std::vector<VecX> standing, leaning, hanging;
  ContactTable contacts;
  for (int i = 0; i < motion->size(); ++i) {
    standing.push_back(motion->q(i));
    contacts.push_back(motion->contacts(i));
    VecX lean = motion->q(i);
    // Tilted by half a radian about the feet, as against a wall.
    const Quat tilt = axis_angle(Vec3::UnitY(), -0.5);
    lean.head<3>() = tilt * Vec3(lean.head<3>());
    quat_to_wxyz(tilt * quat_from_wxyz(&lean[3]), &lean[3]);
    leaning.push_back(lean);
    hanging.push_back(motion->q(i));
    hanging.back()[2] += 0.5;
  }
  const ContactTable none(contacts.size(), std::vector<std::uint8_t>(contacts[0].size(), 0));
  EXPECT_TRUE(unseen_support(fitted.actor, standing, motion->rate(), contacts).empty());
  for (const auto& spans : {unseen_support(fitted.actor, leaning, motion->rate(), contacts),
                            unseen_support(fitted.actor, hanging, motion->rate(), none)}) {
    ASSERT_EQ(spans.size(), 1u);
    EXPECT_NEAR(spans[0].begin, 0, 0.05);
    EXPECT_NEAR(spans[0].end, motion->duration(), 0.05);
  }
}

}  // namespace
}  // namespace stunt
