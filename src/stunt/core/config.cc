#include "stunt/core/config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <sstream>
#include <unordered_map>

#include "stunt/core/error.h"

namespace stunt {
namespace {

// Bounds on what a person could mean. They end alias bombs ("a: [*b, *b, ...]"), cycles and hostile nesting.
constexpr std::size_t kLargestText = std::size_t{4} << 20;  // bytes
constexpr int kMostNodes = 200'000;
constexpr int kDeepest = 50;
constexpr int kOrdinaryPath = 250;  // bytes of the path of a value; a longer one counts as several values

// Reads a document and keeps nothing.
struct Skip : YAML::EventHandler {
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
  }
  void OnMapEnd() override {}
};

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct UnitFactor {
  std::string_view from, to;
  double factor;
};
constexpr UnitFactor kUnitFactors[] = {{"ms", "s", 1e-3},
                                       {"us", "s", 1e-6},
                                       {"min", "s", 60},
                                       {"mm", "m", 1e-3},
                                       {"cm", "m", 1e-2},
                                       {"g", "kg", 1e-3},
                                       {"kHz", "Hz", 1e3},
                                       {"kN", "N", 1e3},
                                       {"rad", "deg", 57.29577951308232},
                                       {"deg", "rad", 0.017453292519943295}};

}  // namespace

Limit at_least(double low) { return {low, kInfinity, false, fmt::format("a number of at least {}", low)}; }
Limit above(double low) { return {low, kInfinity, true, fmt::format("a number above {}", low)}; }
Limit between(double low, double high) {
  return {low, high, false, fmt::format("a number from {} to {}", low, high)};
}
Limit above_to(double low, double high) {
  return {low, high, true, fmt::format("a number above {} and at most {}", low, high)};
}
Limit any_number() { return {-kInfinity, kInfinity, false, "a number"}; }

// Our own copy of the parsed text: yaml-cpp's nodes do not know their path or whether anybody read them.
struct Config::Node {
  enum class Kind { nothing, scalar, list, mapping };
  struct Entry {
    std::string key;
    int line;
    std::shared_ptr<Node> value;
    bool read = false;
  };

  Kind kind = Kind::nothing;
  std::string place;  // file, or the override it came from
  int line = 0;       // from 1; 0: the place has no lines
  std::string path;   // "actors.0.controller"
  std::string text;   // scalar
  bool quoted = false;
  std::vector<std::shared_ptr<Node>> items;  // list
  std::vector<Entry> entries;                // mapping, in the order of the file; added by add() alone
  std::unordered_map<std::string, std::size_t> entry_of;  // by key, where in entries
  std::vector<std::string> asked;                         // keys somebody asked for: the known ones

  Entry* find(const std::string& key) {
    const auto at = entry_of.find(key);
    return at == entry_of.end() ? nullptr : &entries[at->second];
  }
  Entry& add(const std::string& key, int key_line, std::shared_ptr<Node> value) {
    entry_of.emplace(key, entries.size());
    entries.push_back({key, key_line, std::move(value)});
    return entries.back();
  }

  std::string where() const {
    std::string text_of = place;
    if (!place.empty() && line > 0) text_of += fmt::format(":{}", line);
    if (path.empty()) return text_of.empty() ? "configuration" : text_of;
    return text_of.empty() ? path : text_of + ": " + path;
  }

  // What is there, short enough for an error message.
  std::string found() const {
    switch (kind) {
      case Kind::nothing:
        return "nothing";
      case Kind::list:
        return fmt::format("a list of {}", items.size());
      case Kind::mapping:
        return "a mapping";
      case Kind::scalar:
        break;
    }
    std::string shown = text.substr(0, 40);
    for (char& c : shown) {
      if (static_cast<unsigned char>(c) < 0x20) c = ' ';
    }
    return fmt::format("{1}{0}{2}{1}", shown, quoted ? '"' : '\'', text.size() > 40 ? "..." : "");
  }

  [[noreturn]] void refuse(const std::string& expected) const {
    throw InputError(where(), found(), expected);
  }

  // A number in `unit`; with a unit of its own it is converted, where that can be.
  std::optional<double> number(const std::string& unit = "") const {
    if (kind != Kind::scalar || quoted) return std::nullopt;
    const char* begin = text.data();
    const char* end = begin + text.size();
    if (text.size() > 1 && *begin == '+' && begin[1] != '-') ++begin;
    double value = 0;
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
    if (stop == end) return value;
    if (*stop != ' ') return std::nullopt;
    const std::string_view own(stop + 1, static_cast<std::size_t>(end - stop - 1));
    if (own == unit) return value;
    for (const UnitFactor& factor : kUnitFactors) {
      if (own == factor.from && unit == factor.to) return value * factor.factor;
    }
    return std::nullopt;
  }

  void set_path(const std::string& new_path) {
    path = new_path;
    const std::string prefix = path.empty() ? "" : path + ".";
    for (std::size_t i = 0; i < items.size(); ++i) items[i]->set_path(prefix + std::to_string(i));
    for (auto& entry : entries) entry.value->set_path(prefix + entry.key);
  }

  // Copies a yaml-cpp tree. `budget` is how many more nodes are allowed.
  static std::shared_ptr<Node> copy(const YAML::Node& from, const std::string& place, bool lines,
                                    const std::string& path, int depth, int& budget) {
    auto to = std::make_shared<Node>();
    to->place = place;
    to->line = lines ? from.Mark().line + 1 : 0;
    to->path = path;
    budget -= 1 + static_cast<int>(path.size()) / kOrdinaryPath;
    if (budget < 0) {
      throw InputError(place, "more than 200000 values, or very long keys around many values",
                       "a configuration of ordinary size");
    }
    if (depth > kDeepest) {
      throw InputError(place, "values nested more than 50 deep", "a configuration of ordinary depth");
    }
    const std::string prefix = path.empty() ? "" : path + ".";
    switch (from.Type()) {
      case YAML::NodeType::Undefined:
      case YAML::NodeType::Null:
        break;
      case YAML::NodeType::Scalar:
        to->kind = Kind::scalar;
        to->text = from.Scalar();
        to->quoted = from.Tag() == "!";
        break;
      case YAML::NodeType::Sequence:
        to->kind = Kind::list;
        for (const auto& item : from) {
          to->items.push_back(
              copy(item, place, lines, prefix + std::to_string(to->items.size()), depth + 1, budget));
        }
        break;
      case YAML::NodeType::Map:
        to->kind = Kind::mapping;
        for (const auto& pair : from) {
          const int line = lines ? pair.first.Mark().line + 1 : 0;
          if (!pair.first.IsScalar()) {
            throw InputError(lines ? fmt::format("{}:{}", place, line) : place, "a key that is not a word",
                             "a word");
          }
          const std::string& key = pair.first.Scalar();
          auto value = copy(pair.second, place, lines, prefix + key, depth + 1, budget);
          value->line = line;  // errors point at the key, also where the value starts lower
          if (to->find(key)) throw InputError(value->where(), "the same key twice", "each key once");
          to->add(key, line, std::move(value));
        }
        break;
    }
    return to;
  }

  static std::shared_ptr<Node> parse(std::string_view yaml, const std::string& place, bool lines) {
    if (yaml.size() > kLargestText) {
      throw InputError(place, fmt::format("{} bytes", yaml.size()), fmt::format("at most {}", kLargestText));
    }
    if (yaml.find('\0') != std::string_view::npos) throw InputError(place, "binary data", "YAML text");
    try {
      // Not YAML::LoadAll, which never ends on some malformed texts.
      std::istringstream stream{std::string(yaml)};
      YAML::Parser parser(stream);
      Skip skip;
      if (parser.HandleNextDocument(skip) && parser.HandleNextDocument(skip)) {
        throw InputError(place, "more than one YAML document", "one");
      }
      int budget = kMostNodes;
      return copy(YAML::Load(std::string(yaml)), place, lines, "", 0, budget);
    } catch (const YAML::Exception& error) {
      throw InputError(
          lines && !error.mark.is_null() ? fmt::format("{}:{}", place, error.mark.line + 1) : place,
          "not valid YAML: " + error.msg);
    }
  }

  void override_with(const std::string& assignment);
};

void Config::Node::override_with(const std::string& assignment) {
  const auto equals = assignment.find('=');
  const std::string shown = assignment.substr(0, 80);
  if (equals == std::string::npos || equals == 0) {
    throw InputError("override '" + shown + "'", equals == 0 ? "no key" : "no '='",
                     "key=value, such as engine=ode");
  }
  const std::string source = "override '" + shown + "'";
  const std::string target = assignment.substr(0, equals);
  auto value = parse(std::string_view(assignment).substr(equals + 1), source, false);
  value->set_path(target);

  Node* node = this;
  for (std::size_t begin = 0, depth = 0; begin <= target.size(); ++depth) {
    if (depth > kDeepest) throw InputError(source, "a key more than 50 deep", "a key of ordinary depth");
    const auto dot = std::min(target.find('.', begin), target.size());
    const std::string part = target.substr(begin, dot - begin);
    begin = dot + 1;
    if (part.empty()) throw InputError(source, "an empty name in the key", "names separated by single dots");
    std::size_t index = 0;
    const auto [stop, error] = std::from_chars(part.data(), part.data() + part.size(), index);
    const bool is_index = error == std::errc() && stop == part.data() + part.size();

    if (node->kind == Kind::nothing) node->kind = is_index ? Kind::list : Kind::mapping;
    if (node->kind == Kind::scalar) {
      throw InputError(source, fmt::format("{} at '{}'", node->found(), node->path),
                       fmt::format("a mapping or a list, because the key goes on with '{}'", part));
    }
    std::shared_ptr<Node>* slot = nullptr;
    if (node->kind == Kind::list) {
      if (!is_index || index > node->items.size()) {
        throw InputError(
            source, fmt::format("'{}' at '{}'", part, node->path),
            fmt::format("an index from 0 to {} ({} appends)", node->items.size(), node->items.size()));
      }
      if (index == node->items.size()) node->items.push_back(nullptr);
      slot = &node->items[index];
    } else {
      Entry* entry = node->find(part);
      slot = &(entry ? *entry : node->add(part, 0, nullptr)).value;
    }
    if (dot == target.size()) {
      *slot = std::move(value);
      return;
    }
    if (!*slot) {
      *slot = std::make_shared<Node>();
      (*slot)->place = source;
      (*slot)->path = target.substr(0, dot);
    }
    node = slot->get();
  }
}

Config::Config() : node_(std::make_shared<Node>()) { node_->kind = Node::Kind::mapping; }

Config Config::parse(std::string_view yaml, const std::string& place,
                     const std::vector<std::string>& overrides) {
  auto root = Node::parse(yaml, place, true);
  if (root->kind == Node::Kind::nothing) root->kind = Node::Kind::mapping;
  if (root->kind != Node::Kind::mapping) root->refuse("a mapping (key: value)");
  for (const auto& assignment : overrides) root->override_with(assignment);
  return Config(std::move(root));
}

namespace {

// Remembers that a key is known; the node under it, or null.
template <typename Node>
Node* ask(Node& mapping, const std::string& key) {
  if (std::find(mapping.asked.begin(), mapping.asked.end(), key) == mapping.asked.end()) {
    mapping.asked.push_back(key);
  }
  auto* entry = mapping.find(key);
  if (!entry) return nullptr;
  entry->read = true;
  return entry->value.get();
}

bool within(double value, const Limit& limit) {
  return (limit.open_low ? value > limit.low : value >= limit.low) && value <= limit.high;
}

template <typename Node, typename Vector>
void read_vector(const Node& node, Vector& field, const Limit& limit, const std::string& unit, int fewest) {
  const auto number = [&](const Node& item) {
    const auto value = item.number(unit);
    if (!value || !within(*value, limit)) item.refuse(limit.text);
    return *value;
  };
  if (fewest == 1 && node.kind == Node::Kind::scalar) {
    field[0] = number(node);
    return;
  }
  const auto most = static_cast<std::size_t>(field.size());
  const auto least = fewest > 0 ? static_cast<std::size_t>(fewest) : most;
  if (node.kind != Node::Kind::list || node.items.size() < least || node.items.size() > most) {
    node.refuse(least == most ? fmt::format("a list of {} numbers", most)
                              : fmt::format("a list of {} to {} numbers", least, most));
  }
  for (std::size_t i = 0; i < node.items.size(); ++i)
    field[static_cast<Eigen::Index>(i)] = number(*node.items[i]);
}

}  // namespace

Config& Config::operator()(const std::string& key, double& field, const Limit& limit,
                           const std::string& unit) {
  if (const Node* node = ask(*node_, key)) {
    const auto value = node->number(unit);
    if (!value || !within(*value, limit)) node->refuse(limit.text);
    field = *value;
  }
  return *this;
}

Config& Config::operator()(const std::string& key, int& field, const Limit& limit, const std::string& unit) {
  if (const Node* node = ask(*node_, key)) {
    const auto value = node->number(unit);
    const bool whole = value && *value == std::floor(*value) && std::abs(*value) <= 1e9;
    if (!whole || !within(*value, limit)) {
      node->refuse("a whole number" + (limit.text.starts_with("a number")
                                           ? limit.text.substr(std::string_view("a number").size())
                                           : ", " + limit.text));
    }
    field = static_cast<int>(*value);
  }
  return *this;
}

Config& Config::operator()(const std::string& key, std::uint64_t& field) {
  if (const Node* node = ask(*node_, key)) {
    std::uint64_t value = 0;
    const char* end = node->text.data() + node->text.size();
    const auto [stop, error] = std::from_chars(node->text.data(), end, value);
    if (node->kind != Node::Kind::scalar || node->quoted || error != std::errc() || stop != end) {
      node->refuse("a whole number of at least 0");
    }
    field = value;
  }
  return *this;
}

Config& Config::operator()(const std::string& key, bool& field) {
  if (const Node* node = ask(*node_, key)) {
    const bool plain = node->kind == Node::Kind::scalar && !node->quoted;
    const auto is = [&](const char* word) { return plain && node->text == word; };
    if (is("true") || is("yes") || is("on")) {
      field = true;
    } else if (is("false") || is("no") || is("off")) {
      field = false;
    } else {
      node->refuse("true or false");
    }
  }
  return *this;
}

Config& Config::operator()(const std::string& key, std::string& field) {
  if (const Node* node = ask(*node_, key)) {
    if (node->kind != Node::Kind::scalar) node->refuse("a word");
    field = node->text;
  }
  return *this;
}

Config& Config::operator()(const std::string& key, std::string& field,
                           const std::vector<std::string>& allowed) {
  if (const Node* node = ask(*node_, key)) {
    if (node->kind != Node::Kind::scalar ||
        std::find(allowed.begin(), allowed.end(), node->text) == allowed.end()) {
      node->refuse(fmt::format("one of: {}", fmt::join(allowed, ", ")));
    }
    field = node->text;
  }
  return *this;
}

Config& Config::operator()(const std::string& key, Eigen::Vector2d& field, const Limit& limit,
                           const std::string& unit, int fewest) {
  if (const Node* node = ask(*node_, key)) read_vector(*node, field, limit, unit, fewest);
  return *this;
}

Config& Config::operator()(const std::string& key, Eigen::Vector3d& field, const Limit& limit,
                           const std::string& unit, int fewest) {
  if (const Node* node = ask(*node_, key)) read_vector(*node, field, limit, unit, fewest);
  return *this;
}

void Config::know(const std::string& key) { ask(*node_, key); }

Config Config::child(const std::string& key, const std::string& scalar_key) {
  ask(*node_, key);
  auto* entry = node_->find(key);
  if (!entry) {
    auto empty = std::make_shared<Node>();
    empty->kind = Node::Kind::mapping;
    empty->place = node_->place;
    empty->line = node_->line;
    empty->path = node_->path.empty() ? key : node_->path + "." + key;
    return Config(std::move(empty));
  }
  auto& value = entry->value;
  if (value->kind == Node::Kind::nothing) value->kind = Node::Kind::mapping;
  if (value->kind == Node::Kind::scalar && !scalar_key.empty()) {
    auto mapping = std::make_shared<Node>();
    mapping->kind = Node::Kind::mapping;
    mapping->place = value->place;
    mapping->line = value->line;
    mapping->path = value->path;
    mapping->add(scalar_key, value->line, value);
    value = std::move(mapping);
  }
  if (value->kind != Node::Kind::mapping) value->refuse("a mapping (key: value)");
  return Config(value);
}

std::vector<Config> Config::list(const std::string& key) {
  std::vector<Config> configs;
  Node* node = ask(*node_, key);
  if (!node || node->kind == Node::Kind::nothing) return configs;
  if (node->kind == Node::Kind::mapping) {  // one of them alone
    configs.push_back(Config(node_->find(key)->value));
    return configs;
  }
  if (node->kind != Node::Kind::list) node->refuse("a list of mappings (lines that start with '- ')");
  for (const auto& item : node->items) {
    if (item->kind != Node::Kind::mapping) item->refuse("a mapping (key: value)");
    configs.push_back(Config(item));
  }
  return configs;
}

bool Config::has(const std::string& key) const { return node_->find(key) != nullptr; }

int Config::length(const std::string& key) const {
  const auto* entry = node_->find(key);
  return entry && entry->value->kind == Node::Kind::list ? static_cast<int>(entry->value->items.size()) : 0;
}

std::vector<std::string> Config::keys() const {
  std::vector<std::string> keys;
  for (const auto& entry : node_->entries) keys.push_back(entry.key);
  return keys;
}

void Config::done() const {
  for (const auto& entry : node_->entries) {
    if (!entry.read) {
      throw InputError(
          entry.value->where(), fmt::format("the unknown key '{}'", entry.key.substr(0, 40)),
          node_->asked.empty() ? "no key" : fmt::format("one of: {}", fmt::join(node_->asked, ", ")));
    }
    // A mapping that was handed out but not read from yet is for its receiver to check.
    const auto check = [](const std::shared_ptr<Node>& node) {
      if (node->kind == Node::Kind::mapping && !node->asked.empty()) Config(node).done();
    };
    check(entry.value);
    for (const auto& item : entry.value->items) check(item);
  }
}

std::string Config::where(const std::string& key) const {
  if (key.empty()) return node_->where();
  if (const auto* entry = node_->find(key)) return entry->value->where();
  const Node& node = *node_;
  Node missing;
  missing.place = node.place;
  missing.line = node.line;
  missing.path = node.path.empty() ? key : node.path + "." + key;
  return missing.where();
}

}  // namespace stunt
