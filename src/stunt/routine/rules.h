// What makes a routine play which segment: rules in order of importance, as a scene says them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stunt/core/rotation.h"
#include "stunt/core/settings.h"

namespace stunt {

struct RuleSpec {
  std::string when;               // idle, in_reach, threatened, out_of_place or ball
  std::string play;               // segments, of which one is chosen: names with spaces between them
  std::string at = "head chest";  // bodies of the opponent to aim at, likewise
  Vec3 to = Vec3::Zero();         // m, world: where a ball is returned to
  Vec3 scatter = Vec3::Zero();    // m, by which that is varied at random, to each side
  double pause = 0;               // s, at least, between the end of one and the next; varied by half of it
  double chance = 1;              // of obeying at each occasion
};

struct RoutineRules {
  std::string opponent;    // another character; empty: none
  std::string ready;       // the segment played when nothing else is; empty: the first
  double distance = 0;     // m, to be kept from the opponent, between the roots; 0: any
  double tolerance = 0.1;  // m, of the distance and of the feet, before a step is made
  double facing_deg = 20;  // by how much it may face past the opponent
  std::vector<RuleSpec> rules;
};
// What somebody outside asks for.
struct PlayOrder {
  std::string segment;
  std::string body;            // of the opponent, to aim at; empty: `target`, or nothing
  std::optional<Vec3> target;  // m, world
  std::optional<Vec3> facing;  // world: where the face of what it hits with is to point
  double speed = 0;            // m/s at the hit; 0: as the segment says
};

// "jab cross": {"jab", "cross"}
std::vector<std::string> words(const std::string& text);
// `segments`: the names there are.
void describe(Fields& fields, RoutineRules& rules, const std::vector<std::string>& segments);

}  // namespace stunt
