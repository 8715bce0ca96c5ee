// Inverse kinematics of a hit: how the joints of the striking limb, helped a little by the trunk, have to differ from a
// pose so that a point of the striking body is somewhere else, and what it hits with faces a direction (hit-and-react
// section 4). Damped least squares over the joints between the body and the root,
//   min |J d - e|^2 + damping^2 |d|^2 / w,   w = 1 for the limb, less for the trunk,
// repeated, within the joints' limits. Out of reach it ends as near as it gets.
#pragma once

#include <vector>

#include "stunt/actor/dynamics.h"
#include "stunt/reference/staging/staging.h"
#include "stunt/routine/segment.h"

namespace stunt {

class Aim {
 public:
  explicit Aim(ActorPtr actor);

  // Fills `offset` (nv: to be added to `q` by integrate()) so that the strike's point is at `target` (m, in the axes of
  // q); `facing`: unit, where the strike's face is to point, zero: anywhere. Returns how far from the target it stays (m).
  // Allocates nothing after the first time.
  double solve(const Strike& strike, const VecX& q, const Vec3& target, const Vec3& facing, VecX& offset);

  // The same for a hit that is somewhere else by itself: `place` takes the segment to the axes of q, and what practice found
  // about the aim counts. No further than the strike's reach; the distance that this leaves is added.
  // `either_side`: the face may point the other way as well.
  double reach_for(const Strike& strike, const GroundTransform& place, const VecX& q, const Vec3& target,
                   Vec3 facing, bool either_side, VecX& offset);

  ActorDynamics& dynamics() { return dynamics_; }

 private:
  ActorDynamics dynamics_;
  Jacobian place_, turn_;
  VecX q_, step_, zero_;
  VecX willing_;  // nv: w above; 0 where a joint takes no part
};

}  // namespace stunt
