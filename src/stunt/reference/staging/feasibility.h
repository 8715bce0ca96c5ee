// Could the ground and the hands make this motion? Where for too long they could not, a controller falls behind and
// nothing that it does later helps (Jain and Liu 2011, section 8: stretches of more than 10 to 15 frames of 1/120 s).
#pragma once

#include <string>
#include <vector>

#include "stunt/reference/cleanup/contacts.h"
#include "stunt/reference/reference.h"

namespace stunt {

struct FeasibilitySettings {
  double longest = 15.0 / 120;      // s, of a stretch that does not matter
  double outside = 0.03;            // m, of the zero-moment point from the hull of what carries load
  double friction = 1;              // horizontal over vertical force
  double unexplained = 0.3;         // of the weight, while nothing carries
  std::vector<TimeSpan> held = {};  // s, while hands carry the body: all is possible
};

struct Infeasible {
  TimeSpan when;        // s
  std::string because;  // of the worst moment, as the end of a sentence
};

// The stretches longer than `longest` in which a frame cannot be. With c the centre of mass and L the angular momentum
// about it, by differences of the samples: where something carries load, the force m (c'' + g) must push, within
// friction, at a zero-moment point near the hull of the points that carry; where nothing does, c'' must be -g.
std::vector<Infeasible> infeasible_stretches(const SampledReference& motion,
                                             const FeasibilitySettings& settings = {});

// A sentence about them for the user; empty where there are none.
std::string infeasible_text(const std::vector<Infeasible>& stretches);

}  // namespace stunt
