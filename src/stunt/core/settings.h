// Settings that are described once. A struct has one function that names each of its fields, with unit, bounds and a
// line of help:
//
//   struct PushSpec {
//     Vec3 force = Vec3::Zero();
//     double start = 0;
//   };
//   void describe(Fields& fields, PushSpec& push) {
//     fields("force", push.force, {.unit = "N", .help = "on the body, world axes"});
//     fields("start", push.start, {.unit = "s", .bounds = at_least(0), .help = "when it begins"});
//   }
//
// From it come: reading YAML with errors that name file, line and key (read_settings), writing it with every default
// filled in (write_settings), and the table of what can be set (list_settings).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "stunt/core/config.h"

namespace stunt {

// Where a search may look for a better value.
struct SearchRange {
  double mean, spread;
};

struct About {
  std::string unit = {};        // "s", "N", "1/s^2"; values in a file may carry it ("0.2 s", "200 ms")
  Limit bounds = any_number();  // vectors: of each number
  std::string help = {};        // one line: what changes when you change it
  std::vector<std::string> choices = {};   // words: those allowed; empty: any
  std::optional<SearchRange> search = {};  // numbers that an optimiser may move
  int fewest = 0;                          // vectors: so many numbers will do (1: a number alone too); 0: all
};

// What a describe() function talks to. Whoever implements it reads, writes or lists.
class Fields {
 public:
  using Describe = std::function<void(Fields&)>;
  using DescribeItem = std::function<void(Fields&, std::size_t index)>;

  virtual ~Fields() = default;

  template <typename T>
  Fields& operator()(const std::string& name, T& value, const About& about = {}) {
    field(name, value, about);
    return *this;
  }
  // A value that may be left open: then whoever uses it finds one.
  template <typename T>
  Fields& operator()(const std::string& name, std::optional<T>& value, const About& about = {}) {
    if (present(name, value.has_value())) {
      T inner = value ? *value : nothing<T>();
      field(name, inner, about);
      if (reading()) value = inner;
    }
    return *this;
  }

  // A struct under a key. A scalar in its place stands for its key `shorthand`.
  template <typename T>
  Fields& group(const std::string& name, T& value, const std::string& help,
                const std::string& shorthand = "") {
    group_of(name, help, shorthand, [&](Fields& inner) { describe(inner, value); });
    return *this;
  }
  template <typename T, typename DescribeWith>
  Fields& group(const std::string& name, T& value, const std::string& help, const std::string& shorthand,
                DescribeWith describe_with) {
    group_of(name, help, shorthand, [&](Fields& inner) { describe_with(inner, value); });
    return *this;
  }

  // A list of structs under a key.
  template <typename T>
  Fields& list(const std::string& name, std::vector<T>& items, const std::string& help) {
    return list(name, items, help, [](Fields& inner, T& item) { describe(inner, item); });
  }
  template <typename T, typename DescribeWith>
  Fields& list(const std::string& name, std::vector<T>& items, const std::string& help,
               DescribeWith describe_with) {
    const std::size_t size = items.size();
    list_of(name, help, size, [&](Fields& inner, std::size_t index) {
      if (index == items.size()) items.emplace_back();
      describe_with(inner, items[index]);
    });
    if (!reading()) items.resize(size);
    return *this;
  }

  // A mapping with exactly one of these keys: which one. `now` is the one that is set.
  virtual std::string one_key(const std::vector<std::string>& names, const std::string& now) = 0;

  virtual bool reading() const { return false; }
  virtual bool given(const std::string& name) const {
    return (void)name, false;
  }                                                                               // when reading: by the file
  virtual std::string where(const std::string& name = "") const { return name; }  // for errors
  // A rule that bounds do not express; throws InputError where it is broken by what is read.
  void require(bool kept, const std::string& name, const std::string& found,
               const std::string& expected) const;

 protected:
  template <typename T>
  static T nothing() {
    if constexpr (requires { T::Zero(); }) {
      return T::Zero();
    } else {
      return T{};
    }
  }
  virtual void field(const std::string& name, double& value, const About& about) = 0;
  virtual void field(const std::string& name, int& value, const About& about) = 0;
  virtual void field(const std::string& name, std::uint64_t& value, const About& about) = 0;
  virtual void field(const std::string& name, bool& value, const About& about) = 0;
  virtual void field(const std::string& name, std::string& value, const About& about) = 0;
  virtual void field(const std::string& name, Eigen::Vector2d& value, const About& about) = 0;
  virtual void field(const std::string& name, Eigen::Vector3d& value, const About& about) = 0;
  virtual bool present(const std::string& name, bool has_value) = 0;
  virtual void group_of(const std::string& name, const std::string& help, const std::string& shorthand,
                        const Describe& describe) = 0;
  virtual void list_of(const std::string& name, const std::string& help, std::size_t size,
                       const DescribeItem& describe) = 0;
};

// What `config` says goes into what `describe` describes; the rest keeps its value. Unknown keys are the caller's to
// refuse (Config::done), once everything was read.
void read_described(Config config, const Fields::Describe& describe);
template <typename T>
void read_settings(Config config, T& settings) {
  read_described(std::move(config), [&](Fields& fields) { describe(fields, settings); });
}

// YAML that reads back as the same values, bit for bit.
std::string write_described(const Fields::Describe& describe);
template <typename T>
std::string write_settings(const T& settings) {
  T copy = settings;
  return write_described([&](Fields& fields) { describe(fields, copy); });
}

// One row of the table of what can be set.
struct SettingRow {
  std::string name;   // "ground.slope_deg"; lists as "pushes[].force"
  std::string type;   // number, whole number, yes or no, word, 2 numbers, 3 numbers, settings, list
  std::string value;  // the default, as it would be written; empty where it is left open
  About about;
};
std::vector<SettingRow> list_described(const Fields::Describe& describe);
template <typename T>
std::vector<SettingRow> list_settings(T settings = {}) {
  return list_described([&](Fields& fields) { describe(fields, settings); });
}

// A YAML scalar that reads back as this text.
std::string yaml_word(const std::string& text);

}  // namespace stunt
