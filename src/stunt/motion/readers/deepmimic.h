// DeepMimic's motion files: JSON with rows of 44 numbers for its humanoid (Peng et al. 2018).
#pragma once

#include <string>
#include <string_view>

#include "stunt/motion/clip.h"

namespace stunt {

// The clip in metres, Y up, facing +X, as the file has it. The skeleton is that of the published humanoid; it
// has no wrists and toes, so hands and feet are ends. Frames of differing duration are resampled to the
// shortest one's rate. Quaternions are normalised, with a note where they were off. Throws InputError.
Clip read_deepmimic(std::string_view json, const std::string& place);

}  // namespace stunt
