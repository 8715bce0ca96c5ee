// Which way is up, and the rotation from a file's axes to ours.
#pragma once

#include <string>

#include "stunt/motion/clip.h"
#include "stunt/motion/roles.h"

namespace stunt {

// Of "x", "Y", "-z", ...; throws InputError about `place`.
Vec3 axis_vector(const std::string& axis, const std::string& place);

// The rotation that takes the file's `up` axis to Z and `forward` to X; both "x", "y", "z", "-x", "-y" or
// "-z", at right angles. `forward` empty: z where y is up, x where z is up, y where x is up. Throws InputError.
Quat axes_to_stunt(const std::string& up, const std::string& forward, const std::string& place);

// Turns and scales world, skeleton and joint axes alike, so that rest rotations of the identity stay so.
void change_axes(Clip& clip, const Quat& rotation, double scale);

// "x", "-y", ...: the axis a direction is nearest to.
std::string nearest_axis(const Vec3& direction);

// From the middle of the feet to the head, or to the highest joint there is a role for.
Vec3 feet_to_head(const JointTransforms& pose, const Roles& roles);

struct UpAxis {
  std::string axis;
  std::string reason;  // ends a sentence: "the feet are below the head along it in 98 % of the frames"
};

// The axis along which the body is upright while it moves. The rest pose has a word only where the motion
// leaves a doubt: someone who lies or hangs throughout is not taken for standing along another axis, unless he
// travels, falls freely, stands on the origin's plane along it, or would be upside down all the time.
UpAxis find_up_axis(const Clip& clip, const Roles& roles);

}  // namespace stunt
