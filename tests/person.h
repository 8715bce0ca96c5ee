// A simple clip of a whole body, as a reader would leave it.
#pragma once

#include <cmath>
#include <string>

#include "stunt/motion/clip.h"

namespace stunt {

// A person of 1.75 m, y up, facing z, in metres: standing still but for a slow nod and a step's worth of
// sway.
inline Clip person(int frames = 60, double fps = 60.0) {
  Clip clip;
  const auto joint = [&](const char* name, int parent, const Vec3& offset) {
    clip.skeleton.joints.push_back({name, parent, offset, Quat::Identity()});
    return clip.skeleton.size() - 1;
  };
  const int hips = joint("Hips", -1, Vec3::Zero());
  for (const double side : {1.0, -1.0}) {
    const std::string name = side > 0 ? "Left" : "Right";
    const int thigh = joint((name + "UpLeg").c_str(), hips, {0.09 * side, -0.05, 0});
    const int shank = joint((name + "Leg").c_str(), thigh, {0, -0.43, 0});
    const int foot = joint((name + "Foot").c_str(), shank, {0, -0.43, 0});
    clip.skeleton.ends.push_back({foot, {0, -0.05, 0.18}});
  }
  const int spine = joint("Spine", hips, {0, 0.25, 0});
  const int head = joint("Head", spine, {0, 0.33, 0});
  clip.skeleton.ends.push_back({head, {0, 0.2, 0}});
  for (const double side : {1.0, -1.0}) {
    const std::string name = side > 0 ? "Left" : "Right";
    const int arm = joint((name + "Arm").c_str(), spine, {0.19 * side, 0.2, 0});
    const int forearm = joint((name + "ForeArm").c_str(), arm, {0.32 * side, 0, 0});
    joint((name + "Hand").c_str(), forearm, {0.26 * side, 0, 0});
  }
  clip.fps = fps;
  for (int f = 0; f < frames; ++f) {
    Pose pose;
    const double phase = 2 * kPi * f / 60.0;
    pose.root_position = {0.02 * std::sin(phase), 0.97, 0.1 * f / fps};
    for (int j = 0; j < clip.skeleton.size(); ++j) {
      pose.rotations.push_back(axis_angle(Vec3::UnitX(), 0.1 + 0.05 * std::sin(phase + j)));
    }
    pose.rotations[0] = Quat::Identity();
    clip.frames.push_back(pose);
  }
  return clip;
}

}  // namespace stunt
