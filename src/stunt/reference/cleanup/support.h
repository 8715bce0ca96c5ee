// What carries the body, and stays where it is while it does: repairs of captures in which the feet float and skate.
//
// Something always carries the body unless it falls. Feet that skate or float are neither low nor slow enough
// to count as standing, and so the body seems to fly in the middle of a step. Whoever flies falls with g;
// whoever does not stands on the foot that is lowest and slowest.
#pragma once

#include "stunt/reference/cleanup/contacts.h"

namespace stunt {

// Times without any contact in which the centre of mass does not fall (half of g; 0.3 g over 0.3 s), or in which a foot never
// leaves the floor (it slides, or turns on its ball), get one: a foot within a few centimetres of the floor, without
// changing feet more than needed. Where no foot is near the floor something else carries the body, and nothing is
// changed. Changes `contacts` (frames x points, as
// find_contacts gives them); returns how many such times there were. Nor is it while hands carry the body (`held`).
int close_false_flights(const ActorPtr& actor, const std::vector<VecX>& q, double rate_hz,
                        ContactTable& contacts, const std::vector<TimeSpan>& held = {});

// Where the body hovers (no contact, nothing falls, the feet more than a few centimetres up) or all that stands is
// under the floor, as suits, cameras and animators make it: takes it down or up, smoothly, until its lowest foot is
// on the floor. Changes the z of the root; returns the largest shift (m), 0 where the body is where it belongs.
double bring_to_floor(const ActorPtr& actor, double rate_hz, const ContactTable& contacts,
                      std::vector<VecX>& q, const std::vector<TimeSpan>& held = {});

// Moves the whole body over the ground so that the feet in contact do not skate faster than rolling ones do,
// on average over them: a foot that is planted afterwards (plant_feet.h) then keeps its place under the body.
// Changes the x and y of the root; returns the largest shift (m).
double hold_support(const Actor& actor, double rate_hz, const ContactTable& contacts, std::vector<VecX>& q);

}  // namespace stunt
