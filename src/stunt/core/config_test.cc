#include "stunt/core/config.h"

#include <gtest/gtest.h>

#include <functional>
#include <string_view>

#include "stunt/core/error.h"
#include "stunt/core/random.h"

namespace stunt {
namespace {

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Config, ReadsEveryTypeAndKeepsDefaults) {
  auto config =
      Config::parse("a: 1.5e2\nb: -3\nc: yes\nd: 'two words'\ne: [1, 2, .5]\nf: 18446744073709551615\n", "x");
  double a = 0, absent = 7;
  int b = 0;
  bool c = false;
  std::string d;
  Eigen::Vector3d e;
  std::uint64_t f = 0;
  config("a", a)("b", b)("c", c)("d", d)("e", e)("f", f)("absent", absent);
  config.done();
  EXPECT_EQ(a, 150);
  EXPECT_EQ(b, -3);
  EXPECT_TRUE(c);
  EXPECT_EQ(d, "two words");
  EXPECT_EQ(e, Eigen::Vector3d(1, 2, 0.5));
  EXPECT_EQ(f, 18446744073709551615ull);
  EXPECT_EQ(absent, 7);
}

TEST(Config, EmptyTextIsAnEmptyMapping) {
  for (const char* text : {"", "\n\n", "# only a comment\n", "---\n"}) {
    auto config = Config::parse(text, "x");
    EXPECT_TRUE(config.keys().empty());
    config.done();
  }
}

TEST(Config, UnknownKeyListsTheKnownOnesAlsoInChildren) {
  auto config = Config::parse("ok: 1\ninner:\n  spede: 2\n", "scene.yaml");
  double value = 0;
  config("ok", value);
  auto inner = config.child("inner");
  inner("speed", value)("start", value);
  EXPECT_EQ(error_of([&] { config.done(); }),
            "scene.yaml:3: inner.spede: found the unknown key 'spede', expected one of: speed, start");
}

TEST(Config, AChildThatNobodyReadIsLeftToItsReceiver) {
  auto config = Config::parse("controller: {type: pd, gain: 2}\n", "x");
  auto controller = config.child("controller", "type");
  config.done();
  std::string type;
  controller("type", type);
  EXPECT_NE(error_of([&] { controller.done(); }).find("'gain'"), std::string::npos);
}

TEST(Config, WrongTypesSayWhatWasFoundAndExpected) {
  struct Case {
    const char* text;
    std::function<void(Config&)> read;
    const char* error;
  };
  double number = 0;
  int whole = 0;
  bool flag = false;
  std::string word;
  Eigen::Vector3d vector;
  std::uint64_t seed = 0;
  const std::vector<Case> cases = {
      {"a: fast", [&](Config& c) { c("a", number); }, "x:1: a: found 'fast', expected a number"},
      {"a: '1'", [&](Config& c) { c("a", number); }, "x:1: a: found \"1\", expected a number"},
      {"a: .inf", [&](Config& c) { c("a", number); }, "x:1: a: found '.inf', expected a number"},
      {"a: nan", [&](Config& c) { c("a", number); }, "x:1: a: found 'nan', expected a number"},
      {"a: 1e999", [&](Config& c) { c("a", number); }, "x:1: a: found '1e999', expected a number"},
      {"a: 1 m", [&](Config& c) { c("a", number); }, "x:1: a: found '1 m', expected a number"},
      {"a:", [&](Config& c) { c("a", number); }, "x:1: a: found nothing, expected a number"},
      {"a: -1", [&](Config& c) { c("a", number, at_least(0)); },
       "x:1: a: found '-1', expected a number of at least 0"},
      {"a: 0", [&](Config& c) { c("a", number, above(0)); }, "x:1: a: found '0', expected a number above 0"},
      {"a: 3", [&](Config& c) { c("a", number, between(0, 2)); },
       "x:1: a: found '3', expected a number from 0 to 2"},
      {"a: 1.5", [&](Config& c) { c("a", whole); }, "x:1: a: found '1.5', expected a whole number"},
      {"a: -2", [&](Config& c) { c("a", whole, at_least(0)); },
       "x:1: a: found '-2', expected a whole number of at least 0"},
      {"a: 1e12", [&](Config& c) { c("a", whole); }, "x:1: a: found '1e12', expected a whole number"},
      {"a: -1", [&](Config& c) { c("a", seed); },
       "x:1: a: found '-1', expected a whole number of at least 0"},
      {"a: maybe", [&](Config& c) { c("a", flag); }, "x:1: a: found 'maybe', expected true or false"},
      {"a: [x]", [&](Config& c) { c("a", word); }, "x:1: a: found a list of 1, expected a word"},
      {"a: red",
       [&](Config& c) {
         c("a", word, {"blue", "green"});
       },
       "x:1: a: found 'red', expected one of: blue, green"},
      {"a: [1, 2]", [&](Config& c) { c("a", vector); },
       "x:1: a: found a list of 2, expected a list of 3 numbers"},
      {"a: [1, b, 3]", [&](Config& c) { c("a", vector); }, "x:1: a.1: found 'b', expected a number"},
      {"\na: 5", [&](Config& c) { c.child("a"); }, "x:2: a: found '5', expected a mapping (key: value)"},
      {"a: 5", [&](Config& c) { c.list("a"); },
       "x:1: a: found '5', expected a list of mappings (lines that start with '- ')"},
      {"a: [1]", [&](Config& c) { c.list("a"); }, "x:1: a.0: found '1', expected a mapping (key: value)"},
  };
  for (const auto& test : cases) {
    auto config = Config::parse(test.text, "x");
    EXPECT_EQ(error_of([&] { test.read(config); }), test.error) << test.text;
  }
}

TEST(Config, ScalarWhereAMappingIsExpected) {
  auto config = Config::parse("motion: walk\n", "x");
  std::string source;
  config.child("motion", "source")("source", source);
  config.done();
  EXPECT_EQ(source, "walk");
}

TEST(Config, OverridesReplaceAppendAndMakePaths) {
  auto config =
      Config::parse("actors:\n  - {name: a, position: [0, 0]}\n", "x",
                    {"actors.0.position=[1, 2]", "actors.1.name=b", "ground.friction=0.5", "new.0.deep=yes"});
  auto actors = config.list("actors");
  ASSERT_EQ(actors.size(), 2u);
  Eigen::Vector2d position;
  std::string first, second;
  double friction = 0;
  bool deep = false;
  actors[0]("name", first)("position", position);
  actors[1]("name", second);
  config.child("ground")("friction", friction);
  config.list("new").at(0)("deep", deep);
  config.done();
  EXPECT_EQ(position, Eigen::Vector2d(1, 2));
  EXPECT_EQ(first + second, "ab");
  EXPECT_EQ(friction, 0.5);
  EXPECT_TRUE(deep);
}

TEST(Config, BadOverrides) {
  const std::string yaml = "a: 1\nlist: [{b: 1}]\n";
  for (const char* bad : {"a", "=1", "", "a.b=1", "list.2.b=1", "list.x=1", ".a=1", "a.=1", "list.0.b.c=1",
                          "q=[1", "list.-1.b=2", "list.99999999999999999999.b=2"}) {
    EXPECT_THROW(Config::parse(yaml, "x", {bad}), InputError) << bad;
  }
  auto config = Config::parse(yaml, "x", {"a=slow"});
  double a = 0;
  EXPECT_EQ(error_of([&] { config("a", a); }), "override 'a=slow': a: found 'slow', expected a number");
}

TEST(Config, HostileTextsEndInAnInputError) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 10; ++k) bomb += (k ? ", *a" : "*a") + std::to_string(i - 1);
    bomb += "]\n";
  }
  std::string block;
  for (int i = 0; i < 3000; ++i) block += "- ";
  const std::vector<std::string> texts = {
      bomb,
      std::string(20000, '['),
      std::string(20000, '{'),
      "a: " + std::string(5000, '[') + std::string(5000, ']'),
      block,
      "a: &a [*a]\n",
      "a: *missing\n",
      "a: 1\na: 2\n",
      "[1, 2]: 3\n",
      "just a word",
      "- 1\n- 2\n",
      "a: 1\n---\nb: 2\n",
      "a: b: c\n",
      "\ta: 1\n",
      std::string("a: \0 1\n", 7),
      std::string("\x89PNG\r\n\x1a\n\0\0\0", 11),
      std::string(5 << 20, 'a'),
      "? : :\n? [",
      "%YAML 9.9\n---\n%\n",
  };
  for (const auto& text : texts) {
    EXPECT_THROW(Config::parse(text, "x"), InputError) << text.substr(0, 40);
  }
}

TEST(Config, RandomBytesAreReadOrRefusedWithTheirPlace) {
  Random random(3);
  int read = 0, refused = 0;
  const std::string alphabet = "ab:-[]{}&*!|>'\"%@`#,? \n\t0.\\\x80\xff";
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    for (std::uint64_t n = random.next() % 60; n > 0; --n) text += alphabet[random.next() % alphabet.size()];
    try {
      Config::parse(text, "x").done();
      ++read;
    } catch (const InputError& error) {  // anything else ends the test
      EXPECT_TRUE(std::string_view(error.what()).starts_with("x:")) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(read, 0);
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace stunt
