#include "stunt/motion/roles.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <vector>

#include "stunt/motion/clip.h"

namespace stunt {
namespace {

constexpr std::array<std::string_view, kRoleCount> kNames = {
    "pelvis",          "spine",          "chest",        "neck",        "head",
    "left_clavicle",   "left_upper_arm", "left_forearm", "left_hand",   "right_clavicle",
    "right_upper_arm", "right_forearm",  "right_hand",   "left_thigh",  "left_shank",
    "left_foot",       "left_toes",      "right_thigh",  "right_shank", "right_foot",
    "right_toes"};

// What a name without its side says. Several words are used for two things ("shoulder" is the collar bone's
// joint in one dialect and the upper arm's in another), so words are kept apart until it is known which of
// them occur.
enum class Word {
  none,
  thigh,
  hip,
  leg,
  shank,
  ankle,
  foot,
  toes,
  clavicle,
  shoulder,
  arm,
  forearm,
  hand,
  neck,
  head
};

const std::map<std::string_view, Word>& dictionary() {
  static const std::map<std::string_view, Word> words = {
      {"upleg", Word::thigh},
      {"upperleg", Word::thigh},
      {"thigh", Word::thigh},
      {"femur", Word::thigh},
      {"hip", Word::hip},
      {"hipjoint", Word::hip},
      {"leg", Word::leg},
      {"lowerleg", Word::shank},
      {"lowleg", Word::shank},
      {"shin", Word::shank},
      {"shank", Word::shank},
      {"calf", Word::shank},
      {"tibia", Word::shank},
      {"knee", Word::shank},
      {"kneejoint", Word::shank},
      {"ankle", Word::ankle},
      {"anklejoint", Word::ankle},
      {"talus", Word::ankle},
      {"foot", Word::foot},
      {"calcn", Word::foot},
      {"toebase", Word::toes},
      {"toe", Word::toes},
      {"toes", Word::toes},
      {"ball", Word::toes},
      {"forefoot", Word::toes},
      {"clavicle", Word::clavicle},
      {"clav", Word::clavicle},
      {"collar", Word::clavicle},
      {"collarbone", Word::clavicle},
      {"shoulder", Word::shoulder},
      {"shoulderjoint", Word::shoulder},
      {"arm", Word::arm},
      {"upperarm", Word::arm},
      {"uparm", Word::arm},
      {"humerus", Word::arm},
      {"forearm", Word::forearm},
      {"lowerarm", Word::forearm},
      {"lowarm", Word::forearm},
      {"radius", Word::forearm},
      {"ulna", Word::forearm},
      {"elbow", Word::forearm},
      {"elbowjoint", Word::forearm},
      {"wrist", Word::hand},
      {"wristjoint", Word::hand},
      {"hand", Word::hand},
      {"neck", Word::neck},
      {"head", Word::head},
      {"skull", Word::head},
  };
  return words;
}

struct Meaning {
  Word word = Word::none;
  Side side = Side::middle;
};

// "mixamorig:LeftUpLeg" -> {"mixamorig", "left", "up", "leg"}; digits are dropped.
std::vector<std::string> tokens(const std::string& name) {
  std::vector<std::string> out(1);
  bool was_lower = false;
  for (const char c : name) {
    const auto u = static_cast<unsigned char>(c);
    if (!std::isalpha(u)) {
      if (!out.back().empty()) out.emplace_back();
      was_lower = false;
      continue;
    }
    if (std::isupper(u) && was_lower) out.emplace_back();
    out.back() += static_cast<char>(std::tolower(u));
    was_lower = std::islower(u) != 0;
  }
  if (out.back().empty()) out.pop_back();
  return out;
}

Meaning meaning_of_word(const std::string& text) {
  const auto word = [](std::string_view stem) {
    const auto found = dictionary().find(stem);
    return found == dictionary().end() ? Word::none : found->second;
  };
  if (const Word whole = word(text); whole == Word::neck || whole == Word::head) return {whole, Side::middle};
  const std::string_view all = text;
  for (const auto& [mark, side] : {std::pair<std::string_view, Side>{"left", Side::left},
                                   {"right", Side::right},
                                   {"lft", Side::left},
                                   {"rgt", Side::right},
                                   {"rt", Side::right},
                                   {"lt", Side::left},
                                   {"l", Side::left},
                                   {"r", Side::right}}) {
    if (all.starts_with(mark)) {
      if (const Word w = word(all.substr(mark.size())); w != Word::none) return {w, side};
    }
    if (all.ends_with(mark)) {
      if (const Word w = word(all.substr(0, all.size() - mark.size())); w != Word::none) return {w, side};
    }
  }
  return {};
}

// What rigs add to every name: "L_upArm_jnt", "Head_M".
bool says_nothing(const std::string& token) {
  for (const char* const filler : {"jnt", "joint", "jt", "bone", "bn", "skin", "def", "bind", "m", "c"}) {
    if (token == filler) return true;
  }
  return false;
}

// Tries the whole name, then without its first token, and so on: prefixes such as "Bip01" or "mixamorig" fall
// away.
Meaning meaning(const std::string& name) {
  std::vector<std::string> parts = tokens(name);
  if (parts.size() > 1 && says_nothing(parts.back())) parts.pop_back();
  for (std::size_t first = 0; first < parts.size(); ++first) {
    std::string text;
    for (std::size_t i = first; i < parts.size(); ++i) text += parts[i];
    if (const Meaning m = meaning_of_word(text); m.word != Word::none) return m;
  }
  return {};
}

bool is_end_marker(const std::string& name) {
  std::vector<std::string> parts = tokens(name);
  if (parts.size() > 1 && says_nothing(parts.back())) parts.pop_back();
  if (parts.empty()) return false;
  const std::string& last = parts.back();
  return last == "end" || last == "nub" || last == "site" || last == "tip" || last == "effector";
}

// The side a name says in a word of its own, whatever else it says: "arm_joint_L__4_".
Side side_in_name(const std::string& name) {
  for (const std::string& token : tokens(name)) {
    if (token == "l" || token == "left" || token == "lft") return Side::left;
    if (token == "r" || token == "right" || token == "rgt") return Side::right;
  }
  return Side::middle;
}

// The joints of one leg or arm, from the trunk outwards: thigh, shank, foot, toes or upper arm, forearm,
// hand.
struct Leg {
  int thigh = -1, shank = -1, foot = -1, toes = -1;
  bool found() const { return thigh >= 0 && shank >= 0 && foot >= 0; }
};
struct Arm {
  int clavicle = -1, upper_arm = -1, forearm = -1, hand = -1;
  bool found() const { return upper_arm >= 0 && forearm >= 0; }
};

class Recogniser {
 public:
  explicit Recogniser(const Skeleton& skeleton) : skeleton_(skeleton), children_(skeleton.size()) {
    forward_kinematics(skeleton, standing_pose(skeleton), stand_);
    for (int i = 0; i < skeleton.size(); ++i) {
      meanings_.push_back(meaning(skeleton.joints[i].name));
      if (skeleton.joints[i].parent >= 0) children_[skeleton.joints[i].parent].push_back(i);
    }
  }

  Roles run() {
    left_leg_ = named_leg(Side::left);
    right_leg_ = named_leg(Side::right);
    left_arm_ = named_arm(Side::left);
    right_arm_ = named_arm(Side::right);
    if (!left_leg_.found() || !right_leg_.found()) legs_by_shape();
    if (!left_arm_.found() || !right_arm_.found()) arms_by_shape();
    Roles roles;
    if (left_leg_.found() && right_leg_.found()) {
      set_leg(roles, left_leg_, Role::left_thigh);
      set_leg(roles, right_leg_, Role::right_thigh);
      roles[Role::pelvis] = common_ancestor(left_leg_.thigh, right_leg_.thigh);
    }
    if (left_arm_.found()) set_arm(roles, left_arm_, Role::left_clavicle);
    if (right_arm_.found()) set_arm(roles, right_arm_, Role::right_clavicle);
    if (roles[Role::pelvis] >= 0) trunk(roles);
    return roles;
  }

 private:
  // --- by name -------------------------------------------------------------------------------------
  // The first joint, in the skeleton's order, with this word and side at or below `under`.
  int named(Side side, Word word, int under) const {
    for (int i = 0; i < skeleton_.size(); ++i) {
      if (meanings_[i].word == word && meanings_[i].side == side && (under < 0 || is_below(i, under)) &&
          !is_end_marker(skeleton_.joints[i].name)) {
        return i;
      }
    }
    return -1;
  }
  static int first_of(int a, int b) { return a < 0 ? b : (b < 0 ? a : std::min(a, b)); }

  Leg named_leg(Side side) const {
    Leg leg;
    leg.thigh = named(side, Word::thigh, -1);
    if (leg.thigh < 0) leg.thigh = named(side, Word::hip, -1);
    const int shin = named(side, Word::shank, leg.thigh);
    if (leg.thigh < 0 && shin >= 0) leg.thigh = named(side, Word::leg, -1);  // "leg" above "shin"
    leg.shank = shin >= 0 ? shin : named(side, Word::leg, leg.thigh);
    if (leg.thigh < 0 || leg.shank < 0) return {};
    const int ankle = named(side, Word::ankle, leg.shank);
    const int foot = named(side, Word::foot, leg.shank);
    leg.foot = first_of(ankle, foot);
    if (leg.foot < 0) return {};
    leg.toes = named(side, Word::toes, leg.foot);
    // Body models call the ankle's joint "ankle" and the ball's "foot".
    if (leg.toes < 0 && ankle >= 0 && foot > ankle && distance(ankle, foot) > 0.02) leg.toes = foot;
    if (leg.toes >= 0 && is_whole_foot(leg.foot, leg.toes)) leg.toes = -1;
    return leg;
  }
  // A joint close under the ankle, with all of the foot's length still before it, does not move the toes.
  bool is_whole_foot(int ankle, int joint) const {
    const double way = distance(ankle, joint);
    return way < 0.06 && longest_chain(joint).length > 2 * way && longest_chain(joint).length > 0.12;
  }

  Arm named_arm(Side side) const {
    Arm arm;
    const int shoulder = named(side, Word::shoulder, -1);
    arm.clavicle = named(side, Word::clavicle, -1);
    arm.upper_arm = named(side, Word::arm, -1);
    if (arm.upper_arm >= 0) {
      if (arm.clavicle < 0) arm.clavicle = shoulder;
    } else {
      arm.upper_arm = shoulder;
    }
    arm.forearm = named(side, Word::forearm, arm.upper_arm);
    if (arm.upper_arm < 0 || arm.forearm < 0 || arm.forearm == arm.upper_arm) return {};
    if (arm.clavicle >= 0 && !is_below(arm.upper_arm, arm.clavicle)) arm.clavicle = -1;
    arm.hand = named(side, Word::hand, arm.forearm);
    return arm;
  }

  // --- by shape ------------------------------------------------------------------------------------
  struct Chain {
    std::vector<int> joints;
    Vec3 tip = Vec3::Zero();
    double length = 0;
  };
  // The longest way from a joint to the end of a limb.
  Chain longest_chain(int joint) const {
    Chain best;
    best.tip = stand_.positions[joint];
    for (const SkeletonEnd& end : skeleton_.ends) {
      if (end.joint == joint && end.offset.norm() > best.length) {
        best.length = end.offset.norm();
        best.tip = stand_.positions[joint] + stand_.rotations[joint] * end.offset;
      }
    }
    for (const int child : children_[joint]) {
      Chain below = longest_chain(child);
      below.length += skeleton_.joints[child].offset.norm();
      if (below.length > best.length || best.joints.empty()) best = std::move(below);
    }
    best.joints.insert(best.joints.begin(), joint);
    return best;
  }

  struct Pair {
    Chain a, b;
    int from = -1;
    double mismatch = 1;  // 0: mirror images
    double length() const { return a.length + b.length; }
    double height() const { return 0.5 * (a.tip.z() + b.tip.z()); }
  };
  // Mirror images: as long, ending as high, and with bones as long.
  std::vector<Pair> mirrored_pairs() const {
    std::vector<Pair> pairs;
    for (int from = 0; from < skeleton_.size(); ++from) {
      for (std::size_t i = 0; i < children_[from].size(); ++i) {
        for (std::size_t j = i + 1; j < children_[from].size(); ++j) {
          Pair pair{longest_chain(children_[from][i]), longest_chain(children_[from][j]), from};
          pair.a.length += skeleton_.joints[children_[from][i]].offset.norm();
          pair.b.length += skeleton_.joints[children_[from][j]].offset.norm();
          const double longer = std::max(pair.a.length, pair.b.length);
          if (longer <= 0 || pair.a.joints.size() != pair.b.joints.size()) continue;
          pair.mismatch = std::abs(pair.a.length - pair.b.length) / longer +
                          std::abs(pair.a.tip.z() - pair.b.tip.z()) / longer;
          for (std::size_t k = 1; k < pair.a.joints.size(); ++k) {
            const double x = skeleton_.joints[pair.a.joints[k]].offset.norm();
            const double y = skeleton_.joints[pair.b.joints[k]].offset.norm();
            pair.mismatch += std::abs(x - y) / longer;
          }
          if (pair.mismatch < 0.3) pairs.push_back(std::move(pair));
        }
      }
    }
    return pairs;
  }

  // The joints at both ends of the two longest neighbouring bones of a chain: hip, knee, ankle or shoulder,
  // elbow, wrist. Joints that lie on top of each other count as one, named by the first.
  std::vector<int> long_bones(const Chain& chain) const {
    std::vector<int> spread;
    for (const int joint : chain.joints) {
      if (spread.empty() || distance(spread.back(), joint) > 0.01) spread.push_back(joint);
    }
    // Of pairs nearly as long the outermost: the way from the chest to the shoulder can be as long as a
    // forearm.
    std::vector<double> shorter;
    for (std::size_t i = 0; i + 2 < spread.size(); ++i) {
      shorter.push_back(std::min(distance(spread[i], spread[i + 1]), distance(spread[i + 1], spread[i + 2])));
    }
    if (shorter.empty()) return {};
    const double longest = *std::max_element(shorter.begin(), shorter.end());
    std::size_t best = shorter.size() - 1;
    while (shorter[best] < 0.75 * longest) --best;
    return {spread.begin() + static_cast<std::ptrdiff_t>(best), spread.end()};
  }

  void legs_by_shape() {
    const std::vector<Pair> pairs = mirrored_pairs();
    double longest = 0;
    for (const Pair& pair : pairs) longest = std::max(longest, pair.length());
    const Pair* legs = nullptr;
    for (const Pair& pair : pairs) {
      if (pair.length() < 0.4 * longest || pair.height() > stand_.positions[pair.from].z()) continue;
      if (legs == nullptr || pair.height() < legs->height()) legs = &pair;
    }
    if (legs == nullptr) return;
    Leg a = leg_of(legs->a), b = leg_of(legs->b);
    if (!a.found() || !b.found()) return;
    // Left is what the names call so, or left of where the feet point, or of +x where they do not say.
    Vec3 forward = foot_direction(a, legs->a) + foot_direction(b, legs->b);
    forward.z() = 0;
    if (forward.norm() < 0.02) forward = Vec3::UnitX();
    left_ = Vec3::UnitZ().cross(forward).normalized();
    const int named = named_sides(legs->a, legs->b);
    if (named != 0 ? named < 0 : (stand_.positions[a.thigh] - stand_.positions[b.thigh]).dot(left_) < 0) {
      std::swap(a, b);
    }
    left_leg_ = a;
    right_leg_ = b;
  }
  // 1: the names of the first chain say left and those of the second right; -1: the other way round; 0: neither.
  int named_sides(const Chain& a, const Chain& b) const {
    const auto count = [&](const Chain& chain) {
      int sum = 0;
      for (const int joint : chain.joints) {
        const Side side = side_in_name(skeleton_.joints[joint].name);
        sum += side == Side::left ? 1 : side == Side::right ? -1 : 0;
      }
      return sum;
    };
    const int first = count(a), second = count(b);
    return first > 0 && second < 0 ? 1 : first < 0 && second > 0 ? -1 : 0;
  }
  Leg leg_of(const Chain& chain) const {
    const std::vector<int> joints = long_bones(chain);
    if (joints.size() < 3) return {};
    Leg leg{joints[0], joints[1], joints[2], -1};
    if (joints.size() > 3 && !is_end_marker(skeleton_.joints[joints[3]].name)) leg.toes = joints[3];
    return leg;
  }
  Vec3 foot_direction(const Leg& leg, const Chain& chain) const {
    return chain.tip - stand_.positions[leg.foot];
  }

  void arms_by_shape() {
    if (!left_leg_.found() || !right_leg_.found()) return;
    const int pelvis = common_ancestor(left_leg_.thigh, right_leg_.thigh);
    if (left_.isZero()) {  // the legs were named
      left_ = stand_.positions[left_leg_.thigh] - stand_.positions[right_leg_.thigh];
      left_.z() = 0;
    }
    const std::vector<Pair> pairs = mirrored_pairs();
    const Pair* arms = nullptr;
    for (const Pair& pair : pairs) {
      const bool leg =
          is_below(left_leg_.thigh, pair.a.joints[0]) || is_below(left_leg_.thigh, pair.b.joints[0]) ||
          is_below(right_leg_.thigh, pair.a.joints[0]) || is_below(right_leg_.thigh, pair.b.joints[0]) ||
          is_below(pair.from, left_leg_.thigh) || is_below(pair.from, right_leg_.thigh);
      const bool above = is_below(pair.from, pelvis) || is_below(pelvis, pair.from);
      if (leg || !above || long_bones(pair.a).size() < 2 || long_bones(pair.b).size() < 2) continue;
      if (arms == nullptr || pair.length() > arms->length()) arms = &pair;
    }
    if (arms == nullptr) return;
    Arm a = arm_of(arms->a), b = arm_of(arms->b);
    const int named = named_sides(arms->a, arms->b);
    if (named != 0 ? named < 0 : (arms->a.tip - arms->b.tip).dot(left_) < 0) std::swap(a, b);
    left_arm_ = a;
    right_arm_ = b;
  }
  Arm arm_of(const Chain& chain) const {
    const std::vector<int> joints = long_bones(chain);
    Arm arm{-1, joints[0], joints[1], joints.size() > 2 ? joints[2] : -1};
    if (chain.joints[0] != arm.upper_arm) arm.clavicle = chain.joints[0];
    return arm;
  }

  // --- the trunk -----------------------------------------------------------------------------------
  void trunk(Roles& roles) const {
    const bool both = left_arm_.found() && right_arm_.found();
    const int chest = both ? common_ancestor(left_arm_.upper_arm, right_arm_.upper_arm) : -1;
    // Some rigs have hips and trunk side by side: what carries both is the pelvis.
    if (chest >= 0 && !is_below(chest, roles[Role::pelvis]) && !is_below(roles[Role::pelvis], chest)) {
      roles[Role::pelvis] = common_ancestor(roles[Role::pelvis], chest);
    }
    const int pelvis = roles[Role::pelvis];
    if (chest >= 0 && chest != pelvis) {
      roles[Role::chest] = chest;
      if (is_below(chest, pelvis)) {
        int first = chest;
        while (skeleton_.joints[first].parent != pelvis) first = skeleton_.joints[first].parent;
        if (first != chest) roles[Role::spine] = first;
      }
    }
    const int from = chest >= 0 ? chest : pelvis;
    const auto is_limb = [&](int joint) {
      for (const int limb : {left_arm_.upper_arm, right_arm_.upper_arm, left_leg_.thigh, right_leg_.thigh}) {
        if (limb >= 0 && is_below(limb, joint)) return true;
      }
      return false;
    };
    // The branch with a head in its names, or else the one that reaches highest.
    int head = -1, neck = -1, highest = -1;
    for (const int under : {from, pelvis}) {
      for (int i = 0; i < skeleton_.size() && (under == from || head < 0); ++i) {
        if (i == under || !is_below(i, under) || is_end_marker(skeleton_.joints[i].name)) continue;
        if (meanings_[i].word == Word::head && head < 0) head = i;
        if (meanings_[i].word == Word::neck && neck < 0) neck = i;
      }
      if (head >= 0 || neck >= 0) break;
    }
    if (head < 0 && neck < 0 && both) {
      double top = 0;
      for (const int child : children_[from]) {
        if (is_limb(child)) continue;
        const double reach = longest_chain(child).tip.z() - stand_.positions[from].z();
        if (reach > top) {
          top = reach;
          highest = child;
        }
      }
      if (highest < 0) return;
      neck = highest;
      head = end_of_neck(neck);
    }
    if (head < 0 && neck >= 0 && end_of_neck(neck) != neck) head = end_of_neck(neck);
    if (head >= 0 && neck < 0) {  // whatever lies between chest and head bends the neck
      neck = head;
      while (skeleton_.joints[neck].parent != from && skeleton_.joints[neck].parent >= 0 && both) {
        neck = skeleton_.joints[neck].parent;
      }
    }
    roles[Role::head] = head;
    if (neck != head && (head < 0 || is_below(head, neck))) roles[Role::neck] = neck;
    // Without arms, whatever carries the head is the spine.
    if (!both && head >= 0 && is_below(head, pelvis) && head != pelvis) {
      int first = neck >= 0 ? neck : head;
      while (skeleton_.joints[first].parent != pelvis) first = skeleton_.joints[first].parent;
      if (first != neck && first != head) roles[Role::spine] = first;
    }
  }

  // Up from the neck to where the face branches off, or to the last joint that is more than a mark.
  int end_of_neck(int neck) const {
    int head = neck;
    while (children_[head].size() == 1) {
      const int next = children_[head][0];
      const bool leaf = children_[next].empty();
      const bool ends =
          std::any_of(skeleton_.ends.begin(), skeleton_.ends.end(),
                      [&](const SkeletonEnd& end) { return end.joint == next && end.offset.norm() > 1e-3; });
      // A leaf with nothing behind it marks where the head ends; where it is the only one, it is the head.
      if (is_end_marker(skeleton_.joints[next].name) || (leaf && !ends && head != neck)) break;
      head = next;
    }
    return head;
  }

  // --- the tree ------------------------------------------------------------------------------------
  bool is_below(int joint, int ancestor) const {  // or the same
    while (joint > ancestor) joint = skeleton_.joints[joint].parent;
    return joint == ancestor;
  }
  int common_ancestor(int a, int b) const {
    a = skeleton_.joints[a].parent;
    while (a >= 0 && !is_below(b, a)) a = skeleton_.joints[a].parent;
    return a;
  }
  double distance(int a, int b) const { return (stand_.positions[a] - stand_.positions[b]).norm(); }

  static void set_leg(Roles& roles, const Leg& leg, Role thigh) {
    const int first = static_cast<int>(thigh);
    roles[static_cast<Role>(first)] = leg.thigh;
    roles[static_cast<Role>(first + 1)] = leg.shank;
    roles[static_cast<Role>(first + 2)] = leg.foot;
    roles[static_cast<Role>(first + 3)] = leg.toes;
  }
  static void set_arm(Roles& roles, const Arm& arm, Role clavicle) {
    const int first = static_cast<int>(clavicle);
    roles[static_cast<Role>(first)] = arm.clavicle;
    roles[static_cast<Role>(first + 1)] = arm.upper_arm;
    roles[static_cast<Role>(first + 2)] = arm.forearm;
    roles[static_cast<Role>(first + 3)] = arm.hand;
  }

  const Skeleton& skeleton_;
  std::vector<std::vector<int>> children_;
  std::vector<Meaning> meanings_;
  JointTransforms stand_;
  Leg left_leg_, right_leg_;
  Arm left_arm_, right_arm_;
  Vec3 left_ = Vec3::Zero();
};

}  // namespace

std::string_view name(Role role) { return kNames[static_cast<int>(role)]; }

std::optional<Role> role_from_name(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Role>(found - kNames.begin());
}

Roles recognise_roles(const Skeleton& skeleton) {
  if (skeleton.roles) return *skeleton.roles;
  if (skeleton.joints.empty()) return {};
  return Recogniser(skeleton).run();
}

}  // namespace stunt
