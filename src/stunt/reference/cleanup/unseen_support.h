// Is the actor carried by something that is not in the file: a seat, a wall, a bar, another person?
#pragma once

#include "stunt/reference/cleanup/contacts.h"

namespace stunt {

// The times of at least half a second in which the feet cannot carry the body: its centre of mass c goes
// nowhere, and both c and the zero-moment point, c - z c''/(g + z''), are far outside the hull of the contact
// points; or nothing touches the floor and yet nothing falls. Times in which another part is as low as one that lies, kneels or leans on the
// floor do not count. `contacts` as find_contacts gives them, on a level floor at height 0.
std::vector<TimeSpan> unseen_support(const ActorPtr& actor, const std::vector<VecX>& q, double rate_hz,
                                     const ContactTable& contacts);

}  // namespace stunt
