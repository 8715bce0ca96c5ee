// Planted feet: no sliding, no floating, no sinking, by inverse kinematics, keeping the style.
//
// Each stance of a foot gets one place: while the sole is flat it is level and still, while the heel is up
// the ball stays, when the heel strikes it strikes where it will stand. The correction that this takes is a
// smooth curve of foot displacement and rotation over the whole motion (smooth_correction.h), and the leg follows it
// by IK. Toe captures are noise: the toes lie flat on the ground while the ball carries load, and are
// straight otherwise.
#pragma once

#include "stunt/reference/cleanup/contacts.h"

namespace stunt {

struct PlantReport {
  double largest_shift = 0;  // m, of a foot
  double largest_drop = 0;   // m, of the pelvis where a leg was too short
};

// Changes q in place. `contacts` as find_contacts gives them; heel, ball and tip of a foot then touch as one
// each. `planted_before`: the feet were planted on another body, so what stands is level and still but for
// its size.
PlantReport plant_feet(const ActorPtr& actor, std::vector<VecX>& q, ContactTable& contacts, double rate_hz,
                       bool planted_before = false);

}  // namespace stunt
