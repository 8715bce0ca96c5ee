// Between the poses of a clip and the coordinates of the character that was fitted to it.
#pragma once

#include "stunt/actor/fit/fit.h"

namespace stunt {

// The character's coordinates in a pose of the clip's skeleton. Where q already holds coordinates (nq
// numbers), they are taken for the pose before: angles and quaternions go on from there without jumps.
void clip_to_q(const FittedActor& fitted, const Clip& clip, const Pose& pose, VecX& q);

// The way back, onto the clip's full skeleton: joints without a body keep their rotation in `source_pose`.
Pose q_to_pose(const FittedActor& fitted, const Clip& clip, const VecX& q, const Pose& source_pose);

}  // namespace stunt
