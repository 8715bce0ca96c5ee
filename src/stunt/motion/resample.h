// Frames at any times to a uniform rate.
#pragma once

#include <string>
#include <vector>

#include "stunt/motion/clip.h"

namespace stunt {

// Frame i of the clip is at times[i] (s, rising). Sets fps to the rate of the shortest step, to a whole
// number where that is near; where the steps differ, the frames are replaced by interpolated ones (slerp),
// with a note. Throws InputError where these would be too many to keep.
void resample_to_uniform(Clip& clip, const std::vector<double>& times, const std::string& place);

}  // namespace stunt
