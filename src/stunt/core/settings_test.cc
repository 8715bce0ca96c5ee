#include "stunt/core/settings.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "stunt/core/error.h"

namespace stunt {

// One of everything that can be described.
struct Wheel {
  double radius = 0.3;
  std::string tyre = "slick";
};
void describe(Fields& fields, Wheel& wheel) {
  fields("radius", wheel.radius, {.unit = "m", .bounds = above_to(0, 2), .help = "larger rolls further"});
  fields("tyre", wheel.tyre, {.help = "which", .choices = {"slick", "rain"}});
}

struct Cart {
  double wait = 0.25;
  double load = 10;
  double share = 0.5;
  int doors = 2;
  std::uint64_t seed = 1;
  bool open = false;
  std::string name = "cart";
  Eigen::Vector2d place = {0, 0};
  Eigen::Vector3d size = {1, 2, 3};
  std::optional<double> limit;
  std::optional<std::string> owner;
  Wheel spare;
  std::vector<Wheel> wheels;
};
void describe(Fields& fields, Cart& cart) {
  fields("wait", cart.wait, {.unit = "s", .bounds = at_least(0), .help = "before it starts"});
  fields("load", cart.load, {.unit = "kg", .bounds = above(0), .search = SearchRange{12, 3}});
  fields("share", cart.share, {.bounds = between(0, 1)});
  fields("doors", cart.doors, {.bounds = between(0, 4)});
  fields("seed", cart.seed)("open", cart.open)("name", cart.name);
  fields("place", cart.place, {.unit = "m"});
  fields("size", cart.size, {.unit = "m", .bounds = above(0), .fewest = 1});
  fields("limit", cart.limit, {.unit = "m/s", .bounds = at_least(0)});
  fields("owner", cart.owner);
  fields.group("spare", cart.spare, "the fifth", "radius");
  fields.list("wheels", cart.wheels, "those it rolls on");
}

namespace {

Cart read_cart(const std::string& yaml) {
  Config config = Config::parse(yaml, "cart.yaml");
  Cart cart;
  read_settings(config, cart);
  config.done();
  return cart;
}

std::string cart_error(const std::string& yaml) {
  try {
    read_cart(yaml);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

TEST(Settings, WhatIsWrittenReadsBackBitForBit) {
  const double numbers[] = {0.1,  1e-17, 1.0 / 3,           5e-324, 1.7976931348623157e308,
                            -0.0, 1e22,  123456789.0123456, 2};
  const std::string words[] = {
      "plain",     "",      "two words", "yes",   "12",  "1e3",         "a: b",     "#no",       "- x",
      "null",      "~",     "'",         "\"",    "\\n", "line\nbreak", "\ttab",    "{a, b}",    "[1]",
      "&a",        "*a",    "!tag",      "a # b", "%",   " leading",    "umläut ü", "trailing ", "@at",
      "path/to.x", "C:\\x", ".5",        "-"};
  for (std::size_t i = 0; i < std::max(std::size(numbers), std::size(words)); ++i) {
    const double number = numbers[i % std::size(numbers)], other = numbers[(i + 3) % std::size(numbers)];
    const std::string word = words[i % std::size(words)];
    SCOPED_TRACE(word);
    Cart cart;
    cart.wait = std::abs(number);
    cart.load = std::abs(other) + 1;
    cart.doors = static_cast<int>(i % 5);
    cart.seed = std::numeric_limits<std::uint64_t>::max() - i;
    cart.open = i % 2;
    cart.name = word;
    cart.place = {number, -other};
    cart.size = {std::abs(number) + 1e-9, 1, 1.0 / 7};
    if (i % 2) cart.limit = std::abs(other);
    if (i % 3) cart.owner = word;
    cart.spare.radius = 0.1;
    for (std::size_t k = 0; k < i % 3; ++k) cart.wheels.push_back({1.0 / static_cast<double>(3 + k), "rain"});

    const std::string text = write_settings(cart);
    const Cart back = read_cart(text);
    EXPECT_TRUE(same_bits(back.wait, cart.wait)) << text;
    EXPECT_TRUE(same_bits(back.load, cart.load)) << text;
    EXPECT_EQ(back.doors, cart.doors);
    EXPECT_EQ(back.seed, cart.seed);
    EXPECT_EQ(back.open, cart.open);
    EXPECT_EQ(back.name, cart.name) << text;
    for (int k = 0; k < 2; ++k) EXPECT_TRUE(same_bits(back.place[k], cart.place[k])) << text;
    for (int k = 0; k < 3; ++k) EXPECT_TRUE(same_bits(back.size[k], cart.size[k])) << text;
    ASSERT_EQ(back.limit.has_value(), cart.limit.has_value());
    EXPECT_TRUE(same_bits(back.limit.value_or(0), cart.limit.value_or(0)));
    EXPECT_EQ(back.owner, cart.owner);
    EXPECT_TRUE(same_bits(back.spare.radius, cart.spare.radius));
    ASSERT_EQ(back.wheels.size(), cart.wheels.size());
    for (std::size_t k = 0; k < cart.wheels.size(); ++k) {
      EXPECT_TRUE(same_bits(back.wheels[k].radius, cart.wheels[k].radius));
      EXPECT_EQ(back.wheels[k].tyre, "rain");
    }
    EXPECT_EQ(write_settings(back), text);
  }
}

TEST(Settings, WhatTheFileDoesNotSayKeepsItsValue) {
  const Cart cart = read_cart("doors: 3\nsize: 5\nspare: 0.7\n");
  EXPECT_EQ(cart.doors, 3);
  EXPECT_EQ(cart.wait, 0.25);
  EXPECT_EQ(cart.size, Eigen::Vector3d(5, 2, 3));  // fewest = 1: a number alone is the first
  EXPECT_EQ(cart.spare.radius, 0.7);               // a scalar stands for the key the group names
  EXPECT_EQ(cart.spare.tyre, "slick");
  EXPECT_FALSE(cart.limit);
}

TEST(Settings, ANumberMayCarryItsUnit) {
  EXPECT_EQ(read_cart("wait: 0.2 s").wait, 0.2);
  EXPECT_EQ(read_cart("wait: 200 ms").wait, 0.2);
  EXPECT_EQ(read_cart("wait: 2 min").wait, 120);
  EXPECT_EQ(read_cart("load: 500 g").load, 0.5);
  EXPECT_EQ(read_cart("place: [2 m, -40 cm]").place, Eigen::Vector2d(2, -0.4));
  EXPECT_EQ(read_cart("limit: 3 m/s").limit, 3);
  EXPECT_EQ(cart_error("wait: 2 kg"), "cart.yaml:1: wait: found '2 kg', expected a number of at least 0 (s)");
  EXPECT_EQ(cart_error("spare:\n  radius: 3 s"),
            "cart.yaml:2: spare.radius: found '3 s', expected a number above 0 and at most 2 (m)");
  EXPECT_EQ(cart_error("share: 1 m"), "cart.yaml:1: share: found '1 m', expected a number from 0 to 1");
  EXPECT_EQ(cart_error("doors: 2 m").substr(0, 37), "cart.yaml:1: doors: found '2 m', expe");
  EXPECT_EQ(cart_error("wait: 200ms").substr(0, 32), "cart.yaml:1: wait: found '200ms'");
  // The bound is on what is meant, not on the digits.
  EXPECT_EQ(cart_error("spare: {radius: 300 cm}").substr(0, 44),
            "cart.yaml:1: spare.radius: found '300 cm', e");
}

TEST(Settings, BoundsAreOpenOrClosedAsTheySay) {
  for (const char* allowed : {"wait: 0", "share: 0", "share: 1", "load: 1e-300", "doors: 0", "doors: 4",
                              "spare: {radius: 2}", "limit: 0", "size: [1e-9, 1, 1]"}) {
    EXPECT_EQ(cart_error(allowed), "no error") << allowed;
  }
  const std::pair<const char*, const char*> refused[] = {
      {"wait: -1e-9", "wait: found '-1e-9', expected a number of at least 0 (s)"},
      {"share: 1.0000001", "share: found '1.0000001', expected a number from 0 to 1"},
      {"load: 0", "load: found '0', expected a number above 0 (kg)"},
      {"doors: 5", "doors: found '5', expected a whole number from 0 to 4"},
      {"doors: 2.5", "doors: found '2.5', expected a whole number from 0 to 4"},
      {"spare: {radius: 0}", "spare.radius: found '0', expected a number above 0 and at most 2 (m)"},
      {"size: [1, 0, 1]", "size.1: found '0', expected a number above 0 (m)"},
      {"size: [1, 1, 1, 1]", "size: found a list of 4, expected a list of 1 to 3 numbers"},
      {"place: 3", "place: found '3', expected a list of 2 numbers"},
      {"limit: -1", "limit: found '-1', expected a number of at least 0 (m/s)"},
      {"spare: {tyre: wood}", "spare.tyre: found 'wood', expected one of: slick, rain"},
      {"wheels: [{}, {radius: 9}]",
       "wheels.1.radius: found '9', expected a number above 0 and at most 2 (m)"},
  };
  for (const auto& [yaml, error] : refused) {
    EXPECT_EQ(cart_error(yaml), std::string("cart.yaml:1: ") + error) << yaml;
  }
}

TEST(Settings, AnUnknownKeyListsTheKnownOnes) {
  EXPECT_EQ(
      cart_error("wait: 1\nwiat: 2\n"),
      "cart.yaml:2: wiat: found the unknown key 'wiat', expected one of: wait, load, share, doors, seed, "
      "open, name, place, size, limit, owner, spare, wheels");
  EXPECT_EQ(cart_error("wheels:\n  - {}\n  - radius: 1\n    rim: 2\n"),
            "cart.yaml:4: wheels.1.rim: found the unknown key 'rim', expected one of: radius, tyre");
}

TEST(Settings, TheTableHasDefaultsUnitsAndBounds) {
  const std::vector<SettingRow> rows = list_settings<Cart>();
  const auto row = [&](const std::string& name) {
    for (const SettingRow& each : rows) {
      if (each.name == name) return each;
    }
    ADD_FAILURE() << "no row " << name;
    return SettingRow{};
  };
  EXPECT_EQ(rows.size(), 17u);
  EXPECT_EQ(row("wait").type, "number");
  EXPECT_EQ(row("wait").value, "0.25");
  EXPECT_EQ(row("wait").about.unit, "s");
  EXPECT_EQ(row("wait").about.help, "before it starts");
  EXPECT_EQ(row("wait").about.bounds.low, 0);
  EXPECT_FALSE(row("wait").about.bounds.open_low);
  EXPECT_TRUE(row("load").about.bounds.open_low);
  EXPECT_EQ(row("load").about.search->mean, 12);
  EXPECT_EQ(row("share").about.bounds.high, 1);
  EXPECT_EQ(row("doors").type, "whole number");
  EXPECT_EQ(row("open").type, "yes or no");
  EXPECT_EQ(row("name").value, "cart");
  EXPECT_EQ(row("place").value, "[0, 0]");
  EXPECT_EQ(row("size").type, "3 numbers");
  EXPECT_EQ(row("limit").value, "") << "left open";
  EXPECT_EQ(row("owner").value, "") << "left open";
  EXPECT_EQ(row("spare").type, "settings");
  EXPECT_EQ(row("spare.radius").value, "0.3");
  EXPECT_EQ(row("spare.tyre").about.choices, (std::vector<std::string>{"slick", "rain"}));
  EXPECT_EQ(row("wheels").type, "list");
  EXPECT_EQ(row("wheels[].radius").about.unit, "m");
}

}  // namespace
}  // namespace stunt
