// The length unit of a file, from the size of a person.
#pragma once

#include <optional>
#include <string>

#include "stunt/motion/clip.h"
#include "stunt/motion/roles.h"

namespace stunt {

// Standing height in the skeleton's own unit: leg, trunk and arm against the height of a person (Drillis and
// Contini's proportions as in Winter, Biomechanics and Motor Control of Human Movement, fig. 4.1).
double standing_height(const Skeleton& skeleton, const Roles& roles);

struct LengthUnit {
  double metres;       // per file unit
  std::string name;    // "an inch"; empty where no usual unit makes the body a person's size
  double body_height;  // m, that it makes
};

// The usual unit (metre, centimetre, millimetre, inch, CMU's) that makes the body most nearly 1.75 m tall; where
// none makes it a person's size, whatever makes it exactly that.
LengthUnit find_length_unit(double height_in_file_units);

}  // namespace stunt
