// Which motion a character is to follow, as a scene says it.
#pragma once

#include <string>
#include <vector>

#include "stunt/core/settings.h"
#include "stunt/motion/edit/edit_list.h"
#include "stunt/motion/interpret.h"
#include "stunt/reference/cleanup/clean_up.h"

namespace stunt {

// Which motion, where it starts and how it is changed before it is followed.
struct MotionSpec {
  std::string source;  // empty: none, the character is left to its controller
  bool loop = false;
  double start = 0;
  double speed = 1;
  ImportOptions import;
  CleanupSettings cleanup;
  std::vector<Edit> edits;  // carried out in this order, before start, speed and loop
};
void describe(Fields& fields, MotionSpec& motion);

}  // namespace stunt
