#include "stunt/core/nearest_name.h"

#include <gtest/gtest.h>

namespace stunt {
namespace {

TEST(NearestName, IsTheOneWithFewestEdits) {
  const std::vector<std::string> names = {"walk", "walk_backwards", "run", "squat"};
  EXPECT_EQ(nearest_name("wlak", names), "walk");   // swapped
  EXPECT_EQ(nearest_name("walks", names), "walk");  // put in
  EXPECT_EQ(nearest_name("sqat", names), "squat");  // left out
  EXPECT_EQ(nearest_name("walk-backward", names), "walk_backwards");
  EXPECT_EQ(nearest_name("ran", names), "run");
}

TEST(NearestName, IsNoneWhereNoneIsNear) {
  EXPECT_EQ(nearest_name("backflip", {"walk", "run"}), "");
  EXPECT_EQ(nearest_name("my_clip.bvh", {"walk", "run"}), "");
  EXPECT_EQ(nearest_name("", {"walk"}), "");
  EXPECT_EQ(nearest_name("ab", {"xy"}), "");
  EXPECT_EQ(nearest_name(std::string(100'000, 'a'), {"walk"}), "");
}

}  // namespace
}  // namespace stunt
