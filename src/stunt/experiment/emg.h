// When muscles work: those that static optimisation finds against the electromyography of the same walk (right leg).
#pragma once

#include <filesystem>

#include "stunt/experiment/plate_walk.h"
#include "stunt/experiment/study.h"

namespace stunt {

// `folder` has electromyography.sto. Throws InputError.
StudyPart compare_with_emg(const PlateWalk& walk, const std::filesystem::path& folder);

}  // namespace stunt
