#include "stunt/reference/staging/seat.h"

#include <gtest/gtest.h>

#include "stunt/motion/load.h"
#include "stunt/reference/cleanup/clean_up.h"

namespace stunt {
namespace {

std::shared_ptr<const SampledReference> sitting(const std::string& name) {
  const Clip clip = load_clip(name);
  return clean_up(fit_actor(clip), clip).reference;
}

TEST(Seat, IsFoundUnderWhoSits) {
  const auto motion = sitting("sit");
  const auto seat = find_seat(*motion, {{2.6, 3.6}});
  ASSERT_TRUE(seat);
  EXPECT_NEAR(2 * seat->half.z(), 0.41, 0.02);  // as the motion was made
  EXPECT_NEAR(seat->centre.x(), -0.245, 0.1);
  EXPECT_NEAR(seat->centre.y(), 0, 0.02);
  const auto times = seated_times(*motion, {*seat});
  ASSERT_EQ(times.size(), 1u);
  EXPECT_NEAR(times[0].begin, 1.8, 0.3);
  EXPECT_NEAR(times[0].end, 4.4, 0.3);
  EXPECT_NE(seat_keys(*seat).find("objects: [{name: seat, size: ["), std::string::npos);
}

TEST(Seat, NobodySitsOnABoxBesideHim) {
  const SeatBox box{Vec3(-0.3, 1.0, 0.21), Vec3(0.2, 0.2, 0.21), Quat::Identity()};
  EXPECT_TRUE(seated_times(*sitting("sit"), {box}).empty());
}

}  // namespace
}  // namespace stunt
