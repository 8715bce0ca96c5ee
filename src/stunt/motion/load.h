// The one way in for motions of every kind.
#pragma once

#include <string>

#include "stunt/motion/clip.h"
#include "stunt/motion/interpret.h"

namespace stunt {

// A built-in motion by its name ("walk"), or a file: BVH, ASF/AMC (give the .amc), DeepMimic JSON, AMASS NPZ,
// FBX, glTF or GLB. The kind is told by the file's ending, and where that says nothing by its content. The
// result is in metres, Z up, named by the file's stem; Clip::notes has what was assumed. Throws InputError.
Clip load_clip(const std::string& name_or_path, const ImportOptions& options = {});

}  // namespace stunt
