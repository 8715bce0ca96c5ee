// How feet stand in a motion: which points carry load once they are planted, how still they are, and what that changed.
#pragma once

#include "stunt/reference/cleanup/contacts.h"

namespace stunt {

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
