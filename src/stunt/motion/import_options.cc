#include "stunt/core/settings.h"
#include "stunt/motion/interpret.h"

namespace stunt {

void describe(Fields& fields, ImportOptions& options) {
  static const std::vector<std::string> kAxes = {"x", "y", "z", "-x", "-y", "-z"};
  fields("unit_m", options.unit_m,
         {.unit = "m", .bounds = above_to(0, 1000), .help = "metres per file unit"});
  fields("fps", options.fps,
         {.unit = "Hz", .bounds = above_to(0, 100000), .help = "frames per second, instead of the file's"});
  fields("up", options.up_axis, {.help = "the file's axis that points up", .choices = kAxes});
  fields("facing", options.forward_axis, {.help = "the file's axis that points forward", .choices = kAxes});
  fields("drop_rest_frame", options.drop_rest_frame, {.help = "the first frame is a rest pose, not motion"});
  fields("skeleton", options.skeleton, {.help = "for AMC: the ASF file"});
}

}  // namespace stunt
