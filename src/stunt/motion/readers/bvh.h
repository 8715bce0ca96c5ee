// Reading and writing Biovision BVH, in all the dialects people's programs print: any channel order and
// count, positions on any joint, tabs, commas (also decimal ones), exponents, any line ends, missing End
// Sites.
#pragma once

#include <string>
#include <string_view>

#include "stunt/motion/clip.h"

namespace stunt {

// The clip as the file has it: in the file's own axes and length unit, rotations from degrees. interpret() in
// interpret.h then makes it metres and Z up. `place` is the file's name for error messages.
// A position channel replaces the joint's OFFSET; those of joints other than the root are left to interpret()
// in Clip::sliding. Throws InputError with file and line.
Clip read_bvh(std::string_view text, const std::string& place);

// The clip in the unit, the axes and the channel order it came in (clip.source), joints depth first. What the
// channels cannot hold is dropped: a joint with one channel keeps its twist about that axis. A root that
// moves always gets its position channels.
std::string write_bvh(const Clip& clip);

}  // namespace stunt
