// Which name somebody meant who wrote another.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stunt {

// The name that takes the fewest letters to be changed, left out, put in or swapped with the next: "walk" for "wlak".
// Empty where none is near: more than a third of the letters would have to change.
std::string nearest_name(std::string_view written, const std::vector<std::string>& names);

}  // namespace stunt
