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

// By how much the joints are turned, on average over joints and frames. The toes do not count: what was
// captured of them is noise, and is replaced.
double mean_change_deg(const Actor& actor, const std::vector<VecX>& before, const std::vector<VecX>& after);

// Points that a controller may load in a motion with planted feet: those that stand, and for the moments
// before and after those that come down and go up slowly within a centimetre of the floor.
ContactTable loadable(const Actor& actor, const std::vector<VecX>& q, double rate_hz);
// Only those that stand.
ContactTable standing(const Actor& actor, const std::vector<VecX>& q, double rate_hz);

// How well feet stand: speed, sinking and floating of the points in contact.
struct FootErrors {
  double skate = 0;  // m/s, mean horizontal speed of points in contact
  double penetration =
      0;  // m, 95th percentile of how deep the lowest point of a foot in contact is below the floor
  double floating = 0;  // m, likewise above
};
FootErrors foot_errors(const ActorPtr& actor, const std::vector<VecX>& q, const ContactTable& contacts,
                       double rate_hz);

}  // namespace stunt
