#pragma once

#include "stunt/actor/fit/fit.h"
#include "stunt/motion/clip.h"
#include "stunt/reference/cleanup/contacts.h"

namespace stunt {

// Where a character's motion came from: what it takes to write the result on the clip's own skeleton.
struct MotionSource {
  Clip clip;
  FittedActor fitted;       // to the clip's skeleton
  Floor floor = {};         // as captured; in the reference it is level at height 0
  bool retargeted = false;  // the motion was given to another character
  double start = 0;         // s into the clip
  double speed = 1;
  bool loop = false;
};

}  // namespace stunt
