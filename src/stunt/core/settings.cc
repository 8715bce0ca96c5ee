#include "stunt/core/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "stunt/core/error.h"

namespace stunt {
namespace {

std::string with_unit(const Limit& limit, const std::string& unit) {
  return unit.empty() || limit.text.ends_with(')') ? limit.text : fmt::format("{} ({})", limit.text, unit);
}

class Reader : public Fields {
 public:
  explicit Reader(Config config) : config_(std::move(config)) {}

  std::string one_key(const std::vector<std::string>& names, const std::string&) override {
    const std::string expected = fmt::format("exactly one of: {}", fmt::join(names, ", "));
    std::string found;
    for (const std::string& key : config_.keys()) {
      if (std::find(names.begin(), names.end(), key) == names.end()) continue;
      if (!found.empty())
        throw InputError(config_.where(key), fmt::format("both '{}' and '{}'", found, key), expected);
      found = key;
    }
    if (found.empty()) {
      const std::vector<std::string> keys = config_.keys();
      if (keys.empty()) throw InputError(config_.where(), "nothing", expected);
      throw InputError(config_.where(keys.back()),
                       fmt::format("the unknown key '{}'", keys.back().substr(0, 40)), expected);
    }
    return found;
  }
  bool reading() const override { return true; }
  bool given(const std::string& name) const override { return config_.has(name); }
  std::string where(const std::string& name) const override { return config_.where(name); }

 protected:
  void field(const std::string& name, double& value, const About& about) override {
    config_(name, value, limit(about), about.unit);
  }
  void field(const std::string& name, int& value, const About& about) override {
    config_(name, value, limit(about), about.unit);
  }
  void field(const std::string& name, std::uint64_t& value, const About&) override { config_(name, value); }
  void field(const std::string& name, bool& value, const About&) override { config_(name, value); }
  void field(const std::string& name, std::string& value, const About& about) override {
    about.choices.empty() ? config_(name, value) : config_(name, value, about.choices);
  }
  void field(const std::string& name, Eigen::Vector2d& value, const About& about) override {
    config_(name, value, limit(about), about.unit, about.fewest);
  }
  void field(const std::string& name, Eigen::Vector3d& value, const About& about) override {
    config_(name, value, limit(about), about.unit, about.fewest);
  }
  bool present(const std::string& name, bool) override {
    config_.know(name);
    return config_.has(name);
  }
  void group_of(const std::string& name, const std::string&, const std::string& shorthand,
                const Describe& describe) override {
    Reader inner(config_.child(name, shorthand));
    describe(inner);
  }
  void list_of(const std::string& name, const std::string&, std::size_t size,
               const DescribeItem& describe) override {
    for (Config& item : config_.list(name)) {
      Reader inner(item);
      describe(inner, size++);
    }
  }

 private:
  static Limit limit(const About& about) {
    Limit limit = about.bounds;
    limit.text = with_unit(limit, about.unit);
    return limit;
  }
  Config config_;
};

template <typename Vector>
std::string list_of_numbers(const Vector& value) {
  return fmt::format("[{}]", fmt::join(value.data(), value.data() + value.size(), ", "));
}

std::string value_text(double value) { return fmt::format("{}", value); }
std::string value_text(int value) { return fmt::format("{}", value); }
std::string value_text(std::uint64_t value) { return fmt::format("{}", value); }
std::string value_text(bool value) { return value ? "true" : "false"; }
std::string value_text(const std::string& value) { return yaml_word(value); }
std::string value_text(const Eigen::Vector2d& value) { return list_of_numbers(value); }
std::string value_text(const Eigen::Vector3d& value) { return list_of_numbers(value); }

class Writer : public Fields {
 public:
  explicit Writer(int indent) : indent_(indent) {}
  std::string one_key(const std::vector<std::string>&, const std::string& now) override { return now; }
  const std::string& text() const { return text_; }

 protected:
  void field(const std::string& name, double& v, const About&) override { line(name, value_text(v)); }
  void field(const std::string& name, int& v, const About&) override { line(name, value_text(v)); }
  void field(const std::string& name, std::uint64_t& v, const About&) override { line(name, value_text(v)); }
  void field(const std::string& name, bool& v, const About&) override { line(name, value_text(v)); }
  void field(const std::string& name, std::string& v, const About&) override { line(name, value_text(v)); }
  void field(const std::string& name, Eigen::Vector2d& v, const About&) override {
    line(name, value_text(v));
  }
  void field(const std::string& name, Eigen::Vector3d& v, const About&) override {
    line(name, value_text(v));
  }
  bool present(const std::string&, bool has_value) override { return has_value; }
  void group_of(const std::string& name, const std::string&, const std::string&,
                const Describe& describe) override {
    Writer inner(indent_ + 2);
    describe(inner);
    if (inner.text().empty()) {
      line(name, "{}");
    } else {
      line(name, "");
      text_ += inner.text();
    }
  }
  void list_of(const std::string& name, const std::string&, std::size_t size,
               const DescribeItem& describe) override {
    if (size == 0) return line(name, "[]");
    line(name, "");
    for (std::size_t i = 0; i < size; ++i) {
      Writer inner(indent_ + 4);
      describe(inner, i);
      std::string item = inner.text().empty() ? std::string(indent_ + 4, ' ') + "{}\n" : inner.text();
      item[static_cast<std::size_t>(indent_) + 2] = '-';
      text_ += item;
    }
  }

 private:
  void line(const std::string& name, const std::string& value) {
    text_ += fmt::format("{:{}}{}:{}{}\n", "", indent_, yaml_word(name), value.empty() ? "" : " ", value);
  }
  int indent_;
  std::string text_;
};

class Table : public Fields {
 public:
  explicit Table(std::vector<SettingRow>& rows, std::string prefix = "")
      : rows_(rows), prefix_(std::move(prefix)) {}
  std::string one_key(const std::vector<std::string>& names, const std::string&) override {
    for (const std::string& name : names) rows_.push_back({prefix_ + name, "one of these keys", "", {}});
    return "";
  }

 protected:
  void field(const std::string& name, double& v, const About& about) override {
    add(name, "number", v, about);
  }
  void field(const std::string& name, int& v, const About& about) override {
    add(name, "whole number", v, about);
  }
  void field(const std::string& name, std::uint64_t& v, const About& about) override {
    add(name, "whole number", v, about);
  }
  void field(const std::string& name, bool& v, const About& about) override {
    add(name, "yes or no", v, about);
  }
  void field(const std::string& name, std::string& v, const About& about) override {
    add(name, "word", v, about);
  }
  void field(const std::string& name, Eigen::Vector2d& v, const About& about) override {
    add(name, "2 numbers", v, about);
  }
  void field(const std::string& name, Eigen::Vector3d& v, const About& about) override {
    add(name, "3 numbers", v, about);
  }
  bool present(const std::string&, bool has_value) override {
    open_ = !has_value;
    return true;
  }
  void group_of(const std::string& name, const std::string& help, const std::string&,
                const Describe& describe) override {
    rows_.push_back({prefix_ + name, "settings", "", {.help = help}});
    Table inner(rows_, prefix_ + name + ".");
    describe(inner);
  }
  void list_of(const std::string& name, const std::string& help, std::size_t,
               const DescribeItem& describe) override {
    rows_.push_back({prefix_ + name, "list", "[]", {.help = help}});
    Table inner(rows_, prefix_ + name + "[].");
    describe(inner, 0);
  }

 private:
  template <typename T>
  void add(const std::string& name, const char* type, const T& value, const About& about) {
    rows_.push_back({prefix_ + name, type, open_ ? "" : value_text(value), about});
    rows_.back().about.bounds.text = with_unit(about.bounds, about.unit);
    open_ = false;
  }
  std::vector<SettingRow>& rows_;
  std::string prefix_;
  bool open_ = false;
};

}  // namespace

void Fields::require(bool kept, const std::string& name, const std::string& found,
                     const std::string& expected) const {
  if (!kept && reading()) throw InputError(where(name), found, expected);
}

void read_described(Config config, const Fields::Describe& describe) {
  Reader reader(std::move(config));
  describe(reader);
}

std::string write_described(const Fields::Describe& describe) {
  Writer writer(0);
  describe(writer);
  return writer.text();
}

std::vector<SettingRow> list_described(const Fields::Describe& describe) {
  std::vector<SettingRow> rows;
  Table table(rows);
  describe(table);
  return rows;
}

std::string yaml_word(const std::string& text) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '/' || c == '.' || c == '-';
  };
  static const std::vector<std::string> kMeaning = {"true", "false", "yes", "no", "on",
                                                    "off",  "null",  "y",   "n"};
  std::string lower = text;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  if (!text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) || text[0] == '_') &&
      std::all_of(text.begin(), text.end(), plain) &&
      std::find(kMeaning.begin(), kMeaning.end(), lower) == kMeaning.end()) {
    return text;
  }
  // JSON strings are YAML strings.
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace stunt
