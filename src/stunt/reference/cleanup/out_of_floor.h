// Bodies that lie, kneel or lean on their hands in a capture are often centimetres inside the floor: the shapes of the
// character are not the actor's own. The engine would throw them out of it.
#pragma once

#include "stunt/reference/cleanup/contacts.h"

namespace stunt {

// Raises the whole body, smoothly, by as much as trunk, head and legs are inside the floor, while the feet stay; then turns
// the arms at shoulders and elbows until forearms and hands are out of it too, as far as that goes, and raises the body by
// the rest. A centimetre is left as it is: whatever is pressed down sinks in a little. Changes q; returns the largest
// depth (m), 0 where nothing was changed.
double bring_out_of_floor(const ActorPtr& actor, double rate_hz, std::vector<VecX>& q);

}  // namespace stunt
