// A recording as glTF 2.0 in one binary file, for Blender, Unity, Unreal and viewers.
//
// One root node turns Z up into glTF's Y up. Below it: "world" (the ground and what is fixed to it),
// "objects" (whatever else moves), "simulated" and "reference" (the characters, twice, in the same place:
// solid, and as a translucent ghost). Every body is a node named as in the scene (the reference's end in "
// (reference)"), in the hierarchy of the joints, with its shapes as children
// (a character's are those of its mannequin). "<character> muscles" has a line along every muscle that lights up by its use
// (glb_muscles.h), on nodes that move with the bodies: hide "simulated" to see all of them; who walks by muscles is drawn
// translucent. One animation moves them all.
#pragma once

#include <string>

#include "stunt/simulate/recording.h"

namespace stunt {

// `rate` is that of the animation's keys in Hz; the nearest whole fraction of the recording's is taken.
std::string format_glb(const Recording& recording, double rate = 60);

}  // namespace stunt
