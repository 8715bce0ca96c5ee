#include "stunt/motion/readers/bvh.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "stunt/core/error.h"
#include "stunt/motion/frame_rate.h"
#include "stunt/motion/readers/euler.h"
#include "stunt/motion/readers/scanner.h"
#include "stunt/motion/readers/text.h"

namespace stunt {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_rotation(char channel) { return channel <= 'Z'; }

std::string rotations_in(const std::string& channels) {
  std::string order;
  std::copy_if(channels.begin(), channels.end(), std::back_inserter(order), is_rotation);
  return order;
}

// Programs set to a language that writes 0,5 for one half put commas inside the numbers. An OFFSET line with
// three words of which one has a comma between digits tells them from files that separate numbers by commas.
bool has_decimal_commas(std::string_view text) {
  for (std::size_t at = text.find("OFFSET"); at != std::string_view::npos; at = text.find("OFFSET", at + 1)) {
    const std::size_t end = std::min(text.find_first_of("\r\n}", at), text.size());
    int words = 0, inside = 0;
    for (std::size_t i = at + 6; i < end; ++i) {
      const bool starts_word = text[i] > ' ' && text[i - 1] <= ' ';
      words += starts_word ? 1 : 0;
      inside += text[i] == ',' && is_digit(text[i - 1]) && i + 1 < end && is_digit(text[i + 1]) ? 1 : 0;
    }
    if (inside > 0) return words == 3;
  }
  return false;
}

char channel_letter(const Scanner& scan, std::string_view word) {
  const std::string_view kind = word.empty() ? word : word.substr(1);
  const char axis = word.empty() ? ' ' : static_cast<char>(std::toupper(static_cast<unsigned char>(word[0])));
  const bool known_axis = axis >= 'X' && axis <= 'Z';
  for (const auto* name : {"rotation", "rot"}) {
    if (known_axis && equals_ignoring_case(kind, name)) return axis;
  }
  for (const auto* name : {"position", "pos", "translation"}) {
    if (known_axis && equals_ignoring_case(kind, name)) return static_cast<char>(std::tolower(axis));
  }
  scan.fail(word.empty() ? "the end of the file" : quote(word),
            "a channel: Xposition, Yposition, Zposition, Xrotation, Yrotation or Zrotation");
}

Vec3 read_offset(Scanner& scan) {
  Vec3 offset;
  for (int i = 0; i < 3; ++i) offset[i] = scan.number("OFFSET has three");
  return offset;
}

std::string read_channels(Scanner& scan, const std::string& joint) {
  const int count = scan.integer("the number of channels", 0, 6);
  std::string channels;
  for (int i = 0; i < count; ++i) {
    const char letter = channel_letter(scan, scan.word());
    if (channels.find(letter) != std::string::npos) {
      scan.fail(fmt::format("a channel twice in joint {}", quote(joint)), "each channel once");
    }
    channels += letter;
  }
  return channels;
}

// Reads from HIERARCHY to the word MOTION (which is consumed).
void read_hierarchy(Scanner& scan, Clip& clip) {
  auto& joints = clip.skeleton.joints;
  auto& channels = clip.source.channels;
  constexpr int kEndSite = -2;
  struct Open {
    int joint;  // or kEndSite
    bool has_offset = false;
  };
  std::vector<Open> open;
  std::set<std::string> names;
  std::map<std::string, int> copies;  // how many more joints have a name

  scan.expect("HIERARCHY");
  while (true) {
    const std::string_view word = scan.word();
    const bool inside_joint = !open.empty() && open.back().joint >= 0;
    if (equals_ignoring_case(word, "ROOT") || equals_ignoring_case(word, "JOINT")) {
      const bool root = equals_ignoring_case(word, "ROOT");
      if (root && !joints.empty()) {
        scan.fail("a second ROOT", "one figure in a file; save each ROOT to a file of its own");
      }
      if (!root && !inside_joint) scan.fail("JOINT outside of a joint", joints.empty() ? "ROOT" : "MOTION");
      if (joints.size() >= kMostJoints) scan.fail("more joints", fmt::format("at most {}", kMostJoints));
      std::string name = readable_name(scan.rest_of_line(), scan.where());
      if (name.empty()) name = fmt::format("joint_{}", joints.size());
      const std::string first_name = name;
      for (int& n = copies[first_name]; !names.insert(name).second;) {
        ++n;
        name = fmt::format("{}_{}", first_name, n + 1);
      }
      if (name != first_name) {
        clip.warnings.push_back(fmt::format("{}: a second joint is named {}; it is called {} here.",
                                            scan.where(), quote(first_name), name));
      }
      scan.expect("{");
      joints.push_back({name, root ? -1 : open.back().joint, Vec3::Zero(), Quat::Identity()});
      channels.emplace_back();
      open.push_back({static_cast<int>(joints.size()) - 1});
    } else if (equals_ignoring_case(word, "End") || equals_ignoring_case(word, "EndSite")) {
      if (!inside_joint) scan.fail("End Site outside of a joint", "ROOT, JOINT or MOTION");
      if (clip.skeleton.ends.size() >= kMostJoints)
        scan.fail("more End Sites", fmt::format("at most {}", kMostJoints));
      scan.rest_of_line();
      scan.expect("{");
      clip.skeleton.ends.push_back({open.back().joint, Vec3::Zero()});
      open.push_back({kEndSite});
    } else if (equals_ignoring_case(word, "OFFSET")) {
      if (open.empty()) scan.fail("OFFSET outside of a joint", "ROOT or MOTION");
      const Vec3 offset = read_offset(scan);
      (inside_joint ? joints[open.back().joint].offset : clip.skeleton.ends.back().offset) = offset;
      open.back().has_offset = true;
    } else if (equals_ignoring_case(word, "CHANNELS")) {
      if (open.empty()) scan.fail("CHANNELS outside of a joint", "ROOT or MOTION");
      const std::string name = inside_joint ? joints[open.back().joint].name : "End Site";
      const std::string read = read_channels(scan, name);
      if (!inside_joint && !read.empty()) scan.fail("channels in an End Site", "only an OFFSET");
      if (inside_joint && !channels[open.back().joint].empty())
        scan.fail("CHANNELS a second time", "once in a joint");
      if (inside_joint) channels[open.back().joint] = read;
    } else if (word == "}") {
      if (open.empty()) scan.fail("'}' without '{'", "MOTION");
      if (!open.back().has_offset) scan.fail("'}'", "OFFSET before the end of the joint");
      open.pop_back();
    } else if (equals_ignoring_case(word, "MOTION")) {
      if (joints.empty()) scan.fail("MOTION", "ROOT first");
      if (!open.empty()) scan.fail("MOTION", fmt::format("{} more '}}'", open.size()));
      return;
    } else {
      scan.fail(word.empty() ? "the end of the file" : quote(word),
                open.empty() ? "ROOT or MOTION" : "JOINT, End Site, OFFSET, CHANNELS or '}'");
    }
  }
}

struct MotionHeader {
  int frames = -1;
  int frames_line = 0;
  double fps = 0.0;
};

MotionHeader read_motion_header(Scanner& scan, Clip& clip) {
  MotionHeader header;
  while (header.frames < 0 || header.fps == 0.0) {
    if (scan.skip_label("FrameTime")) {
      const std::string_view word = scan.word();
      const double frame_time = scan.to_number(word, "Frame Time, s");
      if (!(frame_time > 0.0)) scan.fail(fmt::format("Frame Time {}", quote(word)), "a time above 0 s");
      header.fps = frame_rate_from_printed_time(frame_time, word, clip.notes);
    } else if (scan.skip_label("Frames")) {
      header.frames = scan.integer("the number of frames", 0, kMostFrames);
      header.frames_line = scan.line();
    } else {
      const std::string_view found = scan.word();
      scan.fail(found.empty() ? "the end of the file" : quote(found),
                header.frames < 0 ? "'Frames: <number>'" : "'Frame Time: <seconds>'");
    }
  }
  return header;
}

// Cuts the numbers after the header into rows of one frame each. A frame is one line; when the first line
// holds another count of numbers, the line ends mean nothing and only the count of all numbers must come out
// right.
class Rows {
 public:
  Rows(Scanner scan, int width) : scan_(std::move(scan)), width_(width), row_(width) {
    Scanner ahead = scan_;
    int on_first_line = 0;
    if (!ahead.peek().empty()) {
      while (ahead.more_on_line()) {
        ahead.word();
        ++on_first_line;
      }
    }
    one_per_line_ = on_first_line == width;
    first_line_ = ahead.where();
    on_first_line_ = on_first_line;
  }

  // False at the end of the file.
  bool next() {
    if (scan_.peek().empty()) return false;
    const int count = scan_.numbers(row_.data(), width_, !one_per_line_, "a frame's channel");
    if (count < width_) fail_short(count);
    if (one_per_line_ && scan_.more_on_line()) {
      throw InputError(scan_.where(), "more numbers on the line",
                       fmt::format("{}, one for each channel", width_));
    }
    return true;
  }
  const std::vector<double>& row() const { return row_; }
  const Scanner& scanner() const { return scan_; }

 private:
  [[noreturn]] void fail_short(int found) {
    if (!one_per_line_) {
      throw InputError(first_line_, fmt::format("{} numbers on the line", on_first_line_),
                       fmt::format("{}, one for each channel", width_));
    }
    const bool last = scan_.peek().empty();
    throw InputError(scan_.where(), fmt::format("a frame of {} numbers", found),
                     fmt::format("{}, one for each channel{}", width_,
                                 last ? "; the file was cut off in the middle of a frame" : ""));
  }
  Scanner scan_;
  int width_;
  bool one_per_line_ = true;
  std::string first_line_;
  int on_first_line_ = 0;
  std::vector<double> row_;
};

// Joints other than the root that have position channels: their values over the clip, to find the one rigid
// offset.
struct MovingOffset {
  int joint;
  std::array<std::vector<double>, 3> values;  // empty where there is no channel for that axis
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// The places of a joint with position channels. Most programs repeat the OFFSET in the channels; some write the
// difference from it.
SlidingJoint places_of(Clip& clip, const MovingOffset& moving) {
  const Vec3 offset = clip.skeleton.joints[moving.joint].offset;
  Vec3 middle = offset;
  for (int axis = 0; axis < 3; ++axis) {
    if (!moving.values[axis].empty()) middle[axis] = median(moving.values[axis]);
  }
  const bool difference = middle.norm() < (middle - offset).norm();
  for (int axis = 0; axis < 3; ++axis) {
    if (difference && !moving.values[axis].empty()) middle[axis] += offset[axis];
  }
  clip.skeleton.joints[moving.joint].offset = middle;
  SlidingJoint sliding{moving.joint, offset, std::vector<Vec3>(clip.frames.size(), offset)};
  for (int axis = 0; axis < 3; ++axis) {
    for (std::size_t f = 0; f < moving.values[axis].size(); ++f) {
      sliding.offsets[f][axis] = moving.values[axis][f] + (difference ? offset[axis] : 0.0);
    }
  }
  return sliding;
}

}  // namespace

Clip read_bvh(std::string_view text, const std::string& place) {
  Clip clip;
  clip.source.format = "bvh";
  std::string with_points;
  if (has_decimal_commas(text)) {
    with_points = text;
    std::replace(with_points.begin(), with_points.end(), ',', '.');
    text = with_points;
    clip.notes.push_back("The numbers are written with decimal commas.");
  }
  Scanner scan(text, place);
  read_hierarchy(scan, clip);
  const int joint_count = clip.skeleton.size();
  const auto& channels = clip.source.channels;
  int width = 0;
  for (const auto& letters : channels) width += static_cast<int>(letters.size());
  if (width == 0) throw InputError(place, "no CHANNELS in any joint", "a skeleton that moves");

  const MotionHeader header = read_motion_header(scan, clip);
  clip.fps = header.fps;
  // A number needs two bytes at least, so the file's size bounds what is worth reserving.
  clip.frames.reserve(std::min<std::size_t>(header.frames, scan.remaining().size() / (2u * width) + 1));

  std::vector<MovingOffset> moving;
  std::vector<std::string> rotation_orders;
  for (int j = 0; j < joint_count; ++j) {
    rotation_orders.push_back(rotations_in(channels[j]));
    if (j > 0 && rotation_orders[j].size() < channels[j].size()) moving.push_back({j, {}});
  }
  const Vec3 root_offset = clip.skeleton.joints[0].offset;

  Rows rows(scan, width);
  while (rows.next()) {
    if (clip.frames.size() >= kMostFrames || (clip.frames.size() + 1) * joint_count > kMostRotations) {
      throw InputError(rows.scanner().where(), "more frames", fmt::format("at most {}", clip.frames.size()));
    }
    Pose& pose = clip.frames.emplace_back();
    pose.rotations.resize(joint_count);
    pose.root_position = root_offset;
    const double* value = rows.row().data();
    auto next_moving = moving.begin();
    for (int j = 0; j < joint_count; ++j) {
      std::array<double, 3> angles{};
      int angle_count = 0;
      for (const char channel : channels[j]) {
        if (is_rotation(channel)) {
          angles[angle_count++] = radians(*value++);
        } else if (j == 0) {
          pose.root_position[channel - 'x'] = *value++;
        } else {
          next_moving->values[channel - 'x'].push_back(*value++);
        }
      }
      if (next_moving != moving.end() && next_moving->joint == j) ++next_moving;
      pose.rotations[j] = from_euler(rotation_orders[j], angles.data());
    }
  }
  if (clip.frame_count() < header.frames) {
    throw InputError(
        place, fmt::format("{} frames", clip.frame_count()),
        fmt::format("{}, as line {} says; the file is incomplete", header.frames, header.frames_line));
  }
  if (clip.frame_count() > header.frames) {
    clip.warnings.push_back(fmt::format("{}:{}: the file announces {} frames and has {}; all are used.",
                                        place, header.frames_line, header.frames, clip.frame_count()));
  }
  if (clip.frames.empty()) throw InputError(place, "no frames", "at least 2");

  for (MovingOffset& offset : moving) {
    clip.sliding.push_back(places_of(clip, offset));
    offset = {};
  }
  if (rotation_orders[0].size() < channels[0].size() && !root_offset.isZero()) {
    clip.notes.push_back("The root's position channels are its place in the world; its OFFSET is not added.");
  }
  clip.skeleton.joints[0].offset.setZero();
  return clip;
}

namespace {

// Anything that would end a name early.
std::string bvh_name(std::string name) {
  for (char& c : name) {
    if (c == '{' || c == '}' || c == ',' || static_cast<unsigned char>(c) < ' ') c = '_';
  }
  return name.empty() ? "joint" : name;
}

template <class... T>
void append(fmt::memory_buffer& out, fmt::format_string<T...> format, T&&... values) {
  fmt::format_to(std::back_inserter(out), format, std::forward<T>(values)...);
}

// Channels for each joint: the source's, or the usual ones; with what a moving root needs.
std::vector<std::string> channels_to_write(const Clip& clip) {
  std::vector<std::string> channels = clip.source.channels;
  if (channels.size() != clip.skeleton.joints.size()) {
    channels.assign(clip.skeleton.joints.size(), "ZYX");
    channels[0] = "xyzZYX";
  }
  const bool root_moves = std::any_of(clip.frames.begin(), clip.frames.end(), [&](const Pose& pose) {
    return (pose.root_position - clip.frames[0].root_position).norm() > 1e-9;
  });
  if (root_moves) {
    std::string missing;
    for (const char c : {'x', 'y', 'z'}) {
      if (channels[0].find(c) == std::string::npos) missing += c;
    }
    channels[0] = missing + channels[0];
  }
  return channels;
}

}  // namespace

std::string write_bvh(const Clip& clip) {
  const auto& joints = clip.skeleton.joints;
  const int joint_count = clip.skeleton.size();
  const Quat to_file = clip.source.to_stunt.conjugate();
  const double units = 1.0 / clip.source.unit_m;
  const std::vector<std::string> channels = channels_to_write(clip);

  // In BVH the pose of zero angles has all joint axes parallel, so a rest pose with rotations is taken out:
  // with rest rotations W0 (in the world), the local rotation q of a joint becomes W0_parent * q * W0^-1.
  std::vector<Quat> rest(joint_count);
  std::vector<std::vector<int>> children(joint_count);
  std::vector<std::vector<int>> ends(joint_count);
  for (int j = 0; j < joint_count; ++j) {
    const int parent = joints[j].parent;
    rest[j] = parent < 0 ? joints[j].rest : rest[parent] * joints[j].rest;
    if (parent >= 0) children[parent].push_back(j);
  }
  for (std::size_t e = 0; e < clip.skeleton.ends.size(); ++e) {
    ends[clip.skeleton.ends[e].joint].push_back(static_cast<int>(e));
  }
  const auto vector_text = [](const Vec3& v) {
    return fmt::format("{:.6f} {:.6f} {:.6f}", v.x(), v.y(), v.z());
  };

  fmt::memory_buffer out;
  append(out, "HIERARCHY\n");

  // Depth first, without recursion: each joint is entered once, and left with a closing brace.
  std::vector<int> order;
  std::vector<std::pair<int, bool>> to_do = {{0, false}};
  int depth = 0;
  while (!to_do.empty()) {
    const auto [j, leaving] = to_do.back();
    to_do.pop_back();
    if (leaving) {
      --depth;
      append(out, "{}}}\n", std::string(depth, '\t'));
      continue;
    }
    order.push_back(j);
    const std::string tabs(depth, '\t');
    const bool root = joints[j].parent < 0;
    Vec3 offset = root ? Vec3::Zero() : Vec3(to_file * (rest[joints[j].parent] * joints[j].offset) * units);
    if (root && !clip.frames.empty()) {
      // A root without a position channel stands where its OFFSET says.
      const Vec3 start = to_file * clip.frames[0].root_position * units;
      for (int axis = 0; axis < 3; ++axis) {
        if (channels[0].find(static_cast<char>('x' + axis)) == std::string::npos) offset[axis] = start[axis];
      }
    }
    append(out, "{0}{1} {2}\n{0}{{\n{0}\tOFFSET {3}\n", tabs, root ? "ROOT" : "JOINT",
           bvh_name(joints[j].name), vector_text(offset));
    append(out, "{}\tCHANNELS {}", tabs, channels[j].size());
    for (const char c : channels[j]) {
      append(out, " {}{}", static_cast<char>(std::toupper(c)), is_rotation(c) ? "rotation" : "position");
    }
    append(out, "\n");
    for (const int e : ends[j]) {
      append(out, "{0}\tEnd Site\n{0}\t{{\n{0}\t\tOFFSET {1}\n{0}\t}}\n", tabs,
             vector_text(to_file * (rest[j] * clip.skeleton.ends[e].offset) * units));
    }
    to_do.push_back({j, true});
    for (auto child = children[j].rbegin(); child != children[j].rend(); ++child)
      to_do.push_back({*child, false});
    ++depth;
  }
  append(out, "MOTION\nFrames: {}\nFrame Time: {:.10f}\n", clip.frames.size(), 1.0 / clip.fps);

  std::vector<std::string> rotation_orders(joint_count);
  for (int j = 0; j < joint_count; ++j) rotation_orders[j] = rotations_in(channels[j]);
  std::vector<std::array<double, 3>> previous(joint_count);
  for (const Pose& pose : clip.frames) {
    for (const int j : order) {
      const int parent = joints[j].parent;
      const Quat local =
          (parent < 0 ? pose.rotations[j] : rest[parent] * pose.rotations[j]) * rest[j].conjugate();
      previous[j] = to_euler(to_file * local * to_file.conjugate(), rotation_orders[j], previous[j]);
      const Vec3 position =
          to_file * (parent < 0 ? pose.root_position : rest[parent] * joints[j].offset) * units;
      int angle_count = 0;
      for (const char c : channels[j]) {
        const double value = is_rotation(c) ? degrees(previous[j][angle_count++]) : position[c - 'x'];
        append(out, "{:.6f} ", value);
      }
    }
    out.resize(out.size() - 1);  // the last blank
    out.push_back('\n');
  }
  return fmt::to_string(out);
}

}  // namespace stunt
