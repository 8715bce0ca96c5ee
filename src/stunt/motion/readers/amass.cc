#include "stunt/motion/readers/amass.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "stunt/core/error.h"
#include "stunt/core/npz.h"
#include "stunt/motion/axes.h"
#include "stunt/motion/readers/scanner.h"

namespace stunt {
namespace {

constexpr int kBodyJoints = 22;

// The body joints of the SMPL family in their order. Offsets (m; y up, z forward, x to the left) are those of
// an average adult, rounded and made symmetric: enough for the motion, whose own shape is not read.
struct BodyJoint {
  const char* name;
  int parent;
  double x, y, z;
};
constexpr std::array<BodyJoint, kBodyJoints> kBody = {{
    {"pelvis", -1, 0, 0, 0},
    {"left_hip", 0, 0.060, -0.087, -0.015},
    {"right_hip", 0, -0.060, -0.087, -0.015},
    {"spine1", 0, 0, 0.124, -0.038},
    {"left_knee", 1, 0.043, -0.385, 0.002},
    {"right_knee", 2, -0.043, -0.385, 0.002},
    {"spine2", 3, 0, 0.138, 0.027},
    {"left_ankle", 4, -0.017, -0.423, -0.036},
    {"right_ankle", 5, 0.017, -0.423, -0.036},
    {"spine3", 6, 0, 0.056, 0.003},
    {"left_foot", 7, 0.038, -0.061, 0.126},
    {"right_foot", 8, -0.038, -0.061, 0.126},
    {"neck", 9, 0, 0.212, -0.034},
    {"left_collar", 9, 0.077, 0.113, -0.021},
    {"right_collar", 9, -0.077, 0.113, -0.021},
    {"head", 12, 0, 0.089, 0.050},
    {"left_shoulder", 13, 0.118, 0.046, -0.014},
    {"right_shoulder", 14, -0.118, 0.046, -0.014},
    {"left_elbow", 16, 0.258, -0.015, -0.027},
    {"right_elbow", 17, -0.258, -0.015, -0.027},
    {"left_wrist", 18, 0.267, 0.010, -0.007},
    {"right_wrist", 19, -0.267, 0.010, -0.007},
}};
const Vec3 kPelvisInModel(0.0, -0.22, 0.03);  // the pelvis is not the model's origin, which `trans` moves

Skeleton body() {
  Skeleton skeleton;
  for (const auto& joint : kBody) {
    skeleton.joints.push_back({joint.name, joint.parent, Vec3(joint.x, joint.y, joint.z), Quat::Identity()});
  }
  const auto end = [&](const char* joint, const Vec3& offset) {
    skeleton.ends.push_back({skeleton.find(joint), offset});
  };
  end("left_foot", {0, -0.01, 0.07});  // tip of the toes
  end("right_foot", {0, -0.01, 0.07});
  end("head", {0, 0.19, 0.01});
  end("left_wrist", {0.17, -0.01, -0.01});  // tip of the fingers
  end("right_wrist", {-0.17, -0.01, -0.01});
  return skeleton;
}

struct Table {
  std::vector<double> values;
  std::size_t rows = 0, columns = 0;
};

Table read_table(const NpzFile& file, const std::string& name) {
  const NpyArray array = file.read(name);
  if (array.shape.size() < 2) {
    throw InputError(fmt::format("{}: {}", file.place(), name),
                     fmt::format("an array of {} dimensions", array.shape.size()), "frames x numbers");
  }
  Table table{file.numbers(name), array.shape[0], 1};
  for (std::size_t i = 1; i < array.shape.size(); ++i) table.columns *= array.shape[i];
  for (std::size_t i = 0; i < table.values.size(); ++i) {
    if (!(std::abs(table.values[i]) <= kLargestNumber)) {
      throw InputError(
          fmt::format("{}: {}[{}]", file.place(), name, i / std::max<std::size_t>(1, table.columns)),
          fmt::format("{}", table.values[i]), "a finite number");
    }
  }
  return table;
}

// The first of these names that the file has; empty where it has none.
std::string first_there(const NpzFile& file, std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    if (file.has(name)) return name;
  }
  return "";
}

Table side_by_side(const Table& root, const Table& rest, const std::string& place) {
  if (root.columns != 3 || root.rows != rest.rows) {
    throw InputError(place, fmt::format("{} x {}", root.rows, root.columns),
                     fmt::format("{} x 3", rest.rows));
  }
  Table both{{}, rest.rows, 3 + rest.columns};
  for (std::size_t f = 0; f < both.rows; ++f) {
    both.values.insert(both.values.end(), &root.values[3 * f], &root.values[3 * f] + 3);
    both.values.insert(both.values.end(), &rest.values[rest.columns * f],
                       &rest.values[rest.columns * f] + rest.columns);
  }
  return both;
}

}  // namespace

Clip read_amass(std::string npz, const std::string& place) {
  const NpzFile file(std::move(npz), place);
  Clip clip;
  clip.source.format = "amass";
  clip.skeleton = body();

  const std::string poses_name = first_there(file, {"poses", "pose", "smpl_thetas", "thetas"});
  const std::string root_name = first_there(file, {"root_orient", "global_orient"});
  const std::string body_name = first_there(file, {"pose_body", "body_pose"});
  const std::string trans_name =
      first_there(file, {"trans", "transl", "translation", "smpl_trans", "cam_trans"});
  if (poses_name != "poses" && root_name != "root_orient") clip.source.format = "smpl";
  Table poses;
  if (!poses_name.empty()) {
    poses = read_table(file, poses_name);
  } else if (!root_name.empty() && !body_name.empty()) {
    poses = side_by_side(read_table(file, root_name), read_table(file, body_name), place + ": " + root_name);
  } else if (!first_there(file, {"results", "sequence_results", "video_results"}).empty()) {
    throw InputError(place, "results kept as a Python object",
                     "plain arrays: poses (frames x 72) and trans (frames x 3)");
  } else {
    file.read("poses");  // throws, listing what is there
  }
  if (poses.columns < 3 * kBodyJoints || poses.columns % 3 != 0) {
    throw InputError(place + ": poses", fmt::format("{} numbers in a frame", poses.columns),
                     "three for each of at least 22 joints");
  }
  Table trans;
  if (trans_name.empty() && clip.source.format == "smpl") {
    trans = {std::vector<double>(3 * poses.rows, 0.0), poses.rows, 3};
    clip.warnings.emplace_back("The file does not say where the body is: it stays on the spot.");
  } else {
    trans = read_table(file, trans_name.empty() ? "trans" : trans_name);
  }
  if (trans.columns != 3 || trans.rows != poses.rows) {
    throw InputError(place + ": trans", fmt::format("{} x {}", trans.rows, trans.columns),
                     fmt::format("{} x 3", poses.rows));
  }
  if (poses.rows > kMostFrames)
    throw InputError(place, fmt::format("{} frames", poses.rows), "at most a million");
  const std::string rate_name = first_there(file, {"mocap_framerate", "mocap_frame_rate", "fps"});
  if (!rate_name.empty()) {
    clip.fps = file.number(rate_name);
    if (std::abs(clip.fps - std::round(clip.fps)) < 1e-3)
      clip.fps = std::round(clip.fps);  // 59.9999 in 32 bits
  } else {
    if (clip.source.format == "smpl") clip.fps = 30.0;  // a camera's
    clip.notes.push_back(fmt::format(
        "The file does not say its frame rate; {:.0f} per second is assumed (--fps changes it).", clip.fps));
  }

  // The model's own axes are y up in its rest pose although its world is z up. Joint axes are turned so that
  // the rest pose stands, facing x, with rotations of the identity: q -> C q C^-1, at the root q -> q C^-1.
  // Other files have any world, often a camera's: there the axes stay the model's until the motion has shown up.
  const Quat turn = clip.source.format == "amass" ? axes_to_stunt("y", "z", place) : Quat::Identity();
  for (auto& joint : clip.skeleton.joints) joint.offset = turn * joint.offset;
  for (auto& end : clip.skeleton.ends) end.offset = turn * end.offset;
  clip.frames.resize(poses.rows);
  for (std::size_t f = 0; f < poses.rows; ++f) {
    Pose& pose = clip.frames[f];
    pose.root_position = Vec3(&trans.values[3 * f]) + kPelvisInModel;
    pose.rotations.resize(kBodyJoints);
    for (int j = 0; j < kBodyJoints; ++j) {
      const Quat q = exp_map(Vec3(&poses.values[poses.columns * f + 3 * static_cast<std::size_t>(j)]));
      pose.rotations[j] = (j == 0 ? q : turn * q) * turn.conjugate();
    }
  }
  clip.notes.push_back(
      "The body has the bone lengths of an average adult, not those of the recorded person.");
  return clip;
}

}  // namespace stunt
