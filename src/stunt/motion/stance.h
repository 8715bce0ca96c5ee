// A pose in which the body stands upright and faces x, to tell its shape by: of many files the rest pose is one;
// of others it is folded (all bones along one axis), or lies.
#pragma once

#include "stunt/motion/clip.h"
#include "stunt/motion/roles.h"

namespace stunt {

// Does the rest pose stand (Z up): legs down, trunk and head up, toes ahead?
bool rest_pose_stands(const Skeleton& skeleton, const Roles& roles);

// Does the motion bend the trunk from its rest pose as a person can? Networks that make motions may turn the joints of
// a standing trunk right round, all the time, so that only the places of the joints are true.
bool trunk_keeps_to_rest(const Clip& clip, const Roles& roles);

// Local rotations of a standing pose, made from the motion (Z up, any unit): the mean of the frames in which the
// body is tallest, facing x, with the trunk upright and arms and legs hanging straight down.
std::vector<Quat> stance_from_motion(const Clip& clip, const Roles& roles);

}  // namespace stunt
