#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "stunt/actor/fit/parts.h"
#include "stunt/core/error.h"
#include "stunt/motion/length_unit.h"

namespace stunt {
namespace {

constexpr double kShortest = 0.02;      // m: a bone below this is a dummy
constexpr double kSamePlace = 1e-3;     // m
constexpr double kNoticeable = 0.5e-3;  // m: a joint that moves the next one by less is merged
constexpr int kMostSpineJoints = 4;     // between pelvis and neck, the chest included
constexpr int kMostSamples = 1500;

struct Kind {
  Part part;
  Side side;
};

Kind kind_of(Role role) {
  switch (role) {
    case Role::pelvis:
      return {Part::pelvis, Side::middle};
    case Role::spine:
      return {Part::abdomen, Side::middle};
    case Role::chest:
      return {Part::chest, Side::middle};
    case Role::neck:
      return {Part::neck, Side::middle};
    case Role::head:
      return {Part::head, Side::middle};
    case Role::left_clavicle:
      return {Part::clavicle, Side::left};
    case Role::left_upper_arm:
      return {Part::upper_arm, Side::left};
    case Role::left_forearm:
      return {Part::forearm, Side::left};
    case Role::left_hand:
      return {Part::hand, Side::left};
    case Role::right_clavicle:
      return {Part::clavicle, Side::right};
    case Role::right_upper_arm:
      return {Part::upper_arm, Side::right};
    case Role::right_forearm:
      return {Part::forearm, Side::right};
    case Role::right_hand:
      return {Part::hand, Side::right};
    case Role::left_thigh:
      return {Part::thigh, Side::left};
    case Role::left_shank:
      return {Part::shank, Side::left};
    case Role::left_foot:
      return {Part::foot, Side::left};
    case Role::left_toes:
      return {Part::toes, Side::left};
    case Role::right_thigh:
      return {Part::thigh, Side::right};
    case Role::right_shank:
      return {Part::shank, Side::right};
    case Role::right_foot:
      return {Part::foot, Side::right};
    case Role::right_toes:
      return {Part::toes, Side::right};
  }
  return {Part::pelvis, Side::middle};
}

// What a joint in between is part of, when it leads to this part: a joint on the way to the knee is in the
// thigh.
Part part_leading_to(Part part) {
  switch (part) {
    case Part::abdomen:
    case Part::chest:
      return Part::abdomen;
    case Part::neck:
    case Part::head:
      return Part::neck;
    case Part::clavicle:
    case Part::upper_arm:
      return Part::clavicle;
    case Part::forearm:
      return Part::upper_arm;
    case Part::hand:
      return Part::forearm;
    case Part::shank:
      return Part::thigh;
    case Part::foot:
      return Part::shank;
    case Part::toes:
      return Part::foot;
    case Part::pelvis:
    case Part::thigh:
      return Part::pelvis;
  }
  return Part::pelvis;
}

class Chooser {
 public:
  Chooser(const Clip& clip, const Roles& roles, const SampledPoses& samples, std::vector<std::string>& notes)
      : clip_(clip), skeleton_(clip.skeleton), roles_(roles), samples_(samples), notes_(notes) {
    forward_kinematics(skeleton_, standing_pose(skeleton_), rest_);
    kept_.resize(skeleton_.size());
    chain_.assign(skeleton_.size(), 0.0);
    for (const SkeletonEnd& end : skeleton_.ends)
      chain_[end.joint] = std::max(chain_[end.joint], end.offset.norm());
    for (int i = skeleton_.size() - 1; i > 0; --i) {
      const int parent = skeleton_.joints[i].parent;
      chain_[parent] = std::max(chain_[parent], chain_[i] + skeleton_.joints[i].offset.norm());
    }
  }

  std::vector<FitSegment> run() {
    require_legs();
    keep_roles();
    keep_what_moves_others();
    std::vector<FitSegment> segments = make_segments();
    place(segments);
    find_tips(segments);
    report_left_out(segments);
    return segments;
  }

 private:
  struct Kept {
    bool yes = false;
    Kind kind{};
    std::optional<Role> role;
  };

  void require_legs() const {
    for (const Role role : {Role::left_thigh, Role::left_shank, Role::left_foot, Role::right_thigh,
                            Role::right_shank, Role::right_foot}) {
      if (roles_[role] >= 0) continue;
      std::string names;
      for (int i = 0; i < skeleton_.size() && i < 12; ++i)
        names += (i ? ", " : "") + skeleton_.joints[i].name;
      throw InputError(clip_.name,
                       fmt::format("no joint for the {} among {}{}", name(role), names,
                                   skeleton_.size() > 12 ? ", ..." : ""),
                       "a skeleton with two legs: hip, knee and ankle, named or as mirrored chains");
    }
    for (const auto& [upper, lower] : {std::pair{Role::left_thigh, Role::left_shank},
                                       {Role::left_shank, Role::left_foot},
                                       {Role::right_thigh, Role::right_shank},
                                       {Role::right_shank, Role::right_foot}}) {
      const double length = distance(roles_[upper], roles_[lower]);
      if (length < 0.05 || length > 5) {
        const LengthUnit likely = find_length_unit(standing_height(skeleton_, roles_));
        const bool told = likely.metres != 1 && !likely.name.empty();
        throw InputError(clip_.name, fmt::format("a {} {:.3g} m long", name(upper), length),
                         fmt::format("0.05 to 5 m; {}--unit says how long a unit of the file is",
                                     told ? "what was read as a metre is likely " + likely.name + ": " : ""));
      }
    }
  }

  void keep_roles() {
    for (int i = 0; i < kRoleCount; ++i) {
      const Role role = static_cast<Role>(i);
      const int joint = roles_[role];
      if (joint < 0) continue;
      const Part part = kind_of(role).part;
      if (part == Part::clavicle) continue;  // kept only where it moves the shoulder, below
      if (role == Role::neck && roles_[Role::head] >= 0 && distance(joint, roles_[Role::head]) < kShortest)
        continue;
      if ((part == Part::hand || part == Part::toes) &&
          distance(joint, nearest_kept_above(joint)) < kShortest)
        continue;
      kept_[joint] = {true, kind_of(role), role};
    }
  }

  // Joints in between are merged with the next below, which then carries their rotation, unless that would
  // move it.
  void keep_what_moves_others() {
    std::vector<std::pair<double, int>> spine;  // how far it moves the chest, joint
    for (int joint = 0; joint < skeleton_.size(); ++joint) {
      if (!kept_[joint].yes || !kept_[joint].role) continue;
      const Kind kind = kept_[joint].kind;
      for (int m = parent(joint); m >= 0 && !kept_[m].yes; m = parent(m)) {
        if (nearest_kept_above(m) < 0) break;  // above the root: the floating root takes it
        const double spread = spread_of(m, joint);
        if (spread < kNoticeable) continue;
        const Part part = part_leading_to(kind.part);
        if (part == Part::abdomen) {
          spine.emplace_back(spread, m);
          continue;
        }
        std::optional<Role> role;
        if (part == Part::clavicle) {
          const Role clavicle = kind.side == Side::left ? Role::left_clavicle : Role::right_clavicle;
          if (roles_[clavicle] == m) role = clavicle;
        }
        kept_[m] = {true, {part, kind.side}, role};
      }
    }
    int room = kMostSpineJoints;
    for (const Role role : {Role::spine, Role::chest}) room -= roles_[role] >= 0;
    std::sort(spine.rbegin(), spine.rend());
    for (const auto& [spread, joint] : spine) {
      if (room-- > 0) {
        kept_[joint] = {true, {Part::abdomen, Side::middle}, std::nullopt};
      } else {
        notes_.push_back(
            fmt::format("Spine joint {} is merged with the one above it, which moves it by up to {:.0f} mm.",
                        skeleton_.joints[joint].name, 1000 * spread));
      }
    }
  }

  // How far a joint's own rotation moves a joint below it, over the clip (m).
  double spread_of(int joint, int below) const {
    const Vec3 arm = rest_.rotations[joint].conjugate() * (rest_.positions[below] - rest_.positions[joint]);
    if (arm.norm() < 1e-6) return 0;
    Vec3 low = Vec3::Constant(1e9), high = Vec3::Constant(-1e9);
    for (const JointTransforms& pose : samples_.poses) {
      const Vec3 at = pose.rotations[parent(joint)].conjugate() * pose.rotations[joint] * arm;
      low = low.cwiseMin(at);
      high = high.cwiseMax(at);
    }
    return 0.5 * (high - low).norm();
  }

  std::vector<FitSegment> make_segments() {
    std::vector<FitSegment> segments;
    std::vector<int> segment_of(skeleton_.size(), -1);
    std::set<std::string> names;
    for (int joint = 0; joint < skeleton_.size(); ++joint) {
      if (!kept_[joint].yes) continue;
      FitSegment segment;
      segment.part = kept_[joint].kind.part;
      segment.side = kept_[joint].kind.side;
      segment.role = kept_[joint].role;
      segment.name =
          segment.role ? std::string(name(*segment.role)) : clean_name(skeleton_.joints[joint].name);
      while (!names.insert(segment.name).second) segment.name += "_";
      segment.joint = joint;
      const int above = nearest_kept_above(joint);
      segment.parent = above < 0 ? -1 : segment_of[above];
      segment_of[joint] = static_cast<int>(segments.size());
      if (segment.parent < 0 && !segments.empty()) {
        throw InputError(clip_.name,
                         fmt::format("'{}' apart from '{}'", skeleton_.joints[joint].name,
                                     skeleton_.joints[segments[0].joint].name),
                         "a skeleton whose parts hang together");
      }
      segments.push_back(segment);
    }
    for (std::size_t i = 0; i < segments.size(); ++i)
      segments[i].joint = carried_joint(segments, static_cast<int>(i));
    return segments;
  }

  // Of joints that lie in the same place and lead to the same limb, the last has the whole rotation.
  int carried_joint(const std::vector<FitSegment>& segments, int index) const {
    int joint = segments[index].joint;
    const std::vector<int> children = children_of(segments, index);
    if (children.size() > 1) return joint;
    for (;;) {
      int next = -1;
      for (int c = joint + 1; c < skeleton_.size(); ++c) {
        if (parent(c) != joint || kept_[c].yes || skeleton_.joints[c].offset.norm() > kSamePlace) continue;
        if (children.empty() ? is_thumb(c) : !is_below(segments[children[0]].joint, c)) continue;
        if (next < 0 || chain_[c] > chain_[next]) next = c;
      }
      if (next < 0) return joint;
      joint = next;
    }
  }

  void place(std::vector<FitSegment>& segments) {
    const double count = static_cast<double>(samples_.poses.size());
    for (FitSegment& segment : segments) {
      const int joint = segment.joint;
      if (segment.parent < 0) {
        segment.rest_position = rest_.positions[joint];
        segment.rest_rotation = segment.rest = rest_.rotations[joint];
        for (const JointTransforms& pose : samples_.poses) segment.turns.push_back(pose.rotations[joint]);
        continue;
      }
      const FitSegment& parent_segment = segments[segment.parent];
      const int above = parent_segment.joint;
      segment.rest = rest_.rotations[above].conjugate() * rest_.rotations[joint];
      segment.rest_rotation = parent_segment.rest_rotation * segment.rest;
      for (const JointTransforms& pose : samples_.poses) {
        const Quat back = pose.rotations[above].conjugate();
        segment.offset += back * (pose.positions[joint] - pose.positions[above]) / count;
        segment.turns.push_back((segment.rest.conjugate() * back * pose.rotations[joint]).normalized());
      }
      segment.rest_position = parent_segment.rest_position + parent_segment.rest_rotation * segment.offset;
    }
  }

  void find_tips(std::vector<FitSegment>& segments) const {
    for (std::size_t i = 0; i < segments.size(); ++i) {
      FitSegment& segment = segments[i];
      for (const int child : children_of(segments, static_cast<int>(i))) {
        if (segments[child].offset.norm() > segment.tip.norm()) segment.tip = segments[child].offset;
      }
      if (segment.tip.norm() < kSamePlace) segment.tip = end_of(segment.joint);
    }
  }

  // Where the longest chain below a joint ends, in its axes.
  Vec3 end_of(int joint) const {
    Vec3 best = Vec3::Zero();
    const auto consider = [&](int at, const Vec3& offset) {
      if (!is_below(at, joint) || is_thumb(at)) return;
      const Vec3 point = rest_.positions[at] + rest_.rotations[at] * offset - rest_.positions[joint];
      if (point.norm() > best.norm()) best = point;
    };
    for (int i = joint; i < skeleton_.size(); ++i) consider(i, Vec3::Zero());
    for (const SkeletonEnd& end : skeleton_.ends) consider(end.joint, end.offset);
    return rest_.rotations[joint].conjugate() * best;
  }

  void report_left_out(const std::vector<FitSegment>& segments) {
    std::string extra;
    const int root = segments[0].joint;
    for (int joint = 0; joint < skeleton_.size(); ++joint) {
      if (kept_[joint].yes || joint <= root) continue;
      bool on_the_way = false;  // between two bodies, or a part of hand, foot or head
      for (const FitSegment& segment : segments) {
        on_the_way |= is_below(segment.joint, joint);
        const bool leaf = segment.part == Part::hand || segment.part == Part::foot ||
                          segment.part == Part::toes || segment.part == Part::head ||
                          segment.part == Part::forearm;
        on_the_way |= leaf && is_below(joint, segment.joint);
      }
      if (!on_the_way) extra += (extra.empty() ? "" : ", ") + skeleton_.joints[joint].name;
    }
    if (!extra.empty())
      notes_.push_back("These joints are not part of a human body and are carried along: " + extra + ".");
  }

  // --- the tree
  // --------------------------------------------------------------------------------------------------
  int parent(int joint) const { return skeleton_.joints[joint].parent; }
  bool is_below(int joint, int ancestor) const {  // or the same
    while (joint > ancestor) joint = parent(joint);
    return joint == ancestor;
  }
  int nearest_kept_above(int joint) const {
    do joint = parent(joint);
    while (joint >= 0 && !kept_[joint].yes);
    return joint;
  }
  double distance(int a, int b) const {
    return b < 0 ? 1e9 : (rest_.positions[a] - rest_.positions[b]).norm();
  }
  bool is_thumb(int joint) const {
    std::string lower = skeleton_.joints[joint].name;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    return lower.find("thumb") != std::string::npos;
  }
  static std::string clean_name(const std::string& text) {
    std::string out;
    for (const char c : text) {
      const auto u = static_cast<unsigned char>(c);
      if (std::isalnum(u))
        out += static_cast<char>(std::tolower(u));
      else if (!out.empty() && out.back() != '_')
        out += '_';
    }
    // A name that is a role's is taken by the joint that has the role.
    return out.empty() || role_from_name(out) ? out + "_joint" : out;
  }

  const Clip& clip_;
  const Skeleton& skeleton_;
  const Roles& roles_;
  const SampledPoses& samples_;
  std::vector<std::string>& notes_;
  JointTransforms rest_;  // of the pose in which the body stands: the character's own rest pose
  std::vector<Kept> kept_;
  std::vector<double> chain_;  // m, to the end of the longest chain below each joint
};

}  // namespace

SampledPoses sample_poses(const Clip& clip) {
  SampledPoses samples;
  samples.frame_time = 1.0 / clip.fps;
  if (clip.frames.empty()) {
    samples.poses.resize(1);
    samples.next.resize(1);
    forward_kinematics(clip.skeleton, standing_pose(clip.skeleton), samples.poses[0]);
    samples.next[0] = samples.poses[0];
    return samples;
  }
  const int stride = 1 + (clip.frame_count() - 1) / kMostSamples;
  for (int f = 0; f < clip.frame_count(); f += stride) {
    const int second = std::min(f + 1, clip.frame_count() - 1);
    const int first = std::max(0, second - 1);
    samples.poses.emplace_back();
    samples.next.emplace_back();
    forward_kinematics(clip.skeleton, clip.frames[first], samples.poses.back());
    forward_kinematics(clip.skeleton, clip.frames[second], samples.next.back());
  }
  return samples;
}

std::vector<FitSegment> choose_segments(const Clip& clip, const Roles& roles, const SampledPoses& samples,
                                        std::vector<std::string>& notes) {
  return Chooser(clip, roles, samples, notes).run();
}

int find_segment(const std::vector<FitSegment>& segments, Role role) {
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (segments[i].role == role) return static_cast<int>(i);
  }
  return -1;
}

int find_segment(const std::vector<FitSegment>& segments, Part part, Side side) {
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (segments[i].part == part && segments[i].side == side && segments[i].role) return static_cast<int>(i);
  }
  return -1;
}

int longest_child(const std::vector<FitSegment>& segments, int segment) {
  int longest = -1;
  for (const int child : children_of(segments, segment)) {
    if (longest < 0 || segments[child].offset.norm() > segments[longest].offset.norm()) longest = child;
  }
  return longest;
}

std::vector<int> children_of(const std::vector<FitSegment>& segments, int segment) {
  std::vector<int> children;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (segments[i].parent == segment) children.push_back(static_cast<int>(i));
  }
  return children;
}

double estimate_height(const std::vector<FitSegment>& segments) {
  double legs = 0;
  for (const Side side : {Side::left, Side::right}) {
    const auto at = [&](Part part) { return segments[find_segment(segments, part, side)].rest_position; };
    legs += (at(Part::thigh) - at(Part::shank)).norm() + (at(Part::shank) - at(Part::foot)).norm();
  }
  return 0.5 * legs / (0.245 + 0.246);
}

}  // namespace stunt
