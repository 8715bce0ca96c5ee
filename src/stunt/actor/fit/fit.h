// A simulated character from a clip's own skeleton: nothing to configure.
//
// Every joint that matters becomes a body whose frame lies in the joint and has the joint's axes, so that the
// clip's rotations are the character's coordinates (pose_map.h). Shapes and rest pose are those of a body that
// stands (Skeleton::stance), whatever the file's own rest pose is. Hips, spine, neck and shoulders are ball
// joints; knees and elbows hinges about the axis they were captured with; ankles and wrists two or three
// hinges; toes one. Masses follow de Leva (1996), the soles lie on the ground where the captured feet stood
// on it. docs/characters.md has the tables.
#pragma once

#include <string>
#include <vector>

#include "stunt/actor/actor.h"
#include "stunt/motion/clip.h"

namespace stunt {

struct FitOptions {
  double mass_kg = 0;   // of the whole body; 0: estimated from the height
  double strength = 1;  // scales all torque limits
};

struct FittedActor {
  ActorPtr actor;
  std::vector<int>
      clip_joint;       // per body of the actor: the joint of the clip's skeleton whose frame it carries
  double height_m = 0;  // stature, estimated from the legs
  std::vector<std::string> notes;  // what was assumed or left out, one sentence each
};

// Throws InputError where the skeleton has no two legs.
FittedActor fit_actor(const Clip& clip, const FitOptions& options = {});

}  // namespace stunt
