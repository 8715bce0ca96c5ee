#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "stunt/actor/creature/skeleton.h"

namespace stunt {
namespace {

std::string triple(const Vec3& v) { return fmt::format("{:.6g} {:.6g} {:.6g}", v.x(), v.y(), v.z()); }

// Mass and inertia are those of the first shape; the others only touch.
std::string geom(const BoneShape& shape, double mass, bool touches) {
  const std::string common =
      fmt::format(R"(mass="{:.6g}"{})", mass, touches ? "" : R"( contype="0" conaffinity="0")");
  if ((shape.to - shape.from).norm() < 1e-9) {
    return fmt::format(R"(<geom type="sphere" pos="{}" size="{:.4g}" {} rgba="0.36 0.42 0.5 1"/>)",
                       triple(shape.from), shape.radius, common);
  }
  return fmt::format(R"(<geom type="capsule" fromto="{} {}" size="{:.4g}" {}/>)", triple(shape.from),
                     triple(shape.to), shape.radius, common);
}

}  // namespace

std::string to_mjcf(const SkeletonDraft& draft, const std::string& name, double heaviness) {
  std::string xml = fmt::format(
      "<mujoco model=\"{}\">\n<compiler angle=\"radian\"/>\n<default><geom rgba=\"0.8 0.74 0.68 "
      "1\"/></default>\n"
      "<worldbody>\n",
      name);
  const std::function<void(const Bone&)> write = [&](const Bone& bone) {
    const bool root = bone.parent.empty();
    xml += fmt::format("<body name=\"{}\" pos=\"{}\">\n", bone.name,
                       triple(root ? Vec3(bone.offset + Vec3(0, 0, draft.hip_height)) : bone.offset));
    if (root) xml += "<freejoint name=\"root\"/>\n";
    for (const BoneJoint& joint : bone.joints) {
      xml += fmt::format(
          "<joint name=\"{}\" axis=\"{}\" range=\"{:.6g} {:.6g}\" limited=\"true\" stiffness=\"{:.6g}\" "
          "damping=\"{:.6g}\" armature=\"0.005\"/>\n",
          joint.name, triple(joint.axis), joint.lower, joint.upper, joint.stiffness, joint.damping);
    }
    const bool has_sole = std::any_of(bone.shapes.begin(), bone.shapes.end(),
                                      [](const BoneShape& shape) { return shape.sole; });
    for (std::size_t i = 0; i < bone.shapes.size(); ++i)
      xml +=
          geom(bone.shapes[i], i == 0 ? bone.mass * heaviness : 0, !has_sole || bone.shapes[i].sole) + "\n";
    for (const Bone& child : draft.bones) {
      if (child.parent == bone.name) write(child);
    }
    xml += "</body>\n";
  };
  for (const Bone& bone : draft.bones) {
    if (bone.parent.empty()) write(bone);
  }
  return xml + "</worldbody>\n</mujoco>\n";
}

}  // namespace stunt
