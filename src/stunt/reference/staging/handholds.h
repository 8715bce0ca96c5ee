// What hands hold on to in a capture, found from how they move: a bar that stays where it is, or handles that swing.
#pragma once

#include <string>
#include <vector>

#include "stunt/reference/cleanup/contacts.h"
#include "stunt/reference/reference.h"

namespace stunt {

struct FoundHandhold {
  Role hand;
  TimeSpan when;    // s
  Vec3 place;       // m: of the palm, in the middle of its way
  double rope;      // m, from the palm up to the point about which it swings; 0: it stays
  double residual;  // m, root mean square of what this does not explain
};

// For each hand and each of the spans in which feet cannot carry the body (unseen_support.h): whether the palm, in its middle
// part above the pelvis, stays within a hand's breadth, or moves on a circle about a point above it (least squares). Hands
// of which neither is true are left out.
std::vector<FoundHandhold> find_handholds(const SampledReference& motion, const std::vector<TimeSpan>& spans);

// The keys of a scene that would give the hands these things to hold, as YAML on one line each.
std::string handhold_keys(const std::vector<FoundHandhold>& holds);

}  // namespace stunt
