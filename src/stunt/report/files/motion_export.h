// The simulated motion of a character as a Clip, ready for write_bvh().
#pragma once

#include "stunt/motion/clip.h"
#include "stunt/simulate/motion_source.h"
#include "stunt/simulate/recording.h"

namespace stunt {

// On the character's own bodies: one joint per body, named as the body, in its first joint's anchor. The rest
// pose of the clip is that of the character, all joints' axes along the world's. A limb ends as far beyond
// its centre of mass as its joint lies before it. Written as BVH it is Y up in centimetres. Serves every
// character, clip or not. `fps` 0 is the recording's rate. Ends where the state stops being finite.
Clip simulated_clip(const Recording& recording, int actor, double fps = 0);

// On the skeleton of the clip the character was fitted to, in the way the clip came (rate, unit, axes,
// channels). Joints without a body (fingers) move as in the clip at that time.
Clip simulated_clip(const Recording& recording, int actor, const MotionSource& motion);

}  // namespace stunt
