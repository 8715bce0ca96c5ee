// A list of edits (motion/edit/edit_list.h) carried out. Most change the clip; a slope changes the prepared
// motion, whose feet are known.
#pragma once

#include "stunt/motion/clip.h"
#include "stunt/motion/edit/edit_list.h"
#include "stunt/reference/reference.h"

namespace stunt {

// All edits but slopes, in their order. Other motions are loaded by name and brought onto the clip's
// skeleton. Throws InputError.
Clip apply_edits(Clip clip, const std::vector<Edit>& edits);

bool has_slope(const std::vector<Edit>& edits);

// The slopes among the edits.
std::shared_ptr<const SampledReference> apply_slopes(std::shared_ptr<const SampledReference> motion,
                                                     const std::vector<Edit>& edits);
// The same on a clip, through the character fitted to it; for files that are not simulated.
Clip apply_slopes(const Clip& clip, const std::vector<Edit>& edits);

// A motion on another clip's skeleton: joint by joint where the names agree, with the root's path scaled by
// the length of the legs; otherwise retargeted (retarget.h).
Clip on_skeleton_of(const Clip& like, const Clip& motion);

}  // namespace stunt
