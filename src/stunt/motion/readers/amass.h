// AMASS: motions of the SMPL body models as NumPy archives (Mahmood et al. 2019).
#pragma once

#include <string>

#include "stunt/motion/clip.h"

namespace stunt {

// The clip in metres, Z up. Reads `poses` (frames x 3 n axis-angle; the first 22 joints are the body's, hands
// are left out), `trans` and `mocap_framerate` or `mocap_frame_rate`; instead of `poses` also `root_orient`
// and `pose_body`. Files of programs that estimate SMPL from video are read by the names they use (`pose`,
// `smpl_thetas`, `global_orient` and `body_pose`, `transl`): their format is "smpl" and their axes are the
// camera's. The body's shape is not read: bones have the approximate lengths of an average adult.
// Throws InputError.
Clip read_amass(std::string npz, const std::string& place);

}  // namespace stunt
