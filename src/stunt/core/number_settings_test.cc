#include "stunt/core/number_settings.h"

#include <gtest/gtest.h>

namespace stunt {
namespace {

struct Part {
  double size = 2;
  Eigen::Vector2d place = {3, 4};
};
void describe(Fields& fields, Part& part) {
  fields("size", part.size, {.bounds = above(0), .search = SearchRange{1, 0.5}});
  fields("place", part.place);
}

struct Whole {
  double level = 1;
  int count = 5;
  std::optional<double> open;
  Part first;
  std::vector<Part> parts = std::vector<Part>(2);
};
void describe(Fields& fields, Whole& whole) {
  fields("level", whole.level)("count", whole.count)("open", whole.open);
  fields.group("first", whole.first, "");
  fields.list("parts", whole.parts, "");
}

TEST(NumberSettings, AreListedBySuchNamesAsAFileHas) {
  const auto numbers = list_numbers(Whole{});
  std::vector<std::string> names;
  for (const NumberSetting& number : numbers) names.push_back(number.name);
  EXPECT_EQ(names, (std::vector<std::string>{"level", "first.size", "first.place.0", "first.place.1",
                                             "parts.0.size", "parts.0.place.0", "parts.0.place.1",
                                             "parts.1.size", "parts.1.place.0", "parts.1.place.1"}));
  EXPECT_EQ(numbers[3].value, 4);
  ASSERT_TRUE(numbers[1].about.search);
  EXPECT_EQ(numbers[1].about.search->spread, 0.5);
}

// Set directly and through the text of a file: the same.
TEST(NumberSettings, AreSetByName) {
  Whole direct;
  set_numbers(direct, {{"level", 0.1}, {"parts.1.place.0", 7.25}, {"first.size", 9}});
  EXPECT_EQ(direct.level, 0.1);
  EXPECT_EQ(direct.parts[1].place, Eigen::Vector2d(7.25, 4));
  EXPECT_EQ(direct.parts[0].place, Eigen::Vector2d(3, 4));
  EXPECT_EQ(direct.first.size, 9);
  Whole read;
  read.parts.clear();
  read_settings(Config::parse(write_settings(direct), "text"), read);
  EXPECT_EQ(write_settings(read), write_settings(direct));
}

}  // namespace
}  // namespace stunt
