#include "stunt/motion/edit/edit_list.h"

#include "stunt/core/settings.h"

namespace stunt {
namespace {

const std::vector<std::string>& kinds() {
  static const std::vector<std::string> kinds = {"crop",   "mirror",     "resample", "speed", "loop",
                                                 "stride", "transition", "blend",    "layer", "reach",
                                                 "slope",  "warp",       "keys"};
  return kinds;  // in the order of the variant
}

const std::vector<std::string>& reaching_parts() {
  static const std::vector<std::string> parts = {"left_hand",  "right_hand", "left_foot",
                                                 "right_foot", "head",       "pelvis"};
  return parts;
}

void describe_motion(Fields& fields, std::string& motion) {
  fields("motion", motion, {.help = "a built-in name or a file"});
  fields.require(!motion.empty(), "motion", "no motion", "a built-in name or a file");
}

}  // namespace

static void describe(Fields& fields, LoopEdit& loop) {
  fields("seam", loop.seam,
         {.unit = "s", .bounds = above(0), .help = "over which the end is blended into the beginning"});
  fields("cycles", loop.cycles, {.bounds = at_least(1), .help = "how often it is repeated"});
}

static void describe(Fields& fields, TransitionEdit& transition) {
  describe_motion(fields, transition.motion);
  fields("at", transition.at,
         {.unit = "s", .bounds = at_least(0), .help = "when the other motion takes over"});
  fields("duration", transition.duration, {.unit = "s", .bounds = above(0), .help = "of the blend"});
}

static void describe(Fields& fields, BlendEdit& blend) {
  describe_motion(fields, blend.motion);
  fields("weight", blend.weight, {.bounds = between(0, 1), .help = "1: the other motion alone"});
  fields("start", blend.start, {.unit = "s", .bounds = at_least(0), .help = "when it begins"});
  fields("end", blend.end, {.unit = "s", .bounds = at_least(0), .help = "0: to the end"});
  fields("ramp", blend.ramp, {.unit = "s", .bounds = at_least(0), .help = "of easing in and out"});
}

static void describe(Fields& fields, LayerEdit& layer) { describe_motion(fields, layer.motion); }

static void describe(Fields& fields, ReachTarget& reach) {
  std::string part(name(reach.part));
  fields("part", part, {.help = "what reaches", .choices = reaching_parts()});
  reach.part = *role_from_name(part);
  fields.require(fields.given("position") != fields.given("offset"), "",
                 fields.given("offset") ? "both offset and position" : "no place to reach for",
                 "offset: [x, y, z] (from where it is) or position: [x, y, z]");
  if (fields.reading() || !reach.position) {
    fields("offset", reach.offset, {.unit = "m", .help = "from where it is in the clip, world axes"});
  }
  fields("position", reach.position, {.unit = "m", .help = "a place in the world"});
  fields("start", reach.start, {.unit = "s", .bounds = at_least(0), .help = "when it begins"});
  fields("end", reach.end, {.unit = "s", .bounds = at_least(0), .help = "0: to the end"});
  fields("ramp", reach.ramp, {.unit = "s", .bounds = at_least(0), .help = "of easing in and out"});
}

static void describe(Fields& fields, StrideEdit& stride) {
  fields("factor", stride.factor, {.bounds = above_to(0, 3), .help = "1.2: steps longer by a fifth"});
  fields(
      "by", stride.by,
      {.unit = "m", .bounds = between(-1, 1), .help = "added to every step instead; 0: the factor counts"});
  fields.require(stride.by == 0 || stride.factor == 1, "by", "both a factor and a length", "one of them");
}

static void describe(Fields& fields, WarpEdit& warp) {
  fields("factor", warp.factor, {.bounds = above_to(0, 10), .help = "0.75: a quarter slower"});
  fields("at", warp.at, {.unit = "s", .bounds = at_least(0), .help = "when it begins"});
  fields("duration", warp.duration, {.unit = "s", .bounds = above(0), .help = "how long"});
  fields("ramp", warp.ramp, {.unit = "s", .bounds = above(0), .help = "of easing in and out, within it"});
  fields.require(2 * warp.ramp <= warp.duration + 1e-9, "ramp", "two ramps longer than the whole",
                 "at most half of the duration");
}

static void describe(Fields& fields, KeyPose& key) {
  fields("at", key.at, {.unit = "s", .bounds = at_least(0), .help = "when"});
  fields("pose", key.pose,
         {.unit = "s", .bounds = at_least(0), .help = "the motion's pose at that time of its own"});
  fields("root", key.root, {.unit = "m", .bounds = between(-10, 10), .help = "by which the body is moved"});
  fields("keep", key.keep,
         {.help = "what stays where it is while the body is moved",
          .choices = {"none", "hands", "feet", "both"}});
}

static void describe(Fields& fields, SlopeEdit& slope) {
  fields("slope_deg", slope.slope_deg, {.unit = "deg", .bounds = between(-45, 45), .help = "of the plane"});
  fields("direction_deg", slope.direction_deg,
         {.unit = "deg", .bounds = between(-1e6, 1e6), .help = "where it rises: 0 is +X, 90 is +Y"});
}

namespace {

// The edit of a kind, as it is or a new one.
template <typename T>
T& as(Edit& edit) {
  if (!std::holds_alternative<T>(edit)) edit = T{};
  return std::get<T>(edit);
}

}  // namespace

static void describe_kind(Fields& fields, const std::string& kind, Edit& edit) {
  if (kind == "crop") {
    CropEdit& crop = as<CropEdit>(edit);
    Eigen::Vector2d range(crop.from, crop.to);
    fields("crop", range, {.unit = "s", .help = "from, to"});
    crop = {range.x(), range.y()};
  } else if (kind == "mirror") {
    as<MirrorEdit>(edit);
    bool on = true;
    fields("mirror", on, {.help = "left and right swapped"});
    fields.require(on, "mirror", "false", "true, or no mirror at all");
  } else if (kind == "resample") {
    fields("resample", as<ResampleEdit>(edit).hz,
           {.unit = "Hz", .bounds = between(1, 10000), .help = "frame rate"});
  } else if (kind == "speed") {
    fields("speed", as<SpeedEdit>(edit).factor, {.bounds = above_to(0, 100), .help = "2 is twice as fast"});
  } else if (kind == "stride") {
    fields.group("stride", as<StrideEdit>(edit), "longer or shorter steps", "factor");
  } else if (kind == "warp") {
    fields.group("warp", as<WarpEdit>(edit), "faster or slower for a while");
  } else if (kind == "keys") {
    std::vector<KeyPose>& keys = as<KeysEdit>(edit).keys;
    fields.list("keys", keys, "poses, and what lies between them by interpolation");
    fields.require(keys.size() > 1, "keys", keys.empty() ? "no key" : "one key", "two or more");
    for (std::size_t i = 1; i < keys.size(); ++i) {
      fields.require(keys[i].at > keys[i - 1].at, "keys", "a key that is not later than the one before",
                     "keys in the order of time");
    }
  } else if (kind == "loop") {
    fields.group("loop", as<LoopEdit>(edit), "repeated", "seam");
  } else if (kind == "transition") {
    fields.group("transition", as<TransitionEdit>(edit), "another motion takes over");
  } else if (kind == "blend") {
    fields.group("blend", as<BlendEdit>(edit), "another motion is mixed in");
  } else if (kind == "layer") {
    fields.group("layer", as<LayerEdit>(edit), "another motion above the pelvis", "motion");
  } else if (kind == "reach") {
    fields.group("reach", as<ReachTarget>(edit), "a part of the body goes somewhere");
  } else if (kind == "slope") {
    fields.group("slope", as<SlopeEdit>(edit), "from level ground onto a plane", "slope_deg");
  }
}

void describe(Fields& fields, Edit& edit) {
  describe_kind(fields, fields.one_key(kinds(), kinds()[edit.index()]), edit);
}

void describe_live(Fields& fields, Edit& edit) {
  describe_kind(fields, fields.one_key({"stride", "warp", "reach", "slope"}, kinds()[edit.index()]), edit);
}

std::string* other_motion(Edit& edit) {
  if (auto* transition = std::get_if<TransitionEdit>(&edit)) return &transition->motion;
  if (auto* blend = std::get_if<BlendEdit>(&edit)) return &blend->motion;
  if (auto* layer = std::get_if<LayerEdit>(&edit)) return &layer->motion;
  return nullptr;
}

}  // namespace stunt
