// What page_data writes against web/page_format.json, from which the page's own types are made.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>

#include "places.h"
#include "stunt/core/files.h"
#include "stunt/report/files/summary.h"
#include "stunt/report/page/page_data.h"
#include "tests/marching_recording.h"

namespace stunt {
namespace {

using nlohmann::json;

// Checks values against the types of the format, and remembers which of its fields and columns occurred.
class FormatChecker {
 public:
  explicit FormatChecker(const json& format) : types_(format["types"]), columns_(format["columns"]) {}

  void check_head(const json& head) {
    check(head, "Head", "head");
    check_columns(head);
  }

  // Every field and column of the format, and of those what never occurred.
  std::set<std::string> unseen() const {
    std::set<std::string> all;
    for (const auto& [type, fields] : types_.items()) {
      for (const auto& field : fields.items())
        if (field.key() != "...") all.insert(type + "." + without_mark(field.key()));
    }
    for (const auto& column : columns_.items()) all.insert(without_mark(column.key()));
    for (const std::string& name : seen_) all.erase(name);
    return all;
  }

 private:
  static std::string without_mark(std::string name) {
    if (name.ends_with('?')) name.pop_back();
    return name;
  }

  void check(const json& value, const std::string& type, const std::string& place) {
    if (types_.contains(type)) {
      check_object(value, type, place);
    } else if (type == "Columns") {
      for (const auto& [name, column] : value.items()) check_object(column, "Column", place + "." + name);
    } else if (std::smatch list; std::regex_match(type, list, std::regex(R"((\w+)\[(\d*)\])"))) {
      ASSERT_TRUE(value.is_array()) << place;
      if (list[2].length() > 0) {
        EXPECT_EQ(value.size(), std::stoul(list[2])) << place;
      }
      for (const json& one : value) check(one, list[1], place + "[]");
    } else if (const std::size_t bar = type.find(" | "); bar != std::string::npos) {
      const std::string first = type.substr(0, bar);
      check(value, fits(value, first) ? first : type.substr(bar + 3), place);
    } else {
      EXPECT_TRUE(fits(value, type)) << place << ": expected " << type << ", found "
                                     << value.dump().substr(0, 80);
    }
  }

  // Of a type that is one word: whether the value has it. An object's fields are not looked at.
  bool fits(const json& value, const std::string& type) const {
    if (types_.contains(type)) return value.is_object();
    if (type == "string") return value.is_string();
    if (type == "number") return value.is_number();
    if (type == "integer") return value.is_number_integer();
    if (type == "boolean") return value.is_boolean();
    if (type == "null") return value.is_null();
    if (type.starts_with('\'')) return value == type.substr(1, type.size() - 2);
    return value.is_number_integer() && std::to_string(value.get<int>()) == type;  // 0 | 1 | 2
  }

  void check_object(const json& value, const std::string& type, const std::string& place) {
    ASSERT_TRUE(value.is_object()) << place << ": expected " << type << ", found "
                                   << value.dump().substr(0, 80);
    const json& fields = types_[type];
    for (const auto& [name, description] : fields.items()) {
      const std::string plain = without_mark(name);
      if (!value.contains(plain)) {
        EXPECT_TRUE(name.ends_with('?') || name == "...") << place << " has no " << plain;
        continue;
      }
      seen_.insert(type + "." + plain);
      check(value[plain], description[0], place + "." + plain);
    }
    for (const auto& field : value.items()) {
      EXPECT_TRUE(fields.contains(field.key()) || fields.contains(field.key() + "?") ||
                  fields.contains("..."))
          << place << "." << field.key() << " is not in the format";
    }
  }

  // The name of a column in the format ("actor<i>_com") has one pattern, with the i of the name in `index`.
  const json* describe(const std::string& column, std::size_t& index) {
    for (const auto& [name, description] : columns_.items()) {
      const std::string plain = without_mark(name);
      std::smatch found;
      const std::regex pattern(std::regex_replace(plain, std::regex("<i>"), "(\\d+)"));
      if (!std::regex_match(column, found, pattern)) continue;
      index = found.size() > 1 ? std::stoul(found[1]) : 0;
      seen_.insert(plain);
      return &description;
    }
    return nullptr;
  }

  void check_columns(const json& head) {
    const std::size_t times = head["columns"]["time"]["rows"];
    const std::map<std::string, std::size_t> known_rows = {
        {"times", times}, {"times + 1", times + 1}, {"contacts", head["columns"]["contact_point"]["rows"]}};
    for (const auto& [name, column] : head["columns"].items()) {
      std::size_t index = 0;
      const json* description = describe(name, index);
      ASSERT_TRUE(description) << "the column " << name << " is not in the format";
      if (const auto rows = known_rows.find((*description)["rows"]); rows != known_rows.end()) {
        EXPECT_EQ(column["rows"], rows->second) << name;
      }
      const std::string of_each = description->value("of_each", "");
      std::size_t count = 1;
      if (of_each == "body") count = head["bodies"].size();
      if (of_each == "own body") count = head["actors"][index]["bodies"];
      if (of_each == "own muscle") count = head["actors"][index]["muscles"].size();
      if (of_each == "own degree of freedom") {
        const json& last = head["actors"][index]["joints"].back();
        count = last["dof"].get<std::size_t>() + (last["type"] == "ball" ? 3 : 1);
      }
      EXPECT_EQ(column["channels"], count * (*description)["channels"].size()) << name;
    }
    for (const auto& [name, description] : columns_.items()) {
      if (name.ends_with('?')) continue;
      const std::size_t copies = name.starts_with("actor<i>") ? head["actors"].size() : 1;
      for (std::size_t i = 0; i < copies; ++i) {
        const std::string column = std::regex_replace(name, std::regex("<i>"), std::to_string(i));
        EXPECT_TRUE(head["columns"].contains(column)) << "there is no column " << column;
      }
    }
  }

  const json types_, columns_;
  std::set<std::string> seen_;
};

json head_of(const std::string& page) {
  std::size_t length = 0;
  for (std::size_t k = 0; k < 4; ++k) length |= std::size_t{static_cast<std::uint8_t>(page[4 + k])} << 8 * k;
  return json::parse(page.substr(8, length));
}

// A muscle that moves it, with what was recorded of it.
void add_muscle(Recording& run) {
  ActorTrack& track = run.actors[0];
  track.muscles = {{.name = "calf",
                    .max_force = 1000,
                    .fibre_length = 0.05,
                    .tendon_slack = 0.3,
                    .path = {{0, Vec3::Zero()}, {1, Vec3::Zero()}}}};
  for (const char* name : {"muscle_activation", "muscle_force"})
    track.channels.add(name, "", "", 1, Channel::Type::f4)
        .all<float>()
        .assign(static_cast<std::size_t>(run.samples()), 0.5f);
}

TEST(PageFormat, IsWhatTheProgramWrites) {
  FormatChecker checker(json::parse(read_file(in_source("web/page_format.json"))));
  for (const MarchingOptions& options :
       {MarchingOptions{.duration = 1, .let_go = 0.1}, MarchingOptions{.duration = 0.5, .characters = 2}}) {
    Recording run = marching_recording(options);
    run.actors[0].rehearsed = {{0.15, 0.45}};
    run.actors[0].states = {"guard"};
    Channel& state = run.actors[0].channels.add("state", "", "", 1, Channel::Type::u1);
    state.all<std::uint8_t>().assign(static_cast<std::size_t>(run.samples()), 0);
    RunSummary summary = summarize(run);
    summary.actors[0].injury = {.preset = "default", .measures = {{"head", "D_H", 1.2, 0.4}}, .d_avg = 1.2};
    checker.check_head(head_of(page_data(run, summary_json(summary))));
    add_muscle(run);
    checker.check_head(head_of(page_data(run, nullptr)));
  }
  EXPECT_EQ(checker.unseen(), std::set<std::string>{}) << "described, and in none of the recordings";
}

}  // namespace
}  // namespace stunt
