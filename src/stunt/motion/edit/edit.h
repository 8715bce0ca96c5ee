// Editing of recorded motions, before any character follows them: cut, turned left to right, repeated,
// joined. Every function gives a new clip on the same skeleton; times in s, lengths in m. All throw
// InputError where the numbers make no sense for the clip.
#pragma once

#include <functional>

#include "stunt/motion/clip.h"
#include "stunt/motion/roles.h"

namespace stunt {

Clip cropped(const Clip& clip, double from, double to);  // both ends included, on the frames nearest to them
Clip resampled(const Clip& clip, double fps);
// Time warp: the result's pose at t is that of the clip at source_time(t), for t from 0 to `duration`.
Clip retimed(const Clip& clip, const std::function<double(double)>& source_time, double duration);
Clip at_speed(const Clip& clip, double factor);  // 2 is twice as fast
// Left and right swapped: the mirror stands upright through the start, along the heading there.
Clip mirrored(const Clip& clip);

// One after the other: b's first frame follows a's last, moved over the ground so that its first pose would
// lie on a's last. The first frame of b is left out, it is the last of a.
Clip joined(const Clip& a, const Clip& b);
// a until `at`, then b from its start, the poses blended with quintic_ease over `duration`; b is moved over the
// ground so that position and heading agree in the middle of the blend.
Clip transition(const Clip& a, const Clip& b, double at, double duration);
// b's pose mixed into a from `start` to `end`, eased in and out over `ramp` each; weight 1 is b alone. The
// path over the ground stays a's.
Clip blended(const Clip& a, const Clip& b, double weight, double start, double end, double ramp);
// Legs and path from one, all above the pelvis from the other, pose by pose.
Clip layered(const Clip& lower, const Clip& upper);

// One cycle that can be repeated: it ends where the pose is most like that of the start, and over `seam`
// seconds the end is blended into the beginning, so that position and velocity go on. Then repeated `cycles`
// times.
Clip as_loop(const Clip& clip, double seam, int cycles = 1);

// --- what the edits need to know of a pose ----------------------------------------------------------

// The same names in the same tree; the lengths may differ.
bool same_skeleton(const Skeleton& a, const Skeleton& b);

// The pose in which a skeleton stands (Skeleton::stance, else its rest pose) and the axes of the body in it.
struct RestPose {
  explicit RestPose(const Skeleton& skeleton);
  JointTransforms world;
  Roles roles;
  Vec3 left, up, forward;  // unit

  // Where the pelvis faces in a pose: yaw, rad, 0 is +X.
  double heading(const Skeleton& skeleton, const Pose& pose) const;
};

// For each joint the one on the other side of the body; joints in the middle are their own.
std::vector<int> mirror_joints(const Skeleton& skeleton);

}  // namespace stunt
