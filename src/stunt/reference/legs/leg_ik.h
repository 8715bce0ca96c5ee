// Inverse kinematics of a leg: joint angles that put its foot somewhere. The rest of q stays.
#pragma once

#include "stunt/reference/legs/leg.h"

namespace stunt {

// What to do where a joint limit keeps the foot from its target.
enum class AtLimits {
  stop,  // the joint stays at its limit
  go_on  // the foot gets there, the joint goes beyond
};

// Puts the foot where `target` says: in closed form where the leg is built for it (place_foot), otherwise by
// search (reach), which knows no limits.
void put_foot(ActorDynamics& dynamics, const Leg& leg, const FootPose& target, VecX& q,
              AtLimits at_limits = AtLimits::stop);

// In closed form: changes the leg's joints in q so that the foot's origin is at `foot_position` (as far as leg and
// limits reach) and the foot is turned to `foot_rotation`. The thigh swings the shortest way from where it is. `hip` and
// `pelvis` are the world position of the hip joint and the world rotation of the body the thigh hangs on. Works for legs
// of ball hip, hinge knee and ankles of hinges or a ball; returns false (q unchanged) for
// others.
bool place_foot(const Actor& actor, const Leg& leg, const Vec3& hip, const Quat& pelvis,
                const Vec3& foot_position, const Quat& foot_rotation, VecX& q);

// By damped Gauss-Newton from where q is, for any joints, without their limits. Returns the distance that
// remains (m).
double reach(ActorDynamics& dynamics, const Leg& leg, const FootPose& target, VecX& q);

}  // namespace stunt
