// Motions out of a few poses: keys at given times, and what lies between them by interpolation.
#pragma once

#include <vector>

#include "stunt/motion/clip.h"
#include "stunt/motion/edit/edit_list.h"

namespace stunt {

// Every key is a pose of the clip with its root moved; from key to key root and joints ease over by quintic_ease, so the
// motion comes to rest at each. Where a key keeps hands or feet, they stay where they would be without the move, on the
// way there and back too; what is out of reach stays as near as the stretched limb allows. Throws InputError.
Clip interpolated(const Clip& clip, const std::vector<KeyPose>& keys);

// The mean length of a step (m): the way between moments at which the feet pass each other, along the way that the motion
// goes. Throws InputError where there are not two such moments.
double step_length(const Clip& clip);

// The same for the paths of root and feet (m), frame by frame; 0 where it cannot be told.
double step_length(const std::vector<Vec3>& root, const std::vector<Vec3>& left_foot,
                   const std::vector<Vec3>& right_foot);

// How the clock of a motion runs that is warped for a while (WarpEdit): its own time at t, and how fast it runs then.
struct WarpedTime {
  double own, rate, rate_change;  // s; 1; 1/s
};
WarpedTime warped_time(const WarpEdit& warp, double t);
// s by which the motion is over later.
double warp_delay(const WarpEdit& warp);

}  // namespace stunt
