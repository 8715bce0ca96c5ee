#include "stunt/motion/readers/asf_amc.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "stunt/core/error.h"
#include "stunt/motion/readers/euler.h"
#include "stunt/motion/readers/scanner.h"
#include "stunt/motion/readers/text.h"

namespace stunt {
namespace {

constexpr std::size_t kMostBones = 1000;

struct Bone {
  std::string name;
  Vec3 direction = Vec3::Zero();
  double length = 0.0;
  Quat axes = Quat::Identity();  // the joint's axes in the world of the rest pose
  std::string dof;  // as in SourceFormat::channels: "XYZ" rotations, "xyz" translations, 'l' length
};

struct AsfFile {
  std::vector<Bone> bones;  // bones[0] is the root
  std::vector<int> parents;
  Vec3 root_position = Vec3::Zero();
  bool degrees = true;
};

// Acclaim lists rotations in the order in which they happen, so "XYZ" is the matrix Rz * Ry * Rx.
Quat rotation_in_order(std::string order, std::vector<double> angles) {
  std::reverse(order.begin(), order.end());
  std::reverse(angles.begin(), angles.end());
  return from_euler(order, angles.data());
}

std::string upper(std::string_view word) {
  std::string out(word);
  for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

// "rx", "TY", "l" -> 'X', 'y', 'l'.
char dof_letter(const Scanner& scan, std::string_view word) {
  const std::string name = upper(word);
  if (name == "L") return 'l';
  if (name.size() == 2 && name[1] >= 'X' && name[1] <= 'Z') {
    if (name[0] == 'R') return name[1];
    if (name[0] == 'T') return static_cast<char>(std::tolower(name[1]));
  }
  scan.fail(quote(word), "rx, ry, rz, tx, ty, tz or l");
}

void add_dof(const Scanner& scan, std::string& dof, char letter) {
  if (dof.find(letter) != std::string::npos) scan.fail("a degree of freedom twice", "each once");
  dof += letter;
}

std::string axis_order(Scanner& scan) {
  const std::string_view word = scan.word();
  const std::string order = upper(word);
  std::string sorted = order;
  std::sort(sorted.begin(), sorted.end());
  if (sorted != "XYZ") scan.fail(quote(word), "an order such as XYZ");
  return order;
}

Vec3 vector(Scanner& scan, const char* what) {
  Vec3 v;
  for (int i = 0; i < 3; ++i) v[i] = scan.number(what);
  return v;
}

class AsfReader {
 public:
  AsfReader(std::string_view text, const std::string& place) : scan_(text, place), place_(place) {}

  AsfFile read() {
    file_.bones.push_back({});
    file_.bones[0].name = "root";
    index_["root"] = 0;
    while (!scan_.peek().empty()) {
      const std::string_view word = scan_.word();
      if (word.starts_with('#') || !word.starts_with(':')) {
        scan_.next_line();
      } else if (equals_ignoring_case(word, ":units")) {
        units();
      } else if (equals_ignoring_case(word, ":root")) {
        root();
      } else if (equals_ignoring_case(word, ":bonedata")) {
        bonedata();
      } else if (equals_ignoring_case(word, ":hierarchy")) {
        hierarchy();
      } else {
        scan_.next_line();
      }
    }
    if (file_.bones.size() < 2) throw InputError(place_, "no bones", "an ASF skeleton with :bonedata");
    if (!has_hierarchy_) throw InputError(place_, "no :hierarchy", "an ASF skeleton");
    return sorted();
  }

 private:
  // The next word of the section, or empty where the next section begins.
  std::string_view key() {
    while (scan_.peek().starts_with('#')) scan_.next_line();
    return scan_.peek().starts_with(':') ? std::string_view() : scan_.word();
  }

  void units() {
    for (std::string_view word = key(); !word.empty(); word = key()) {
      if (equals_ignoring_case(word, "angle")) {
        const std::string_view unit = scan_.word();
        file_.degrees = !upper(unit).starts_with("RAD");
      } else {
        scan_.next_line();
      }
    }
  }

  Quat axes(const Vec3& angles, const std::string& order) const {
    std::vector<double> in_order;
    for (const char c : order) in_order.push_back((file_.degrees ? radians(1.0) : 1.0) * angles[c - 'X']);
    return rotation_in_order(order, in_order);
  }

  void root() {
    Vec3 orientation = Vec3::Zero();
    std::string order = "XYZ";
    for (std::string_view word = key(); !word.empty(); word = key()) {
      if (equals_ignoring_case(word, "order")) {
        while (scan_.more_on_line()) add_dof(scan_, file_.bones[0].dof, dof_letter(scan_, scan_.word()));
      } else if (equals_ignoring_case(word, "axis")) {
        order = axis_order(scan_);
      } else if (equals_ignoring_case(word, "position")) {
        file_.root_position = vector(scan_, "position has three");
      } else if (equals_ignoring_case(word, "orientation")) {
        orientation = vector(scan_, "orientation has three");
      } else {
        scan_.next_line();
      }
    }
    file_.bones[0].axes = axes(orientation, order);
  }

  void bonedata() {
    for (std::string_view word = key(); !word.empty(); word = key()) {
      if (!equals_ignoring_case(word, "begin")) scan_.fail(quote(word), "begin");
      if (file_.bones.size() > kMostBones) scan_.fail("more bones", fmt::format("at most {}", kMostBones));
      Bone bone;
      for (word = key(); !equals_ignoring_case(word, "end"); word = key()) {
        if (word.empty()) scan_.fail("the end of :bonedata", "end");
        if (equals_ignoring_case(word, "name")) {
          bone.name = std::string(scan_.rest_of_line());
          readable_name(bone.name, scan_.where());  // throws where it is too long
        } else if (equals_ignoring_case(word, "direction")) {
          bone.direction = vector(scan_, "direction has three");
        } else if (equals_ignoring_case(word, "length")) {
          bone.length = scan_.number("length");
        } else if (equals_ignoring_case(word, "axis")) {
          const Vec3 angles = vector(scan_, "axis has three");
          bone.axes = axes(angles, axis_order(scan_));
        } else if (equals_ignoring_case(word, "dof")) {
          while (scan_.more_on_line()) add_dof(scan_, bone.dof, dof_letter(scan_, scan_.word()));
        } else {
          scan_.next_line();  // id, limits and what else a body may have
        }
      }
      if (bone.name.empty()) scan_.fail("a bone without name", "name");
      if (!index_.emplace(bone.name, static_cast<int>(file_.bones.size())).second) {
        scan_.fail(fmt::format("a second bone {}", quote(bone.name)), "each name once");
      }
      file_.bones.push_back(std::move(bone));
    }
  }

  int bone_named(std::string_view word) {
    const auto found = index_.find(std::string(word));
    if (found == index_.end()) scan_.fail(quote(word), "the name of a bone");
    return found->second;
  }

  void hierarchy() {
    file_.parents.assign(file_.bones.size(), -1);
    has_hierarchy_ = true;
    for (std::string_view word = key(); !word.empty(); word = key()) {
      if (equals_ignoring_case(word, "begin") || equals_ignoring_case(word, "end")) continue;
      const int parent = bone_named(word);
      while (scan_.more_on_line()) {
        const int child = bone_named(scan_.word());
        if (child == 0 || file_.parents[child] >= 0) scan_.fail("a bone with two parents", "a tree");
        file_.parents[child] = parent;
      }
    }
  }

  // Parents before children; bones that do not hang on the root (also circles) are refused.
  AsfFile sorted() {
    AsfFile out;
    out.root_position = file_.root_position;
    out.degrees = file_.degrees;
    std::vector<std::vector<int>> children(file_.bones.size());
    if (file_.parents.size() != file_.bones.size())
      throw InputError(place_, ":bonedata after :hierarchy", "before it");
    for (std::size_t b = 1; b < file_.bones.size(); ++b) {
      if (file_.parents[b] >= 0) children[file_.parents[b]].push_back(static_cast<int>(b));
    }
    std::vector<std::pair<int, int>> to_do = {{0, -1}};
    while (!to_do.empty()) {
      const auto [bone, parent] = to_do.back();
      to_do.pop_back();
      out.parents.push_back(parent);
      out.bones.push_back(file_.bones[bone]);
      for (auto child = children[bone].rbegin(); child != children[bone].rend(); ++child) {
        to_do.push_back({*child, static_cast<int>(out.bones.size()) - 1});
      }
    }
    if (out.bones.size() != file_.bones.size()) {
      throw InputError(place_, "bones that do not hang on the root", "all of them in :hierarchy");
    }
    return out;
  }

  Scanner scan_;
  std::string place_;
  AsfFile file_;
  std::map<std::string, int> index_;
  bool has_hierarchy_ = false;
};

}  // namespace

Clip read_asf_amc(std::string_view asf, const std::string& asf_place, std::string_view amc,
                  const std::string& amc_place, double fps) {
  const AsfFile skeleton = AsfReader(asf, asf_place).read();
  const int bone_count = static_cast<int>(skeleton.bones.size());
  Clip clip;
  clip.source.format = "asf/amc";
  clip.fps = fps;
  std::map<std::string, int, std::less<>> index;
  std::vector<char> has_child(bone_count, 0);
  for (int b = 0; b < bone_count; ++b) {
    const Bone& bone = skeleton.bones[b];
    const int parent = skeleton.parents[b];
    const Vec3 offset = parent < 0 ? Vec3(Vec3::Zero())
                                   : Vec3(skeleton.bones[parent].direction * skeleton.bones[parent].length);
    clip.skeleton.joints.push_back({to_utf8(bone.name), parent, offset, Quat::Identity()});
    index[bone.name] = b;
    if (parent >= 0) has_child[parent] = 1;
    if (bone.dof.find_first_of(b == 0 ? "l" : "xyzl") != std::string::npos) {
      clip.warnings.push_back(
          fmt::format("Bone {} changes its length or place; bones are rigid here.", quote(bone.name)));
    }
  }
  for (int b = 0; b < bone_count; ++b) {
    const Bone& bone = skeleton.bones[b];
    if (!has_child[b]) clip.skeleton.ends.push_back({b, bone.direction * bone.length});
  }

  Scanner scan(amc, amc_place);
  bool in_degrees = true;
  while (true) {  // the head: comments and keywords
    const std::string_view word = scan.peek();
    if (equals_ignoring_case(word, ":radians")) in_degrees = false;
    if (!word.starts_with('#') && !word.starts_with(':')) break;
    scan.next_line();
  }
  while (!scan.peek().empty()) {
    scan.integer("a frame's number", 0, 1'000'000'000);
    if (clip.frames.size() >= kMostFrames || (clip.frames.size() + 1) * bone_count > kMostRotations) {
      scan.fail("more frames", fmt::format("at most {}", clip.frames.size()));
    }
    Pose& pose = clip.frames.emplace_back();
    pose.root_position = skeleton.root_position;
    pose.rotations.assign(bone_count, Quat::Identity());
    std::vector<char> given(bone_count, 0);
    while (!scan.peek().empty() && !(scan.peek()[0] >= '0' && scan.peek()[0] <= '9')) {
      const std::string_view word = scan.word();
      const auto found = index.find(word);
      if (found == index.end()) scan.fail(quote(word), "a bone of the ASF, or a frame's number");
      const Bone& bone = skeleton.bones[found->second];
      if (given[found->second]++)
        scan.fail(fmt::format("{} twice in a frame", quote(word)), "each bone once");
      std::string order;
      std::vector<double> angles;
      for (const char c : bone.dof) {
        if (!scan.more_on_line()) {
          scan.fail(fmt::format("the end of the line of {}", quote(bone.name)),
                    fmt::format("{} numbers", bone.dof.size()));
        }
        const double value = scan.number("a degree of freedom");
        if (c >= 'X' && c <= 'Z') {
          order += c;
          angles.push_back(in_degrees ? radians(value) : value);
        } else if (c != 'l' && found->second == 0) {
          pose.root_position[c - 'x'] = value;
        }
      }
      if (scan.more_on_line())
        scan.fail("more numbers", fmt::format("{} for {}", bone.dof.size(), quote(bone.name)));
      // The motion is given in the bone's own axes C; in axes parallel to the world's at rest it is C M C^-1.
      pose.rotations[found->second] = bone.axes * rotation_in_order(order, angles) * bone.axes.conjugate();
    }
    for (int b = 0; b < bone_count; ++b) {
      if (!given[b] && !skeleton.bones[b].dof.empty()) {
        scan.fail(fmt::format("a frame without {}", quote(skeleton.bones[b].name)),
                  "every bone that has a dof line");
      }
    }
  }
  if (clip.frames.empty()) throw InputError(amc_place, "no frames", "at least 2");
  return clip;
}

std::filesystem::path find_asf(const std::filesystem::path& amc) {
  namespace fs = std::filesystem;
  const fs::path folder = amc.has_parent_path() ? amc.parent_path() : fs::path(".");
  const std::string stem = amc.stem().string();
  std::vector<fs::path> all;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (equals_ignoring_case(entry.path().extension().string(), ".asf")) all.push_back(entry.path());
  }
  for (const std::string& wanted : {stem, stem.substr(0, stem.find('_'))}) {
    for (const auto& path : all) {
      if (path.stem().string() == wanted) return path;
    }
  }
  if (all.size() == 1) return all[0];
  throw InputError(amc.string(), fmt::format("{} ASF files beside it", all.size()),
                   fmt::format("its skeleton as {}.asf", stem));
}

}  // namespace stunt
