// A parsed YAML text that knows where everything stands: each key has a default, an unknown key is an error that lists
// the known ones, and every error names file, line and key. Structs are read from it by core/settings.h.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

namespace stunt {

// A limit on a number: "at least 0", "above 0".
struct Limit {
  double low, high;
  bool open_low;
  std::string text;
};
Limit at_least(double low);
Limit above(double low);
Limit between(double low, double high);
Limit above_to(double low, double high);  // above the one, at most the other
Limit any_number();

// A mapping in a YAML text, or an empty one. Copies are cheap and share the "was read" marks.
class Config {
 public:
  Config();  // empty
  // Parses a YAML text and applies overrides "a.b.0.c=value". Throws InputError.
  static Config parse(std::string_view yaml, const std::string& place,
                      const std::vector<std::string>& overrides = {});

  // Reads a key into a field, which keeps its value when the key is absent.
  // A number may carry its unit, or one that converts to it: "0.2 s", "200 ms".
  Config& operator()(const std::string& key, double& field, const Limit& limit = any_number(),
                     const std::string& unit = "");
  Config& operator()(const std::string& key, int& field, const Limit& limit = any_number(),
                     const std::string& unit = "");
  Config& operator()(const std::string& key, std::uint64_t& field);
  Config& operator()(const std::string& key, bool& field);
  Config& operator()(const std::string& key, std::string& field);
  // One of a fixed set of words.
  Config& operator()(const std::string& key, std::string& field, const std::vector<std::string>& allowed);
  // A list of numbers; `fewest` of them will do (0: all; 1: a number alone too), the others keep their value.
  Config& operator()(const std::string& key, Eigen::Vector2d& field, const Limit& limit = any_number(),
                     const std::string& unit = "", int fewest = 0);
  Config& operator()(const std::string& key, Eigen::Vector3d& field, const Limit& limit = any_number(),
                     const std::string& unit = "", int fewest = 0);
  // The key is known, though nothing is read.
  void know(const std::string& key);

  // The mapping under a key (an empty Config when absent); the list of mappings under a key. A scalar where a mapping
  // is expected is read as {<scalar_key>: scalar} when scalar_key is given.
  Config child(const std::string& key, const std::string& scalar_key = "");
  std::vector<Config> list(const std::string& key);

  bool has(const std::string& key) const;
  int length(
      const std::string& key) const;  // entries of the list under a key; 0 when it is absent or no list
  std::vector<std::string> keys() const;
  // Throws InputError when a key was never asked for; the message lists the keys that were. Children too, except those
  // handed out by child() or list() that nobody has read from yet: they are for their receiver to check.
  void done() const;
  // "scene.yaml:12: actors.0.controller"
  std::string where(const std::string& key = "") const;

 private:
  struct Node;
  explicit Config(std::shared_ptr<Node> node) : node_(std::move(node)) {}
  std::shared_ptr<Node> node_;
};

}  // namespace stunt
