// A rest pose before the motion: one frame of it, or some frames that are blended into the motion.
#pragma once

#include "stunt/motion/clip.h"

namespace stunt {

// How many frames at the start are no motion: they end in a leap of the whole body within the first 0.3 s that
// is several times faster than anything later, faster still where the clip does not begin in its rest pose, and
// sudden: a jump gathers speed.
int count_rest_frames(const Clip& clip);

}  // namespace stunt
