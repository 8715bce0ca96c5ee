#include "stunt/motion/readers/deepmimic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "stunt/core/error.h"
#include "stunt/motion/readers/scanner.h"
#include "stunt/motion/resample.h"

namespace stunt {
namespace {

constexpr int kRowLength = 44;

// The humanoid of the published character file: y up, x forward, so right is +z; m. `column` is where the
// joint's numbers start in a row; `hinge` joints have one angle about z, the others a quaternion.
struct HumanoidJoint {
  const char* name;
  int parent;
  double x, y, z;
  int column;
  bool hinge;
};
constexpr std::array<HumanoidJoint, 13> kJoints = {{
    {"root", -1, 0, 0, 0, 4, false},
    {"chest", 0, 0, 0.236151, 0, 8, false},
    {"neck", 1, 0, 0.223894, 0, 12, false},
    {"right_hip", 0, 0, 0, 0.084887, 16, false},
    {"right_knee", 3, 0, -0.421546, 0, 20, true},
    {"right_ankle", 4, 0, -0.409870, 0, 21, false},
    {"right_shoulder", 1, -0.024050, 0.243500, 0.183110, 25, false},
    {"right_elbow", 6, 0, -0.274788, 0, 29, true},
    {"left_hip", 0, 0, 0, -0.084887, 30, false},
    {"left_knee", 8, 0, -0.421546, 0, 34, true},
    {"left_ankle", 9, 0, -0.409870, 0, 35, false},
    {"left_shoulder", 1, -0.024050, 0.243500, -0.183110, 39, false},
    {"left_elbow", 11, 0, -0.274788, 0, 43, true},
}};

Skeleton humanoid() {
  Skeleton skeleton;
  for (const auto& joint : kJoints) {
    skeleton.joints.push_back({joint.name, joint.parent, Vec3(joint.x, joint.y, joint.z), Quat::Identity()});
  }
  const auto end = [&](const char* joint, const Vec3& offset) {
    skeleton.ends.push_back({skeleton.find(joint), offset});
  };
  end("neck", {0, 0.2775, 0});            // top of the head
  end("right_elbow", {0, -0.258947, 0});  // wrist
  end("left_elbow", {0, -0.258947, 0});
  end("right_ankle", {0.1335, -0.0225, 0});  // front of the foot's box
  end("left_ankle", {0.1335, -0.0225, 0});
  return skeleton;
}

}  // namespace

Clip read_deepmimic(std::string_view text, const std::string& place) {
  nlohmann::json file;
  try {
    file = nlohmann::json::parse(text);
  } catch (const nlohmann::json::exception& error) {
    const std::string what = error.what();
    throw InputError(place, "not JSON: " + what.substr(std::min(what.size(), what.find("] ") + 2)));
  }
  if (!file.is_object() || !file.contains("Frames") || !file["Frames"].is_array()) {
    throw InputError(place, "JSON without a list 'Frames'", "a DeepMimic motion");
  }
  Clip clip;
  clip.source.format = "deepmimic";
  clip.skeleton = humanoid();
  if (const auto loop = file.find("Loop"); loop != file.end()) {
    if (!loop->is_string() || (*loop != "wrap" && *loop != "none")) {
      throw InputError(place + ": Loop", quote(loop->dump()), "\"wrap\" or \"none\"");
    }
    clip.loops = *loop == "wrap";
  }

  std::vector<double> times;
  double time = 0.0, worst_norm = 0.0;
  const auto& rows = file["Frames"];
  if (rows.size() < 2) throw InputError(place, fmt::format("{} frames", rows.size()), "at least 2");
  if (rows.size() > kMostFrames)
    throw InputError(place, fmt::format("{} frames", rows.size()), "at most a million");
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const std::string where = fmt::format("{}: Frames[{}]", place, r);
    if (!rows[r].is_array() || rows[r].size() != kRowLength) {
      throw InputError(where, fmt::format("{} entries", rows[r].size()),
                       fmt::format("a row of {} numbers", kRowLength));
    }
    std::array<double, kRowLength> row;
    for (int i = 0; i < kRowLength; ++i) {
      const auto& entry = rows[r][static_cast<std::size_t>(i)];
      if (!entry.is_number() || !(std::abs(entry.get<double>()) <= kLargestNumber)) {
        throw InputError(fmt::format("{}[{}]", where, i), quote(entry.dump()), "a finite number");
      }
      row[i] = entry.get<double>();
    }
    if (row[0] < (r + 1 < rows.size() ? 1e-4 : 0.0)) {
      throw InputError(where + "[0]", fmt::format("a duration of {} s", row[0]), "a time above 0.0001");
    }
    times.push_back(time);
    time += row[0];
    Pose& pose = clip.frames.emplace_back();
    pose.root_position = Vec3(row[1], row[2], row[3]);
    for (const auto& joint : kJoints) {
      if (joint.hinge) {
        pose.rotations.push_back(axis_angle(Vec3::UnitZ(), row[joint.column]));
        continue;
      }
      Quat q = quat_from_wxyz(row.data() + joint.column);
      const double norm = q.norm();
      if (norm < 1e-3)
        throw InputError(where, fmt::format("a zero quaternion for {}", joint.name), "a rotation");
      worst_norm = std::max(worst_norm, std::abs(norm - 1.0));
      pose.rotations.push_back(q.normalized());
    }
  }
  if (worst_norm > 1e-3) {
    clip.notes.push_back(fmt::format("Quaternions were up to {:.0f} % off unit length and were normalised.",
                                     std::max(1.0, 100.0 * worst_norm)));
  }
  resample_to_uniform(clip, times, place);
  return clip;
}

}  // namespace stunt
