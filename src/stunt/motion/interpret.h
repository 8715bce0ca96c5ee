// What a motion file does not say: its length unit, which way is up, whether a rest pose stands before the
// motion, where the locomotion is, and whether it can be true at all. Decided once for all readers; every
// assumption is one sentence in Clip::notes that names the option which changes it.
#pragma once

#include <string>

#include "stunt/motion/axes.h"
#include "stunt/motion/clip.h"
#include "stunt/motion/import_options.h"

namespace stunt {

// Turns a clip as a reader left it (file axes, file units) into ours: metres, Z up. Fills Clip::source.unit_m,
// up_axis, to_stunt, Skeleton::stance and roles, rest_frame_dropped, notes and warnings. Throws InputError when
// the clip cannot be used: fewer than two frames, only zeros, not a human body, joints that flip about.
void interpret(Clip& clip, const ImportOptions& options, const std::string& place);

}  // namespace stunt
