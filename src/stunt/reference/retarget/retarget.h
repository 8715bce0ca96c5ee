// A motion given to another character: built in, or a user's MJCF whose bodies have recognisable roles.
//
// Every segment with the same role gets the same direction in the world and the same turn about it, measured
// from anatomical axes that both characters have in their rest poses, whatever those are (T-pose, arms down):
// along the segment, and about which the knee or elbow bends; the pelvis, spine and head by up and forward,
// the feet by their soles. Joints that cannot do that come as near as they can, within their limits: the turn
// of an upper arm about itself is chosen for the elbow hinge below it, a planar character gets the projection
// on its plane. The path of the hips is scaled by the length of the legs, the load on heels and balls carries
// over, and the feet are planted by inverse kinematics (plant_feet.h).
#pragma once

#include <string>
#include <vector>

#include "stunt/reference/cleanup/foot_errors.h"
#include "stunt/reference/cleanup/plant_feet.h"
#include "stunt/reference/reference.h"

namespace stunt {

struct RetargetReport {
  double scale = 1;           // leg length of the character over that of the motion's actor
  bool planar = false;        // all joints of the character are hinges about one axis
  std::vector<Role> missing;  // what the character has and the motion does not: left in its rest pose
  FootErrors before, after;   // of the feet in contact, without and with planting
  PlantReport plant;
  double mean_change_deg = 0;  // of the joints, toes excepted, by planting
};

// A character with the same bones, joints and soles as the motion's actor, such as one exported by `stunt fit`, gets
// the very same poses. Throws InputError where the character has no two legs with feet.
std::shared_ptr<const SampledReference> retarget(const SampledReference& motion, const ActorPtr& character,
                                                 RetargetReport* report = nullptr);

}  // namespace stunt
