// What a motion file does not say: its length unit, which way is up, whether its first frame is a rest pose,
// and whether it can be true at all. Decided once for all readers; every assumption is one sentence in
// Clip::notes.
#pragma once

#include <optional>
#include <string>

#include "stunt/motion/clip.h"

namespace stunt {

// What the person knows better than the guess. Empty: guess.
struct ImportOptions {
  std::optional<double> unit_m;        // metres per file unit
  std::optional<double> fps;           // frames per second, instead of the file's
  std::optional<std::string> up_axis;  // of the file: "x", "y", "z", "-x", "-y" or "-z"
  std::optional<std::string>
      forward_axis;                     // of the file, becomes our X; usual: z where y is up, x where z is up
  std::optional<bool> drop_rest_frame;  // is the first frame a rest pose that is no motion?
  std::optional<std::string> skeleton;  // for AMC: the ASF file with the skeleton
};

void describe(class Fields& fields, ImportOptions& options);

// Turns a clip as a reader left it (file axes, file units) into ours: metres, Z up. Fills
// Clip::source.unit_m, up_axis, to_stunt, rest_frame_dropped, notes and warnings. Throws InputError when the
// clip cannot be used: fewer than two frames, only zeros, no legs, joints that flip about.
void interpret(Clip& clip, const ImportOptions& options, const std::string& place);

// The rotation that takes the file's `up` axis to Z and `forward` to X; both as in ImportOptions, at right
// angles. `forward` empty: the usual one, see above.
Quat axes_to_stunt(const std::string& up, const std::string& forward, const std::string& place);

}  // namespace stunt
