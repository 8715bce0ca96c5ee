// From a scene's names to characters ready to act: motion read, actor fitted or loaded, reference made, controller set.
#pragma once

#include <vector>

#include "stunt/actor/fit/fit.h"
#include "stunt/motion/clip.h"
#include "stunt/simulate/simulation.h"

namespace stunt {

// A cast member's sources, kept for exporting the result on the clip's own skeleton.
struct CastSource {
  Clip clip;
  FittedActor fitted;       // to the clip's skeleton
  bool retargeted = false;  // the member is another character, to which the motion was given
};

struct Cast {
  std::vector<CastMember> members;
  std::vector<CastSource> sources;  // one per member
};

// Throws InputError.
Cast make_cast(const Scene& scene);

}  // namespace stunt
