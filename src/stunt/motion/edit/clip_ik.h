// Inverse kinematics on a clip's own skeleton: hands, feet, head and root brought elsewhere, and longer or
// shorter strides. Bones keep their lengths; lengths in m, times in s. Throws InputError.
#pragma once

#include "stunt/motion/clip.h"
#include "stunt/motion/edit/reach_target.h"

namespace stunt {

// Hands and feet by bending and turning their limb, keeping their own rotation in the world; the head by
// bending the spine; the root by moving the body while hands go with it and feet stay. What is out of reach
// is approached as far as the stretched limb goes.
Clip with_target(const Clip& clip, const ReachTarget& target);

// The path of the root and of the feet over the ground scaled by `factor` along the way the motion goes (in
// all directions where it comes back to where it started), feet turned as they were. Where the legs are too
// short for longer steps the hips go down.
Clip with_stride(const Clip& clip, double factor);

// One limb in one pose: turns `upper` and `lower` so that `end` comes to `position`; the joint `end` keeps
// its rotation in the world. `spare_axis`: world axis to bend about where the limb is straight. Returns the
// distance that remains.
double reach_limb(const Skeleton& skeleton, Pose& pose, int upper, int lower, int end, const Vec3& position,
                  const Vec3& spare_axis);

}  // namespace stunt
