#include "stunt/motion/edit/edit_list.h"

#include <fmt/format.h>

#include "stunt/core/config.h"
#include "stunt/core/error.h"

namespace stunt {
namespace {

constexpr const char* kEdits =
    "one of: crop, mirror, resample, speed, loop, stride, transition, blend, layer, reach, slope";

double number(Config& config, const std::string& key, const Limit& limit) {
  double value = 0;
  config(key, value, limit);
  return value;
}

void need_motion(Config& config, const std::string& motion) {
  if (motion.empty()) throw InputError(config.where("motion"), "no motion", "a built-in name or a file");
}

ReachTarget read_reach(Config config) {
  ReachTarget reach;
  std::string part = "right_hand";
  config("part", part, {"left_hand", "right_hand", "left_foot", "right_foot", "head", "pelvis"});
  reach.part = *role_from_name(part);
  if (config.has("position") == config.has("offset")) {
    throw InputError(config.where(),
                     config.has("offset") ? "both offset and position" : "no place to reach for",
                     "offset: [x, y, z] (from where it is) or position: [x, y, z]");
  }
  config("offset", reach.offset);
  Vec3 position = Vec3::Zero();
  config("position", position);
  if (config.has("position")) reach.position = position;
  config("start", reach.start, at_least(0))("end", reach.end, at_least(0))("ramp", reach.ramp, at_least(0));
  return reach;
}

}  // namespace

Edit read_edit(Config& config) {
  const std::vector<std::string> keys = config.keys();
  if (keys.size() != 1)
    throw InputError(config.where(), fmt::format("{} keys in one edit", keys.size()), kEdits);
  const std::string& key = keys.front();
  if (key == "crop") {
    Eigen::Vector2d range(0, 0);
    config("crop", range);
    return CropEdit{range.x(), range.y()};
  }
  if (key == "mirror") {
    bool on = true;
    config("mirror", on);
    if (!on) throw InputError(config.where("mirror"), "false", "true, or no mirror at all");
    return MirrorEdit{};
  }
  if (key == "resample")
    return ResampleEdit{number(config, key, {1, 10000, false, "a number from 1 to 10000 (Hz)"})};
  if (key == "speed")
    return SpeedEdit{number(config, key, {0, 100, true, "a number above 0 and at most 100"})};
  if (key == "stride") return StrideEdit{number(config, key, {0, 3, true, "a number above 0 and at most 3"})};
  if (key == "loop") {
    LoopEdit loop;
    config.child("loop", "seam")("seam", loop.seam, above(0))("cycles", loop.cycles, at_least(1));
    return loop;
  }
  if (key == "transition") {
    TransitionEdit transition;
    Config child = config.child("transition");
    child("motion", transition.motion)("at", transition.at, at_least(0))("duration", transition.duration,
                                                                         above(0));
    need_motion(child, transition.motion);
    return transition;
  }
  if (key == "blend") {
    BlendEdit blend;
    Config child = config.child("blend");
    child("motion", blend.motion)("weight", blend.weight, between(0, 1))("start", blend.start, at_least(0));
    child("end", blend.end, at_least(0))("ramp", blend.ramp, at_least(0));
    need_motion(child, blend.motion);
    return blend;
  }
  if (key == "layer") {
    LayerEdit layer;
    Config child = config.child("layer", "motion");
    child("motion", layer.motion);
    need_motion(child, layer.motion);
    return layer;
  }
  if (key == "reach") return read_reach(config.child("reach"));
  if (key == "slope") {
    SlopeEdit slope;
    config.child("slope", "slope_deg")("slope_deg", slope.slope_deg, between(-45, 45))("direction_deg",
                                                                                       slope.direction_deg);
    return slope;
  }
  throw InputError(config.where(key), fmt::format("the unknown edit '{}'", key.substr(0, 40)), kEdits);
}

std::string* other_motion(Edit& edit) {
  if (auto* transition = std::get_if<TransitionEdit>(&edit)) return &transition->motion;
  if (auto* blend = std::get_if<BlendEdit>(&edit)) return &blend->motion;
  if (auto* layer = std::get_if<LayerEdit>(&edit)) return &layer->motion;
  return nullptr;
}

}  // namespace stunt
