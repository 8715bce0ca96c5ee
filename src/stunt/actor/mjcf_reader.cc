#include "stunt/actor/mjcf_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <set>
#include <string_view>
#include <vector>

#include "stunt/actor/mujoco_messages.h"
#include "stunt/core/error.h"
#include "stunt/core/files.h"
#include "stunt/core/rotation.h"

namespace stunt {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kLargestMjcf = std::size_t{64} << 20;  // bytes, of each file
// Of all files together, copies counted. MuJoCo's time grows with the square of the number of bodies.
constexpr double kMostBodies = 2'000, kMostElements = 50'000;
constexpr double kMostHeights = 4e6;  // of a height field, which is no part of a character but is read

// The elements of an XML text, one after the other. What is not XML is left for MuJoCo to complain about.
class ElementScanner {
 public:
  explicit ElementScanner(std::string_view text) : text_(text) {}

  std::string_view name;  // "/body" for the end of one
  bool empty = false;     // "<.../>"
  int line = 1;

  bool next() {
    for (;;) {
      if (!go_to(text_.find('<', at_))) return false;
      if (const auto rest = text_.substr(at_); rest.starts_with("<!--")) {
        if (!go_to(text_.find("-->", at_))) return false;
      } else if (rest.starts_with("<![CDATA[")) {
        if (!go_to(text_.find("]]>", at_))) return false;
      } else if (rest.starts_with("<!") || rest.starts_with("<?")) {
        ++at_;
      } else {
        break;
      }
    }
    const std::size_t end = end_of_tag();
    if (end == std::string_view::npos) return false;
    tag_ = text_.substr(at_ + 1, end - at_ - 1);
    empty = tag_.ends_with('/');
    name = tag_.substr(0, std::min(tag_.find_first_of(" \t\r\n"), tag_.size() - (empty ? 1 : 0)));
    at_ = end;
    return true;
  }

  // The value of an attribute; empty when it is not there.
  std::string_view attribute(std::string_view wanted) const {
    for (std::size_t at = 0; (at = tag_.find(wanted, at)) != std::string_view::npos; at += wanted.size()) {
      if (at == 0 || std::string_view(" \t\r\n").find(tag_[at - 1]) == std::string_view::npos) continue;
      const std::size_t equals = tag_.find_first_not_of(" \t\r\n", at + wanted.size());
      if (equals == std::string_view::npos || tag_[equals] != '=') continue;
      const std::size_t open = tag_.find_first_not_of(" \t\r\n", equals + 1);
      if (open == std::string_view::npos || (tag_[open] != '"' && tag_[open] != '\'')) continue;
      const std::size_t close = tag_.find(tag_[open], open + 1);
      return close == std::string_view::npos ? "" : tag_.substr(open + 1, close - open - 1);
    }
    return "";
  }

 private:
  bool go_to(std::size_t position) {
    if (position == std::string_view::npos) return false;
    line += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                        text_.begin() + static_cast<std::ptrdiff_t>(position), '\n'));
    at_ = position;
    return true;
  }
  std::size_t end_of_tag() const {
    char quote = 0;
    for (std::size_t i = at_; i < text_.size(); ++i) {
      const char c = text_[i];
      if (quote != 0) {
        if (c == quote) quote = 0;
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == '>') {
        return i;
      }
    }
    return std::string_view::npos;
  }

  std::string_view text_, tag_;
  std::size_t at_ = 0;
};

// The product of the numbers in a text; at least 1.
double product(std::string_view numbers) {
  double all = 1;
  const char* at = numbers.data();
  const char* end = at + numbers.size();
  while (at < end) {
    double value = 0;
    const auto [stop, error] = std::from_chars(at, end, value);
    if (error == std::errc() && value > 1) all *= value;
    at = std::max(stop, at + 1);
  }
  return all;
}

// MuJoCo takes "nan" for "not given".
void refuse_nan(const ElementScanner& scanner, const std::string& place) {
  for (const char* attribute : {"mass", "density", "diaginertia", "fullinertia", "pos", "quat", "size",
                                "fromto", "axis", "range", "stiffness", "damping", "armature"}) {
    std::string value(scanner.attribute(attribute).substr(0, 1000));
    std::transform(value.begin(), value.end(), value.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    if (value.find("nan") != std::string::npos) {
      throw InputError(fmt::format("{}:{}", place, scanner.line),
                       fmt::format("<{} {}='{}'>", scanner.name, attribute, value.substr(0, 40)), "numbers");
    }
  }
}

// Adds up what the text and the files it includes would become.
class SizeCheck {
 public:
  explicit SizeCheck(fs::path folder) : folder_(std::move(folder)) {}

  void add(std::string_view text, const std::string& place) {
    if (text.find('\0') != std::string_view::npos)
      throw InputError(place, "a binary file", "MJCF (XML text)");
    std::vector<double> copies = {1};  // of what stands at each depth of <replicate>
    ElementScanner scanner(text);
    while (scanner.next()) {
      if (scanner.name == "/replicate" && copies.size() > 1) copies.pop_back();
      if (scanner.name.starts_with('/')) continue;
      refuse_nan(scanner, place);
      const bool many =
          scanner.name == "composite" || scanner.name == "flexcomp" || scanner.name == "replicate";
      const double count = copies.back() * (many ? product(scanner.attribute("count")) : 1);
      const auto limit = [&](double number, double most, const char* what) {
        if (number > most) {
          throw InputError(fmt::format("{}:{}", place, scanner.line),
                           fmt::format("{:.0f} {} up to <{}>", number, what, scanner.name),
                           fmt::format("a character of at most {:.0f}", most));
        }
      };
      limit(elements_ += count, kMostElements, "elements, copies counted,");
      if (many || scanner.name == "body") limit(bodies_ += count, kMostBodies, "bodies, copies counted,");
      if (scanner.name == "hfield") {
        limit(product(scanner.attribute("nrow")) * product(scanner.attribute("ncol")), kMostHeights,
              "heights");
      }
      if (scanner.name == "replicate" && !scanner.empty) copies.push_back(count);
      if (scanner.name == "include" || scanner.name == "model") {
        include(std::string(scanner.attribute("file")), place, scanner.line);
      }
    }
  }

 private:
  void include(const std::string& name, const std::string& from, int line) {
    if (name.empty() || folder_.empty()) return;  // MuJoCo says what is wrong
    std::error_code error;
    fs::path path = folder_ / name;
    if (!fs::exists(path, error)) path = fs::path(from).parent_path() / name;
    if (!seen_.insert(path).second) return;
    if (!fs::is_regular_file(path, error))
      throw InputError(fmt::format("{}:{}", from, line), fmt::format("'{}', which is no file", name),
                       "a file");
    add(read_file(path, kLargestMjcf), path.string());
  }

  fs::path folder_;  // empty: there are no files
  std::set<fs::path> seen_;
  double elements_ = 0, bodies_ = 0;
};

SpecPtr checked(mjSpec* spec, const char* error, const std::string& place) {
  if (!spec) throw InputError(place, mujoco_message(error), "an MJCF character");
  return SpecPtr(spec);
}

}  // namespace

std::string mujoco_message(const char* text) {
  std::string line = text ? text : "";
  std::replace(line.begin(), line.end(), '\n', ' ');
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line.empty() ? "no reason given" : line;
}

SpecPtr parse_mjcf_file(const fs::path& path) {
  hook_mujoco_messages();
  SizeCheck(fs::absolute(path).parent_path()).add(read_file(path, kLargestMjcf), path.string());
  std::array<char, 1000> error{};
  mjSpec* spec = mj_parseXML(path.c_str(), nullptr, error.data(), error.size());
  return checked(spec, error.data(), path.string());
}

SpecPtr parse_mjcf_text(const std::string& text, const std::string& place) {
  hook_mujoco_messages();
  SizeCheck("").add(text, place);
  std::array<char, 1000> error{};
  mjSpec* spec = mj_parseXMLString(text.c_str(), nullptr, error.data(), error.size());
  return checked(spec, error.data(), place);
}

bool embed_meshes(mjSpec& spec, const mjModel& model) {
  bool any = false;
  for (auto* element = mjs_firstElement(&spec, mjOBJ_MESH); element;
       element = mjs_nextElement(&spec, element)) {
    mjsMesh* mesh = mjs_asMesh(element);
    const int id = mjs_getId(element);
    if (id < 0 || *mjs_getString(mesh->file) == '\0') continue;
    // The compiler has scaled the vertices, and moved them to the mesh's centre and main axes.
    const Vec3 centre = vec3(model.mesh_pos + 3 * id);
    const Quat axes = quat_from_wxyz(model.mesh_quat + 4 * id);
    std::vector<float> vertices;
    for (int v = model.mesh_vertadr[id]; v < model.mesh_vertadr[id] + model.mesh_vertnum[id]; ++v) {
      const float* own = model.mesh_vert + 3 * v;
      const Vec3 vertex = centre + axes * Vec3(own[0], own[1], own[2]);
      for (int i = 0; i < 3; ++i) vertices.push_back(static_cast<float>(vertex[i]));
    }
    mjs_setName(element, model.names + model.name_meshadr[id]);  // it may have been that of the file
    mjs_setFloat(mesh->uservert, vertices.data(), static_cast<int>(vertices.size()));
    mjs_setInt(mesh->userface, model.mesh_face + 3 * model.mesh_faceadr[id], 3 * model.mesh_facenum[id]);
    mjs_setString(mesh->file, "");
    mjs_setString(mesh->content_type, "");
    std::fill_n(mesh->scale, 3, 1.0);
    std::fill_n(mesh->refpos, 3, 0.0);
    std::copy_n(std::array{1.0, 0.0, 0.0, 0.0}.data(), 4, mesh->refquat);
    any = true;
  }
  return any;
}

}  // namespace stunt
