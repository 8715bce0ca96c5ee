// Joints that a file moves against their parents. Bones are rigid here, so such a motion goes where it belongs.
#pragma once

#include "stunt/motion/clip.h"
#include "stunt/motion/roles.h"

namespace stunt {

// Settles Clip::sliding and empties it. Where the hips, or a joint that carries them, are moved against a
// joint above (a root that stays on the ground, in many exporters), that motion is the locomotion and is given
// to the root. Any other joint gets its median place; a warning says so where it moves noticeably.
void settle_sliding_joints(Clip& clip, const Roles& roles);

}  // namespace stunt
