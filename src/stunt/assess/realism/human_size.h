// A human of nobody's size is a file read in the wrong unit.
#pragma once

#include <string>

#include "stunt/actor/actor.h"

namespace stunt {

// Throws InputError at `place` for a body of a human's parts but nobody's size, with the length unit that its numbers are
// likely to be in.
void check_human_size(const ActorPtr& actor, const std::string& place);
void check_human_size(double height, const std::string& place);  // m

}  // namespace stunt
