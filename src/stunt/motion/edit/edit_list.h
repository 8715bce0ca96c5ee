// Edits as data: what a scene's time line and `stunt edit` say, applied one after the other
// (reference/staging/apply_edits.h). Times in s, lengths in m, angles in degrees as the names say.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "stunt/motion/edit/reach_target.h"

namespace stunt {

class Fields;

struct CropEdit {
  double from = 0, to = 0;
};
struct MirrorEdit {};
struct ResampleEdit {
  double hz = 120;
};
struct SpeedEdit {
  double factor = 1;  // 2 is twice as fast
};
struct LoopEdit {
  double seam = 0.25;  // s over which the end is blended into the beginning
  int cycles = 1;
};
struct StrideEdit {
  double factor = 1;  // 1.2: steps longer by a fifth
  double by = 0;      // m, added to every step instead; 0: the factor counts
};
// For a while faster or slower.
struct WarpEdit {
  double factor = 0.75;  // 0.75: a quarter slower
  double at = 0, duration = 1;
  double ramp = 0.15;  // s of easing in and out, within the duration
};
// Poses of the motion at given times, and what lies between them by interpolation: nothing else is left of it.
struct KeyPose {
  double at = 0;              // s
  double pose = 0;            // s: the motion's pose then
  Vec3 root = Vec3::Zero();   // m, by which the body is moved
  std::string keep = "none";  // hands, feet or both: what stays where it is meanwhile
};
struct KeysEdit {
  std::vector<KeyPose> keys;
};
// Another motion, of any skeleton, takes over.
struct TransitionEdit {
  std::string motion;
  double at = 0, duration = 0.5;
};
// Another motion's poses are mixed in for a while.
struct BlendEdit {
  std::string motion;
  double weight = 0.5, start = 0, end = 0, ramp = 0.3;  // end 0: to the end
};
// Another motion above the pelvis.
struct LayerEdit {
  std::string motion;
};
// From level ground onto a plane through the origin.
struct SlopeEdit {
  double slope_deg = 0, direction_deg = 0;  // rises towards: 0 is +X, 90 is +Y
};
using Edit = std::variant<CropEdit, MirrorEdit, ResampleEdit, SpeedEdit, LoopEdit, StrideEdit, TransitionEdit,
                          BlendEdit, LayerEdit, ReachTarget, SlopeEdit, WarpEdit, KeysEdit>;

// One edit: a mapping with one key, as in
//   crop: [1, 3]
//   mirror: true
//   resample: 60
//   speed: 1.5
//   stride: 1.2                                  (or stride: {by: 0.1}: m added to each step)
//   warp: {factor: 0.75, at: 2, duration: 1}
//   keys: [{at: 0, pose: 0.2}, {at: 1, pose: 0.2, root: [0, 0, 0.3], keep: hands}]
//   loop: {seam: 0.25, cycles: 4}
//   layer: wave
//   transition: {motion: run, at: 1.5, duration: 0.5}
//   blend: {motion: march, weight: 0.5, start: 1, end: 2, ramp: 0.3}
//   reach: {part: right_hand, offset: [0, 0, 0.2], start: 1, end: 2, ramp: 0.3}    (or position: instead of offset:)
//   slope: {slope_deg: 5, direction_deg: 0}
void describe(Fields& fields, Edit& edit);

// The same for an edit that can be made while the motion is followed: stride, warp, reach or slope.
void describe_live(Fields& fields, Edit& edit);

// The name of the other motion that an edit needs; null for most.
std::string* other_motion(Edit& edit);

}  // namespace stunt
