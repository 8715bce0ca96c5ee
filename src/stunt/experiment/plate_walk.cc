#include "stunt/experiment/plate_walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "stunt/core/error.h"
#include "stunt/core/files.h"
#include "stunt/experiment/sto_table.h"

namespace stunt {
namespace {

// What is needed of a model file: where joints sit on their bodies, and the mass.
class ModelFile {
 public:
  struct Frame {
    Vec3 translation, orientation;  // m; rad, body-fixed x, y, z
  };
  explicit ModelFile(const std::filesystem::path& path) : place_(path.string()), text_(read_file(path)) {}

  // The frame of a joint on its parent (0) or on its child (1).
  Frame frame(const std::string& joint, int which) const {
    std::size_t at = text_.find("Joint name=\"" + joint + "\"");
    for (int i = 0; i <= which && at != std::string::npos; ++i)
      at = text_.find("<PhysicalOffsetFrame ", at + 1);
    return {numbers("<translation>", at), numbers("<orientation>", at)};
  }
  double mass() const {
    double sum = 0;
    for (std::size_t at = text_.find("<mass>"); at != std::string::npos; at = text_.find("<mass>", at + 1))
      sum += std::strtod(text_.c_str() + at + 6, nullptr);
    return sum;
  }

 private:
  Vec3 numbers(const std::string& tag, std::size_t from) const {
    const std::size_t at = from == std::string::npos ? from : text_.find(tag, from);
    Vec3 out;
    std::istringstream text(at == std::string::npos ? "" : text_.substr(at + tag.size(), 200));
    if (!(text >> out.x() >> out.y() >> out.z()))
      throw InputError(place_, "no three numbers in a " + tag, "those of a joint's frame");
    return out;
  }
  std::string place_, text_;
};

const Quat kToOurs = axis_angle(Vec3::UnitX(), kPi / 2);  // y up becomes z up
Vec3 ours(const Vec3& v) { return kToOurs * v; }
Quat ours(const Quat& q) { return kToOurs * q * kToOurs.conjugate(); }

Quat turn(const Vec3& axis, double angle) { return axis_angle(axis.normalized(), angle); }
Quat body_fixed(const Vec3& xyz) {
  return turn(Vec3::UnitX(), xyz.x()) * turn(Vec3::UnitY(), xyz.y()) * turn(Vec3::UnitZ(), xyz.z());
}

class WalkBuilder {
 public:
  WalkBuilder(const std::filesystem::path& folder)
      : model_(folder / "subject_walk_scaled.osim"), coordinates_(folder / "coordinates.sto") {}

  Clip build() {
    build_skeleton();
    clip_.name = "example3DWalking";
    clip_.source.format = "opensim";
    const double first = coordinates_.at(0, 0), last = coordinates_.at(coordinates_.size() - 1, 0);
    clip_.fps = static_cast<double>(coordinates_.size() - 1) / (last - first);
    for (std::size_t row = 0; row < coordinates_.size(); ++row) add_pose(row);
    return std::move(clip_);
  }
  double mass() const { return model_.mass(); }
  double start() const { return coordinates_.at(0, 0); }

 private:
  int add(const std::string& name, int parent, const Vec3& offset) {
    clip_.skeleton.joints.push_back({name, parent, ours(offset)});
    return clip_.skeleton.size() - 1;
  }
  Vec3 on_parent(const std::string& joint) const { return model_.frame(joint, 0).translation; }

  void build_skeleton() {
    const int hips = add("Hips", -1, Vec3::Zero());
    const int spine = add("Spine", hips, on_parent("back"));
    const Vec3 shoulder = on_parent("acromial_r");
    const int neck = add("Neck", spine, {shoulder.x(), shoulder.y() + 0.06, 0});
    const int head = add("Head", neck, {0.01, 0.09, 0});
    clip_.skeleton.ends.push_back({head, ours(Vec3(0, 0.18, 0))});
    for (const bool left : {true, false}) {
      const std::string side = left ? "Left" : "Right", end = left ? "_l" : "_r";
      const int upper = add(side + "Arm", spine, on_parent("acromial" + end));
      const int lower = add(side + "ForeArm", upper, on_parent("elbow" + end));
      const int hand =
          add(side + "Hand", lower, on_parent("radioulnar" + end) + on_parent("radius_hand" + end));
      clip_.skeleton.ends.push_back({hand, ours(Vec3(0, -0.15, 0))});
    }
    for (const bool left : {true, false}) {
      const std::string side = left ? "Left" : "Right", end = left ? "_l" : "_r";
      const int thigh = add(side + "UpLeg", hips, on_parent("hip" + end));
      const ModelFile::Frame shin = model_.frame("walker_knee" + end, 1);
      const int shank = add(side + "Leg", thigh, on_parent("walker_knee" + end));
      const int foot = add(side + "Foot", shank, on_parent("ankle" + end) - shin.translation);
      const int toes = add(side + "ToeBase", foot, on_parent("subtalar" + end) + on_parent("mtp" + end));
      clip_.skeleton.ends.push_back({toes, ours(Vec3(0.07, 0, 0))});
    }
  }

  void add_pose(std::size_t row) {
    const auto value = [&](const std::string& name) {
      return coordinates_.at(row, coordinates_.column(name));
    };
    const auto zxy = [&](const std::string& z, const std::string& x, const std::string& y, double mirror) {
      return turn(Vec3::UnitZ(), value(z)) * turn(Vec3::UnitX(), mirror * value(x)) *
             turn(Vec3::UnitY(), mirror * value(y));
    };
    Pose pose;
    pose.root_position = ours(Vec3(value("pelvis_tx"), value("pelvis_ty"), value("pelvis_tz")));
    pose.rotations.assign(clip_.skeleton.joints.size(), Quat::Identity());
    const auto set = [&](const std::string& joint, const Quat& rotation) {
      pose.rotations[static_cast<std::size_t>(clip_.skeleton.find(joint))] = ours(rotation);
    };
    set("Hips", zxy("pelvis_tilt", "pelvis_list", "pelvis_rotation", 1));
    set("Spine", zxy("lumbar_extension", "lumbar_bending", "lumbar_rotation", 1));
    for (const bool left : {true, false}) {
      const std::string side = left ? "Left" : "Right", end = left ? "_l" : "_r";
      const double mirror = left ? -1 : 1;
      const auto about = [&](const std::string& joint, const Vec3& axis, const std::string& angle) {
        return turn(body_fixed(model_.frame(joint + end, 0).orientation) * axis, value(angle + end));
      };
      // Hip angles are mirrored on the left as the arms' are: its axes are the same, its angles are not.
      set(side + "UpLeg", turn(Vec3::UnitZ(), value("hip_flexion" + end)) *
                              turn(mirror * Vec3::UnitX(), value("hip_adduction" + end)) *
                              turn(mirror * Vec3::UnitY(), value("hip_rotation" + end)));
      set(side + "Leg", about("walker_knee", mirror * Vec3::UnitX(), "knee_angle"));
      set(side + "Foot", about("ankle", Vec3::UnitZ(), "ankle_angle"));
      set(side + "Arm", zxy("arm_flex" + end, "arm_add" + end, "arm_rot" + end, mirror));
      set(side + "ForeArm", about("elbow", Vec3::UnitZ(), "elbow_flex"));
    }
    clip_.frames.push_back(std::move(pose));
  }

  ModelFile model_;
  StoTable coordinates_;
  Clip clip_;
};

std::vector<PlateSample> read_plates(const std::filesystem::path& path) {
  const StoTable table(path);
  std::vector<PlateSample> samples(table.size());
  for (const bool left : {true, false}) {
    const std::string side = left ? "l" : "r";
    std::size_t force[3], centre[3];
    for (std::size_t k = 0; k < 3; ++k) {
      force[k] = table.column(fmt::format("ground_force_{}_v{}", side, "xyz"[k]));
      centre[k] = table.column(fmt::format("ground_force_{}_p{}", side, "xyz"[k]));
    }
    for (std::size_t i = 0; i < samples.size(); ++i) {
      samples[i].time = table.at(i, 0);
      const auto read = [&](const std::size_t(&column)[3]) {
        return ours(Vec3(table.at(i, column[0]), table.at(i, column[1]), table.at(i, column[2])));
      };
      samples[i].force[left ? 0 : 1] = read(force);
      samples[i].centre[left ? 0 : 1] = read(centre);
    }
  }
  return samples;
}

}  // namespace

PlateSample PlateWalk::mean(double from, double to) const {
  PlateSample out{0.5 * (from + to), {Vec3::Zero(), Vec3::Zero()}, {Vec3::Zero(), Vec3::Zero()}};
  double load[2] = {0, 0};
  int count = 0;
  for (const PlateSample& sample : samples) {
    if (sample.time < from || sample.time >= to) continue;
    ++count;
    for (int f = 0; f < 2; ++f) {
      out.force[f] += sample.force[f];
      out.centre[f] += sample.force[f].z() * sample.centre[f];
      load[f] += sample.force[f].z();
    }
  }
  for (int f = 0; f < 2; ++f) {
    if (count > 0) out.force[f] /= count;
    if (load[f] > 0) out.centre[f] /= load[f];
  }
  return out;
}

PlateWalk read_plate_walk(const std::filesystem::path& folder) {
  WalkBuilder builder(folder);
  PlateWalk walk;
  walk.clip = builder.build();
  walk.mass_kg = builder.mass();
  walk.start = builder.start();
  walk.samples = read_plates(folder / "grf_walk.mot");
  return walk;
}

}  // namespace stunt
