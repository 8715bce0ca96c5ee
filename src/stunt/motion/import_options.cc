#include "stunt/motion/import_options.h"

#include "stunt/core/settings.h"

namespace stunt {

void describe(Fields& fields, ImportOptions& options) {
  static const std::vector<std::string> kAxes = {"x", "y", "z", "-x", "-y", "-z"};
  fields("unit_m", options.unit_m,
         {.unit = "m", .bounds = above_to(0, 1000), .help = "metres per file unit"});
  fields("fps", options.fps,
         {.unit = "Hz", .bounds = above_to(0, 100000), .help = "frames per second, instead of the file's"});
  fields("up", options.up_axis, {.help = "the file's axis that points up", .choices = kAxes});
  fields("facing", options.forward_axis, {.help = "the file's axis that becomes forward", .choices = kAxes});
  fields("floor", options.floor_m,
         {.unit = "m",
          .bounds = between(-1000, 1000),
          .help = "height of the floor in the file, which is level"});
  fields("drop_rest_frame", options.drop_rest_frame, {.help = "a rest pose stands before the motion"});
  fields.list("roles", options.roles, "which joint is what", [](Fields& inner, RoleOption& one) {
    inner("role", one.role, {.help = "such as left_foot"})("joint", one.joint, {.help = "its name, or none"});
  });
  fields("animation", options.animation, {.help = "of several in a file: its name, or its number from 1"});
  fields("start", options.start,
         {.unit = "s", .bounds = between(0, 1e6), .help = "what comes before is left out"});
  fields("end", options.end,
         {.unit = "s", .bounds = between(0, 1e6), .help = "what comes after is left out"});
  fields("in_place", options.in_place, {.help = "a cycle that walks on the spot stays there"});
  fields("force", options.force, {.help = "go on with a body that is not human"});
  fields("skeleton", options.skeleton, {.help = "for AMC: the ASF file"});
}

}  // namespace stunt
